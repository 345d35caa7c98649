"""Peak memory of a training step beside PyTorch's, and whether ten thousand steps leave anything behind.

Memory is what the process holds, asked of the operating system; where it cannot be asked, nothing is measured.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from kael.bench.overhead import OTHER, answer, libraries

__all__ = ["MODELS", "Peak", "growth", "peaks"]

RESIDENT = """\
import pathlib, sys

status = pathlib.Path("/proc/self/status")


def held(name):
    line = next(line for line in status.read_text(encoding="utf-8").splitlines() if line.startswith(name + ":"))
    return int(line.split()[1]) * 1024


def resident():
    return held("VmRSS")


def peak():
    return held("VmHWM")  # getrusage's would begin at what the parent process held at most
"""
STEPS = """\
import importlib, json, math

library = importlib.import_module(sys.argv[1])
F = library.nn.functional
if sys.argv[1] == "torch":
    library.set_num_threads(1)
library.manual_seed(0)


def parameter(*shape):
    return (library.randn(*shape) / math.sqrt(shape[-1])).requires_grad_()


def mlp(batch, width):
    x, target = library.randn(batch, 784), library.randint(0, 10, (batch,))
    weights = [parameter(width, 784), parameter(width, width), parameter(10, width)]

    def loss():
        y = x
        for weight in weights[:-1]:
            y = F.relu(F.linear(y, weight))
        return F.cross_entropy(F.linear(y, weights[-1]), target)

    return weights, loss


def gpt(batch, length, width, layers, heads=4, vocabulary=96):
    tokens = library.randint(0, vocabulary, (batch, length + 1))
    table, places = parameter(vocabulary, width), parameter(length, width)
    blocks = [
        [parameter(3 * width, width), parameter(width, width), parameter(4 * width, width), parameter(width, 4 * width)]
        for _ in range(layers)
    ]

    def split(x):
        return x.reshape(batch, length, heads, width // heads).transpose(1, 2)

    def loss():
        x = F.embedding(tokens[:, :-1], table) + places
        for attend, project, widen, narrow in blocks:
            q, k, v = F.linear(F.layer_norm(x, (width,)), attend).split(width, -1)
            y = F.scaled_dot_product_attention(split(q), split(k), split(v), is_causal=True)
            x = x + F.linear(y.transpose(1, 2).reshape(batch, length, width), project)
            x = x + F.linear(F.gelu(F.linear(F.layer_norm(x, (width,)), widen)), narrow)
        logits = F.linear(F.layer_norm(x, (width,)), table)
        return F.cross_entropy(logits.reshape(-1, vocabulary), tokens[:, 1:].reshape(-1))

    return [table, places, *[weight for block in blocks for weight in block]], loss


def step(weights, loss):
    loss().backward()
    with library.no_grad():
        for weight in weights:
            weight -= 0.01 * weight.grad
            weight.grad = None
"""
PEAK = """
model = {"mlp": lambda: mlp(4096, 2048), "gpt": lambda: gpt(16, 128, 192, 4)}[sys.argv[2]]
step(*{"mlp": lambda: mlp(8, 16), "gpt": lambda: gpt(2, 8, 16, 1)}[sys.argv[2]]())
weights, loss = model()
before = resident()
for _ in range(3):
    step(weights, loss)
print(json.dumps([before, peak() - before]))
"""
GROWTH = """
import gc

gc.disable()
weights, loss = mlp(32, 64)
sizes = []
for number in range(int(sys.argv[2]) + 1):
    step(weights, loss)
    if number % (int(sys.argv[2]) // 10) == 0:
        sizes.append(resident())
print(json.dumps(sizes))
"""
MODELS = {"mlp": "784-2048-2048-10, batch 4096", "gpt": "4 layers of width 192, 16 x 128 tokens"}


class Peak(NamedTuple):
    """The bytes that training steps of a model needed at most, beyond parameters and data."""

    model: str
    library: str
    size: int


def available() -> bool:
    """Whether this system tells what a process holds."""
    from pathlib import Path

    return Path("/proc/self/status").exists()


def peaks() -> list[Peak]:
    """Each model's peak in kael and, where it is installed, in PyTorch, each in an interpreter of its own."""
    return [
        Peak(model, library, json.loads(answer("-c", RESIDENT + STEPS + PEAK, library, model))[1])
        for model in MODELS
        for library in (("kael", OTHER) if OTHER in libraries() else ("kael",))
    ]


def growth(steps: int = 10_000) -> list[int]:
    """What the process holds at eleven moments of so many MLP steps with the garbage collector off, in bytes."""
    sizes: list[int] = json.loads(answer("-c", RESIDENT + STEPS + GROWTH, "kael", str(steps)))
    return sizes
