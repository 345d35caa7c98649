"""Whole training steps, written once for kael and PyTorch: the cases of ``kael bench train``, and models to measure."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import prod, sqrt
from typing import Any

import numpy as np

from kael.bench.cases import Call, Case, numbers

__all__ = ["Model", "cases", "cnn", "gpt", "mlp"]

KIND = "train"
Model = tuple[list[Any], Callable[[], Any]]  # parameters, and what computes the loss


def cases() -> list[Case]:
    """Forward, backward, and the optimizer's step."""
    return [
        Case(KIND, "MLP 64-32-10, batch 32, SGD with momentum", with_momentum),
        Case(KIND, "CNN on 8x8, batch 32, SGD with momentum", small_images),
        Case(KIND, "GPT, 4 layers of width 64, 8x64 tokens, AdamW", small_gpt),
    ]


def with_momentum(library: Any) -> Call:
    """The step of an MLP."""
    weights, loss = mlp(library, 32, (64, 32, 10))
    return step(loss, library.optim.SGD(weights, lr=0.01, momentum=0.9))


def small_images(library: Any) -> Call:
    """The step of a convolutional network."""
    weights, loss = cnn(library, 32)
    return step(loss, library.optim.SGD(weights, lr=0.01, momentum=0.9))


def small_gpt(library: Any) -> Call:
    """The step of a transformer."""
    weights, loss = gpt(library, 8, 64, 64, 4)
    return step(loss, library.optim.AdamW(weights, lr=1e-3))


def step(loss: Callable[[], Any], optimizer: Any) -> Call:
    """One step of training; its loss."""

    def run() -> Any:
        value = loss()
        value.backward()
        optimizer.step()
        optimizer.zero_grad()
        return value

    return run


def parameter(library: Any, *shape: int) -> Any:
    """A weight whose rows keep the size of what they multiply."""
    drawn = numbers(*shape, seed=sum(shape)) / np.float32(sqrt(prod(shape[1:])))
    return library.from_numpy(drawn).requires_grad_()


def classes(library: Any, count: int, *shape: int) -> Any:
    """Targets."""
    return library.from_numpy(np.random.default_rng(0).integers(0, count, shape))


def mlp(library: Any, batch: int, sizes: tuple[int, ...]) -> Model:
    """Layers of these sizes with relu between them, and cross_entropy."""
    functional = library.nn.functional
    x, target = library.from_numpy(numbers(batch, sizes[0])), classes(library, sizes[-1], batch)
    weights = [parameter(library, wide, narrow) for narrow, wide in pairwise(sizes)]
    biases = [library.zeros(wide, requires_grad=True) for wide in sizes[1:]]

    def loss() -> Any:
        y = x
        for weight, bias in zip(weights[:-1], biases, strict=False):
            y = functional.relu(functional.linear(y, weight, bias))
        return functional.cross_entropy(functional.linear(y, weights[-1], biases[-1]), target)

    return [*weights, *biases], loss


def cnn(library: Any, batch: int) -> Model:
    """Two convolutions of 16 and 32 channels, each with relu and pooling, and a linear layer, on images of 8x8."""
    functional = library.nn.functional
    x, target = library.from_numpy(numbers(batch, 1, 8, 8)), classes(library, 10, batch)
    weights = [parameter(library, *shape) for shape in ((16, 1, 3, 3), (32, 16, 3, 3), (10, 128))]
    biases = [library.zeros(weight.shape[0], requires_grad=True) for weight in weights]

    def loss() -> Any:
        y = x
        for weight, bias in zip(weights[:-1], biases, strict=False):
            y = functional.max_pool2d(functional.relu(functional.conv2d(y, weight, bias, padding=1)), 2)
        return functional.cross_entropy(functional.linear(y.reshape(batch, 128), weights[-1], biases[-1]), target)

    return [*weights, *biases], loss


def gpt(library: Any, batch: int, length: int, width: int, layers: int, heads: int = 4, vocabulary: int = 96) -> Model:
    """A transformer that predicts the next token, its embedding shared with its last layer."""
    functional = library.nn.functional
    tokens = classes(library, vocabulary, batch, length + 1)
    table, places = parameter(library, vocabulary, width), parameter(library, length, width)
    shapes = ((3 * width, width), (width, width), (4 * width, width), (width, 4 * width))
    blocks = [[parameter(library, *shape) for shape in shapes] for _ in range(layers)]

    def split(x: Any) -> Any:
        return x.reshape(batch, length, heads, width // heads).transpose(1, 2)

    def loss() -> Any:
        x = functional.embedding(tokens[:, :-1], table) + places
        for attend, project, widen, narrow in blocks:
            q, k, v = functional.linear(functional.layer_norm(x, (width,)), attend).split(width, -1)
            y = functional.scaled_dot_product_attention(split(q), split(k), split(v), is_causal=True)
            x = x + functional.linear(y.transpose(1, 2).reshape(batch, length, width), project)
            hidden = functional.gelu(functional.linear(functional.layer_norm(x, (width,)), widen))
            x = x + functional.linear(hidden, narrow)
        logits = functional.linear(functional.layer_norm(x, (width,)), table)
        return functional.cross_entropy(logits.reshape(-1, vocabulary), tokens[:, 1:].reshape(-1))

    return [table, places, *[weight for block in blocks for weight in block]], loss
