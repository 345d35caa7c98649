"""Shapes, parts, joins and new tensors beside PyTorch: values, views, gradients, and errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import kael

torch = pytest.importorskip("torch")

from tests.ops.test_torch import compare, differentiated, in_our_words, leaf, of, outcome, plain, promised  # noqa: E402

SQUARE = [[1.0, 2.0], [3.0, 4.0]]
ROWS = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]]


def grid(k: Any) -> Any:
    """A matrix of 3 x 4."""
    return k.arange(12.0).reshape(3, 4)


GRADIENTS = {
    "repeat": of(lambda x: x.repeat(2, 3), [[1.0], [2.0]]),
    "repeat 0 times": of(lambda x: x.repeat(0), [1.0, 2.0]),
    "cat with itself, a constant and an empty one": differentiated(
        lambda k, x, y: k.cat([x, k.zeros(1, 2, dtype=k.float64), y.reshape(0, 2), x]), SQUARE, []
    ),
    "cat leaves a vector of nothing out": differentiated(lambda k, x, y: k.cat([y, x, y], 1), SQUARE, []),
    "cat of two dtypes": differentiated(lambda k, x: k.cat([x, x.float()]), [0.1, 2.0]),
    "split with parts unused": of(lambda x: x.split(2)[0], [1.0, 2.0, 3.0, 4.0, 5.0]),
    "split of sizes": of(lambda x: x.split([1, 0, 3])[2], [1.0, 2.0, 3.0, 4.0]),
    "uneven chunks": of(lambda x: x.chunk(3)[2] * x.chunk(3)[0].sum(), [1.0, 2.0, 3.0, 4.0, 5.0]),
    "unbind": of(lambda x: x.unbind(1)[0] * x.unbind()[1], SQUARE),
    "all parts of one split": differentiated(lambda k, x: k.stack([part.sum() for part in x.split(2)]), [1.0] * 5),
    "stack a, b, a": differentiated(lambda k, a, b: k.stack((a, b, a), -1), [1.0, 2.0], [3.0, 4.0]),
    "overlapping windows": of(lambda x: x.unfold(0, 2, 1), [1.0, 2.0, 3.0]),
    "windows of windows": of(lambda x: x.unfold(0, 2, 1).unfold(1, 2, 2), ROWS),
    "flip": of(lambda x: x.flip(0), [1.0, 2.0, 3.0], weights=[1.0, 10.0, 100.0]),
    "roll": of(lambda x: x.roll(1), [1.0, 2.0, 3.0], weights=[1.0, 10.0, 100.0]),
    "diagonal of itself transposed": of(lambda x: x.diagonal(1) * x.t().diagonal(-1), ROWS),
    "tril": of(lambda x: x.tril() + x.triu(1), SQUARE, weights=SQUARE),
    "tril of nan": of(lambda x: x.tril(), [[1.0, math.nan], [math.inf, 2.0]]),
    "trace": of(lambda x: x.trace(), SQUARE),
    "squeeze of nothing": of(lambda x: x.squeeze(), SQUARE),
    "repeat_interleave": differentiated(lambda k, x: x.repeat_interleave(k.tensor([0, 3]), 1), SQUARE),
    "movedim": of(lambda x: x.movedim(0, 1), SQUARE, weights=SQUARE),
    "meshgrid": differentiated(lambda k, x, y: k.meshgrid(x, y, indexing="xy")[0] * 2, [1.0, 2.0, 3.0], [4.0, 5.0]),
    "float16": of(lambda x: x.repeat(2, 3).unfold(1, 2, 1) + x.tril().sum(), SQUARE, dtype="float16"),
}


def written(k: Any, part: Any) -> Any:
    """A tensor after a write through a view, and the versions of both."""
    x = k.zeros(4, 4)
    view = part(x)
    view.add_(1)
    return [x, x._version == view._version, view.storage_offset(), view.stride()]


VALUES = {
    "a write through each view is a write to its base": lambda k: [
        written(k, part)
        for part in (
            lambda x: x.narrow(0, 1, 2),
            lambda x: x.select(1, -1),
            lambda x: x.split(3)[1],
            lambda x: x.chunk(2, 1)[1],
            lambda x: x.unbind()[2],
            lambda x: x.tensor_split(3)[0],
            lambda x: x.diagonal(1),
            lambda x: x.unfold(0, 2, 2),
            lambda x: x.movedim(0, 1)[0],
            lambda x: x.unflatten(0, (2, 2))[1],
            lambda x: x.mT[1],
            lambda x: x.swapaxes(0, 1)[0],
            lambda x: x.view_as(x)[3],
            lambda x: x.ravel()[1:3],
        )
    ],
    "what copies leaves its source alone": lambda k: [
        (x.add_(1), grid(k))[1]
        for x in (
            grid(k).flip(0), grid(k).roll(1), grid(k).repeat(1, 1), grid(k).tril(), grid(k).clone(), k.cat([grid(k)]),
            grid(k).repeat_interleave(1, 0), grid(k).diag(),
        )
    ],
    "sizes of parts": lambda k: [
        [list(part.shape) for part in parts]
        for parts in (
            k.zeros(5).chunk(3), k.zeros(4).chunk(3), k.zeros(0).chunk(3), k.zeros(5).split(2), k.zeros(0).split(0),
            k.zeros(0).split(2), k.zeros(5, 2).split([1, 4]), k.zeros(5).tensor_split(3), k.zeros(5).tensor_split(7),
            k.zeros(5).tensor_split((-1, 9, 0)), k.zeros(5).tensor_split(k.tensor([1, 3])), k.zeros(0, 2).unbind(),
            k.zeros(5).tensor_split(k.tensor(2)), k.zeros(4, 6).hsplit(3), k.zeros(4).hsplit((1,)),
        )
    ],
    "kinds of results": lambda k: [
        type(found).__name__
        for found in (
            k.zeros(2).split(1), k.zeros(2).chunk(2), k.zeros(2).unbind(), k.zeros(2).tensor_split(2),
            k.broadcast_tensors(k.zeros(2)), k.meshgrid(k.zeros(2), indexing="ij"),
            k.atleast_1d(k.zeros(2), k.zeros(2)),
        )
    ],
    "forms of call": lambda k: [
        grid(k).flip(0, 1), grid(k).flip((0, 1)), k.flip(grid(k), [0]), grid(k).roll(1, 0),
        grid(k).roll((1, 2), (0, 0)),
        grid(k).tile(2), grid(k).tile((2, 1, 1)), k.tile(grid(k), (2,)), grid(k).tile(()), grid(k).repeat((2, 1, 1)),
        grid(k).sum().repeat(3), grid(k).narrow(0, -2, 1), grid(k).narrow(0, k.tensor(1), 1), grid(k).narrow(1, 4, 0),
        grid(k).squeeze(()), grid(k).permute((1, 0)), grid(k).unflatten(1, (2, -1)), grid(k).expand(2, -1, 4)[0],
        k.atleast_3d(k.zeros(2)), k.atleast_2d(k.tensor(1.0)), k.rot90(grid(k), -3), k.diag(k.ones(2), 1),
        k.diag(grid(k), 9), k.diag_embed(grid(k), 1, 0, 2), k.diagflat(grid(k)), grid(k).triu(1), grid(k).tril(-1),
        k.broadcast_to(k.ones(3, 1), (2, 3, 4)), k.cartesian_prod(k.arange(2), k.arange(3)),
        k.combinations(k.arange(3), 2, True), k.combinations(k.arange(2), 3), k.combinations(k.arange(3), 0),
        grid(k).T, grid(k).H, grid(k).mT, grid(k)[0].T, k.tensor(1.0).T,
    ],
    "forms of repeat_interleave": lambda k: [
        grid(k).repeat_interleave(2), grid(k).repeat_interleave(2, 0),
        grid(k).repeat_interleave(k.tensor([2, 0, 1]), 0),
        grid(k).repeat_interleave(k.tensor(2), 1), k.repeat_interleave(k.tensor([1, 0, 2])),
        k.repeat_interleave(k.tensor([1, 2], dtype=k.int32)), grid(k).sum().repeat_interleave(2),
        grid(k).repeat_interleave(2, 0, output_size=6),
    ],
    "joins of dtypes": lambda k: [
        k.cat([k.tensor([1]), k.tensor([1.5])]), k.cat([k.tensor([True]), k.tensor([2], dtype=k.uint8)]),
        k.stack([k.tensor(1), k.tensor(1.5)]), k.cat([k.ones(1, dtype=k.float16), k.ones(1)]),
        k.hstack([k.ones(2), k.tensor([1])]), k.cat([k.zeros(0), k.ones(1, 2).long()]), k.cat([k.zeros(0), k.zeros(0)]),
    ],
    "dtypes of the rest": lambda k: [
        x
        for dtype in ("bool", "uint8", "int32", "int64", "float16", "float64")
        for ones in [k.ones(2, 2, dtype=getattr(k, dtype))]
        for x in (ones.tril(), ones.flip(0), ones.roll(1), ones.repeat(2, 1), ones.diagonal(), k.diag_embed(ones[0]))
    ],
    "trace": lambda k: [grid(k).trace(), grid(k).int().trace(), k.zeros(0, 3).trace(), grid(k).half().trace()],
    "layouts": lambda k: [
        list(x.stride())
        for x in (
            grid(k).clone(), grid(k).t().clone(), grid(k)[:, ::2].clone(), k.zeros(2, 3, 4).permute(2, 0, 1).clone(),
            k.zeros(2, 1, 3).expand(2, 4, 3).clone(), grid(k).t().contiguous(), k.zeros_like(grid(k).t()),
            k.empty_like(k.zeros(2, 3, 4).permute(2, 0, 1)), k.ones_like(grid(k)[:, ::2]), k.randn_like(grid(k).t()),
            k.full_like(k.zeros(2, 1, 3).expand(2, 4, 3), 1),
        )
    ],
    "in place": lambda k: [
        grid(k).t_(), grid(k).unsqueeze_(0), k.zeros(1, 2).squeeze_(), grid(k).transpose_(0, 1), grid(k).tril_(),
        grid(k).triu_(1), grid(k).t_()._version,
    ],
    "broadcast_shapes": lambda k: [list(k.broadcast_shapes((2, 1), (3,), ())), list(k.broadcast_shapes(2, (1, 2)))],
    "to": lambda k: [
        grid(k).to(k.float64), grid(k).to("cpu"), grid(k).to("cpu", k.int32), grid(k).to(k.device("cpu"), k.int64),
        grid(k).to(k.ones(1).long()), grid(k).to(dtype=k.bool, device="cpu"), grid(k).to(k.float64, True, True),
        grid(k).type_as(k.zeros(1).half()), grid(k).cpu(), grid(k).to(k.float32).data_ptr() == 0,
    ],
    "devices": lambda k: [
        grid(k).device == k.device("cpu"), grid(k).device.type, str(grid(k).device), repr(grid(k).device),
        k.device("cpu:0") == k.device("cpu"), str(k.device("cpu", 0)), k.zeros(1, device="cpu"),
        k.tensor([1], device=k.device("cpu")), hash(k.device("cpu")) == hash(k.device("cpu")),
        k.device(k.device("cpu", 1)).index,
    ],
    "the device that programs choose": lambda k: [
        str(k.device("cuda" if k.cuda.is_available() else "cpu")), k.cuda.device_count(), k.cuda.manual_seed_all(0),
    ],
    "short names of dtypes": lambda k: [
        getattr(grid(k), name)() for name in ("short", "char", "byte", "long", "int", "half", "double", "float", "bool")
    ],
    "limits": lambda k: [
        [k.finfo(dtype).min, k.finfo(dtype).max, k.finfo(dtype).eps, k.finfo(dtype).tiny, k.finfo(dtype).resolution]
        for dtype in (k.float16, k.float32, k.float64)
    ] + [[k.iinfo(dtype).min, k.iinfo(dtype).max, k.iinfo(dtype).bits] for dtype in (k.uint8, k.int8, k.int64)] + [
        repr(k.iinfo(k.int8)), repr(k.finfo(k.float32)), k.finfo().bits, k.finfo(k.float64).dtype,
    ],
    "filled": lambda k: [
        k.zeros(()), k.zeros([2, 3]), k.ones((2,), dtype=k.int32), k.zeros(2, dtype=k.bool), k.zeros(size=(2,)),
        k.full((2,), True), k.full((2,), 1), k.full((2,), k.tensor(3.0)), k.full((), 2.5),
        k.full((1,), 2.9, dtype=k.int64),
        k.full(size=(1,), fill_value=-1, dtype=k.uint8), k.full_like(grid(k).int(), 1.9), k.zeros(k.tensor(2)),
        k.zeros_like(grid(k), dtype=k.int64), k.ones_like(grid(k).bool()), k.full_like(grid(k), 2, dtype=k.int8),
    ],
    "new": lambda k: [
        grid(k).new_zeros(2, 3), grid(k).int().new_ones((2,)), grid(k).new_full((2,), 3), grid(k).new_tensor([1, 2]),
        grid(k).new_tensor([1.5], dtype=k.int64), grid(k).int().new_tensor(1.5), grid(k).new_tensor(k.ones(2).double()),
        list(grid(k).new_empty(2, 0).shape), grid(k).int().new_full((1,), 2.5), grid(k).new_zeros(size=(1,)),
        grid(k).new_zeros(2, requires_grad=True).requires_grad,
    ],
    "arange": lambda k: [
        k.arange(5), k.arange(1, 2.5, 0.5), k.arange(0, 1, 0.1, dtype=k.float64), k.arange(3.0), k.arange(2, 2),
        k.arange(True), k.arange(end=3), k.arange(start=1, end=3), k.arange(k.tensor(3)), k.arange(k.tensor(3.0)),
        k.arange(0, 3, dtype=k.float16), k.arange(0.5, 3.2, 1, dtype=k.int64), k.arange(1, 6, 2, dtype=k.uint8),
        k.arange(np.int64(3)), k.arange(0, 0.35, 0.05), k.arange(5, 0, -2), k.arange(5.0, 0, -0.7), k.arange(-3, 3, 4),
        k.arange(2**40, 2**40 + 2), k.arange(1, 7.5, 2.5),
    ],
    "linspace and logspace": lambda k: [
        k.linspace(0, 1, 5), k.linspace(0, 1, 1), k.linspace(0, 1, 0), k.linspace(0, 10, 5, dtype=k.int64),
        k.linspace(0, 5, 4, dtype=k.int64), k.linspace(k.tensor(0.0), k.tensor(1.0), 3), k.linspace(3, 10, 7),
        k.linspace(start=1, end=0, steps=3, dtype=k.float64), k.linspace(-10, 10, 5, dtype=k.int8),
        k.logspace(0, 2, 3), k.logspace(0, 1, 3, base=2), k.logspace(0, 3, 4, dtype=k.int64), k.logspace(0, 1, 1),
        k.linspace(0, 1, 100, dtype=k.float64), k.linspace(0, 1, 7, dtype=k.float16),
    ],
    "matrices": lambda k: [
        k.eye(2, 3), k.eye(2, dtype=k.int64), k.eye(0), k.eye(2, dtype=k.bool), k.tril_indices(3, 3),
        k.triu_indices(2, 3, 1), k.tril_indices(3, 2, -1), k.triu_indices(3, 3, dtype=k.int32), k.tril_indices(0, 3),
        k.tril_indices(2, 2, -5), k.triu_indices(3, 2, -1),
    ],
    "tensors from data": lambda k: [
        k.tensor([k.tensor(1.0), k.tensor(2)]), k.tensor([np.array([1, 2]), np.array([3, 4])]), k.tensor([True, 2]),
        k.tensor(np.float64(1)), k.tensor(k.ones(2), dtype=k.int64), k.tensor([k.tensor(1), 2.5]), k.tensor(range(3)),
        k.tensor([k.tensor(1.0, dtype=k.float64), 2.5]), k.tensor(-1, dtype=k.uint8), k.tensor(1.7, dtype=k.int64),
        k.tensor(1e300), k.tensor(k.ones(2, requires_grad=True)).requires_grad, k.tensor(1e300, dtype=k.float16),
        k.tensor(np.array([300]), dtype=k.int8), k.tensor([0.0, 2.0], dtype=k.bool), k.scalar_tensor(2),
        k.tensor([k.tensor([1.0]), k.tensor([[2]])]),
        k.as_tensor([1, 2], dtype=k.float64), k.as_tensor(grid(k)), k.tensor([[]]),
    ],
    "tensors asked about": lambda k: [
        k.is_tensor(k.ones(1)), k.is_tensor(1), k.numel(grid(k)), k.is_floating_point(grid(k)),
        k.is_floating_point(k.tensor(1)), list(grid(k).size()), grid(k).size(-1), grid(k).numel(), grid(k).dim(),
    ],
    "what is drawn has a shape and dtype": lambda k: [
        x * 0
        for x in (
            k.rand(2, 3), k.rand(()), k.rand(size=(2,), dtype=k.float64), k.randn((2, 3)), k.randint(3, (2,)),
            k.randint(1, 3, (2,)), k.randint(low=0, high=2, size=(2,), dtype=k.float32), k.randint(high=3, size=(1,)),
            k.randperm(4), k.randperm(0), k.randperm(3, dtype=k.int32), k.rand_like(grid(k)),
            k.randn_like(grid(k).half()),
            k.rand_like(grid(k).long(), dtype=k.float64), k.randint_like(grid(k), 3), k.normal(0.0, 1.0, (2,)),
            k.randint_like(grid(k), 1, 3, dtype=k.int64), k.normal(k.zeros(2), k.ones(2)),
            k.normal(k.zeros(2, 1), k.ones(3)),
            k.normal(k.zeros(2).double(), k.ones(2)), k.normal(2.0, k.ones(2).double()),
            k.normal(mean=0.0, std=1.0, size=(2,)),
            k.bernoulli(k.ones(2).double()), k.multinomial(k.ones(2, 3), 2), k.multinomial(k.ones(3), 5, True),
            k.multinomial(k.zeros(0, 2), 1), k.zeros(2).normal_(), k.zeros(2).half().uniform_(),
            k.zeros(2).exponential_(),
        )
    ],
    "what is certain is drawn": lambda k: [
        k.bernoulli(k.tensor([0.0, 1.0])), k.bernoulli(grid(k), 1.0), k.zeros(2).bernoulli_(1.0),
        k.zeros(2, dtype=k.int32).bernoulli_(1), k.zeros(2).bernoulli_(k.tensor([0.0, 1.0])),
        k.multinomial(k.tensor([[0.0, 1.0], [1.0, 0.0]]), 1), k.multinomial(k.tensor([0.0, 1.0]), 3, True),
        k.multinomial(k.tensor([0.0, 1.0]), 2), k.zeros(2).normal_(5, 0), k.randint(3, 4, (2,)),
        k.zeros(2).uniform_(1, 1),
    ],
    "seeds": lambda k: [
        k.manual_seed(5).initial_seed(), k.initial_seed(), k.manual_seed(-1).initial_seed(),
        k.Generator().initial_seed(),
        k.Generator().manual_seed(3).initial_seed(), str(k.Generator(device="cpu").device),
        k.get_rng_state().dtype == k.uint8,
        k.initial_seed() == k.seed(), k.random.initial_seed() == k.initial_seed(),
    ],
}  # fmt: skip

ERRORS = {
    "ambiguous size": (
        lambda k: k.zeros(0).reshape(-1, 0),
        "because the unspecified dimension size -1 can be any value and is ambiguous",
    ),
    "two sizes open": (lambda k: grid(k).view(-1, -1), "only one dimension can be inferred"),
    "unflatten": (
        lambda k: grid(k).unflatten(0, (2, 2)),
        "unflatten: Provided sizes (2, 2) don't multiply up to the size of dim 0 (3) in the input tensor",
    ),
    "unflatten into nothing": (lambda k: grid(k).unflatten(0, ()), "unflatten: sizes must be non-empty"),
    "squeeze twice": (lambda k: k.zeros(1, 1).squeeze((0, -2)), "dim 0 appears multiple times in the list of dims"),
    "movedim of two to one": (
        lambda k: grid(k).movedim((0, 1), (0,)),
        "movedim: Invalid source or destination dims: source (",
    ),
    "movedim twice": (lambda k: grid(k).movedim((0, 0), (0, 1)), "movedim: repeated dim in `source` ("),
    "broadcast_tensors": (
        lambda k: k.broadcast_tensors(grid(k), k.zeros(3)),
        "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 1",
    ),
    "mT of a vector": (
        lambda k: k.zeros(3).mT,
        "tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.",
    ),
    "H of a batch": (
        lambda k: k.zeros(1, 2, 3).H,
        "tensor.H is only supported on matrices (2-D tensors). Got 3-D tensor. For batches",
    ),
    "split by a negative size": (
        lambda k: grid(k).split(-1),
        "split expects split_size be non-negative, but got split_size=-1",
    ),
    "split by 0": (
        lambda k: grid(k).split(0),
        "split_size can only be 0 if dimension size is 0, but got dimension size of 3",
    ),
    "split sizes": (
        lambda k: grid(k).split([1, 1]),
        "split_with_sizes expects split_sizes to sum exactly to 3 (input tensor's size at dimension 0), but got "
        "split_sizes=(1, 1)",
    ),
    "negative split sizes": (
        lambda k: grid(k).split([4, -1]),
        "split_with_sizes expects split_sizes have only non-negative entries, but got",
    ),
    "split of 0-d": (lambda k: k.tensor(1.0).split(1), "split expects at least a 1-dimensional tensor"),
    "no chunk": (lambda k: grid(k).chunk(0), "chunk expects `chunks` to be greater than 0, got: 0"),
    "chunk of 0-d": (lambda k: k.tensor(1.0).chunk(1), "chunk expects at least a 1-dimensional tensor"),
    "tensor_split by 0": (lambda k: grid(k).tensor_split(0), "number of sections must be larger than 0, got 0"),
    "tensor_split of 0-d": (
        lambda k: k.tensor(1.0).tensor_split(1),
        "tensor_split expected at least a 1-dimensional tensor, but got a",
    ),
    "tensor_split at fractions": (
        lambda k: grid(k).tensor_split(k.tensor([1.0])),
        "tensor_split expected tensor_indices_or_sections to have dtype of long, but got float32",
    ),
    "hsplit": (
        lambda k: grid(k).hsplit(3),
        "torch.hsplit attempted to split along dimension 1, but the size of the dimension 4 is not divisible by the "
        "split_size 3!",
    ),
    "vsplit of a vector": (
        lambda k: k.zeros(2).vsplit(1),
        "torch.vsplit requires a tensor with at least 2 dimension, but got a",
    ),
    "unbind of 0-d": (lambda k: k.tensor(1.0).unbind(), "Dimension specified as 0 but tensor has no dimensions"),
    "unbind": (lambda k: grid(k).unbind(5), "Dimension out of range (expected to be in range of [-2, 1], but got 5)"),
    "narrow too far": (lambda k: grid(k).narrow(0, 2, 3), "start (2) + length (3) exceeds dimension size (3)."),
    "narrow backwards": (lambda k: grid(k).narrow(0, 0, -1), "narrow(): length must be non-negative."),
    "narrow outside": (
        lambda k: grid(k).narrow(0, 5, 0),
        "start out of range (expected to be in range of [-3, 3], but got 5)",
    ),
    "narrow of 0-d": (lambda k: k.tensor(1.0).narrow(0, 0, 0), "narrow() cannot be applied to a 0-dim tensor."),
    "narrow from a vector": (lambda k: grid(k).narrow(0, k.tensor([1]), 1), "start must be an 0-dim integral Tensor."),
    "select": (
        lambda k: grid(k).select(0, 5),
        "select(): index 5 out of range for tensor of size (3, 4) at dimension 0",
    ),
    "select of 0-d": (lambda k: k.tensor(1.0).select(0, 0), "select() cannot be applied to a 0-dim tensor."),
    "windows too long": (
        lambda k: grid(k).unfold(0, 5, 1),
        "maximum size for tensor at dimension 0 is 3 but size is 5",
    ),
    "windows without a step": (lambda k: grid(k).unfold(0, 2, 0), "step is 0 but must be > 0"),
    "windows of negative size": (lambda k: grid(k).unfold(0, -1, 1), "size is -1 but must be >= 0"),
    "strides outside": (
        lambda k: k.arange(6.0).as_strided((2, 2), (3, 4)),
        "setStorage: sizes (2, 2), strides (3, 4), storage offset 0, and itemsize 4 requiring a storage size of 32 are "
        "out of bounds for storage of size 24",
    ),
    "strides backwards": (
        lambda k: k.arange(6.0).as_strided((2,), (-1,)),
        "as_strided: Negative strides are not supported at the moment",
    ),
    "more strides than sizes": (
        lambda k: k.arange(6.0).as_strided((2,), (1, 1)),
        "mismatch in length of strides and shape",
    ),
    "strides before the storage": (lambda k: k.arange(6.0)[2:].as_strided((2,), (1,), -1), "invalid storage offset -1"),
    "cat of other axes": (
        lambda k: k.cat([k.zeros(2, 2), k.zeros(0, 2, 2)]),
        "",
    ),
    "cat of 0-d among others": (
        lambda k: k.cat([k.zeros(1), k.tensor(1.0)]),
        "zero-dimensional tensor (at position 1) cannot be concatenated",
    ),
    "stack of nothing": (lambda k: k.stack([]), "stack expects a non-empty TensorList"),
    "hstack of nothing": (lambda k: k.hstack([]), "hstack expects a non-empty TensorList"),
    "meshgrid of a matrix": (
        lambda k: k.meshgrid(grid(k), indexing="ij"),
        "meshgrid: Expected 0D or 1D tensor in the tensor list but got",
    ),
    "meshgrid indexing": (
        lambda k: k.meshgrid(k.zeros(2), indexing="a"),
        'meshgrid: indexing must be one of "xy" or "ij", but received: a',
    ),
    "meshgrid of dtypes": (
        lambda k: k.meshgrid(k.zeros(2), k.tensor([1]), indexing="ij"),
        "meshgrid expects all tensors to have the same dtype",
    ),
    "cartesian_prod of a matrix": (lambda k: k.cartesian_prod(grid(k)), "Expect a 1D vector, but got shape (3, 4)"),
    "combinations": (lambda k: k.combinations(k.arange(2), -1), "Expect a non-negative number, but got -1"),
    "flip twice": (lambda k: grid(k).flip(0, 0), "dim 0 appears multiple times in the list of dims"),
    "fliplr": (lambda k: k.zeros(2).fliplr(), "Input must be >= 2-d."),
    "flipud": (lambda k: k.tensor(1.0).flipud(), "Input must be >= 1-d."),
    "roll of two by one": (lambda k: grid(k).roll(1, (0, 1)), "shifts and dimensions must align. shifts: 1, dims:2"),
    "roll by nothing": (lambda k: grid(k).roll(()), "`shifts` required"),
    "roll of 0-d": (lambda k: k.tensor(1.0).roll(1, 0), "Dimension specified as 0 but tensor has no dimensions"),
    "repeat of too few": (
        lambda k: grid(k).repeat(2),
        "Number of dimensions of repeat dims can not be smaller than number of dimensions of",
    ),
    "repeat negative": (lambda k: grid(k).repeat(-1, 2), "negative"),
    "repeat_interleave negative": (lambda k: grid(k).repeat_interleave(-1, 0), "epeats must be non-negative"),
    "repeat_interleave of another size": (
        lambda k: grid(k).repeat_interleave(k.tensor([1, 2]), 0),
        "repeats must have the same size as input along dim, but got repeats.size(0) = 2 and input.size(0) = 3",
    ),
    "repeat_interleave by a matrix": (
        lambda k: grid(k).repeat_interleave(k.tensor([[1]]), 0),
        "repeats must be 0-dim or 1-dim tensor",
    ),
    "repeat_interleave into another size": (
        lambda k: grid(k).repeat_interleave(2, 0, output_size=5),
        "repeat_interleave: Invalid output_size, expected 6 but got 5",
    ),
    "rot90 in one axis": (
        lambda k: k.rot90(grid(k), 1, (0, 0)),
        "expected rotation dims to be different, but got ",
    ),
    "rot90 of a vector": (lambda k: k.rot90(k.zeros(2)), "expected total dims >= 2, but got total dims = 1"),
    "diagonal of one axis": (lambda k: grid(k).diagonal(0, 0, 0), "diagonal dimensions cannot be identical 0, 0"),
    "diag of three axes": (lambda k: k.zeros(1, 2, 3).diag(), "diag(): Supports 1D or 2D tensors. Got 3D"),
    "tril of a vector": (lambda k: k.zeros(2).tril(), "tril: input tensor must have at least 2 dimensions"),
    "trace of a vector": (lambda k: k.zeros(2).trace(), "trace: expected a matrix, but got tensor with dim 1"),
    "in-place shape of a leaf": (lambda k: leaf(k, SQUARE).t_(), "a leaf "),
    "zeros of no size": (lambda k: k.zeros(), 'zeros() missing 1 required positional arguments: "size"'),
    "a number too large": (lambda k: k.full((2,), 300, dtype=k.int8), "value cannot be converted to type int8"),
    "data too large": (
        lambda k: k.tensor([300], dtype=k.int8),
        "value cannot be converted to type int8 without overflow",
    ),
    "a list of vectors": (
        lambda k: k.tensor([k.zeros(2), k.zeros(2)]),
        "only one element tensors can be converted to Python scalars",
    ),
    "nan as an integer": (
        lambda k: k.tensor(math.nan, dtype=k.int64),
        "value cannot be converted to type int64 without overflow",
    ),
    "arange away": (lambda k: k.arange(1, 0), "upper bound and lower bound inconsistent with step sign"),
    "arange without a step": (lambda k: k.arange(0, 5, 0), "step must be nonzero"),
    "arange to infinity": (lambda k: k.arange(0, math.inf), "unsupported range: 0 -> inf"),
    "linspace": (lambda k: k.linspace(0, 1, -1), "number of steps must be non-negative"),
    "eye": (lambda k: k.eye(2, -1), "m must be greater or equal to 0, got -1"),
    "tril_indices": (lambda k: k.tril_indices(-1, 2), "row must be non-negative, got"),
    "default dtype": (
        lambda k: k.set_default_dtype(k.int64),
        "only floating-point types are supported as the default type",
    ),
    "finfo of integers": (lambda k: k.finfo(k.int64), "finfo() requires a floating point input type. Use "),
    "iinfo of floats": (lambda k: k.iinfo(k.float32), "iinfo() requires an integer input type"),
    "a bernoulli number": (lambda k: k.bernoulli(k.zeros(2), 1.5), "but got p=1.5"),
    "bernoulli of a probability above 1": (lambda k: k.bernoulli(k.tensor([2.0])), ""),
    "bernoulli of nan": (lambda k: k.bernoulli(k.tensor([math.nan])), ""),
    "bernoulli of integers": (lambda k: k.bernoulli(k.tensor([1])), "bernoulli"),
    "normal": (lambda k: k.normal(k.zeros(2), -k.ones(2)), "normal expects all elements of std >= 0.0"),
    "normal_": (lambda k: k.zeros(2).normal_(0, -1), "normal expects std >= 0.0, but found std -1"),
    "uniform_": (
        lambda k: k.zeros(2).uniform_(2, 1),
        "uniform_ expects to return a [from, to) range, but found from=2 > to=1",
    ),
    "exponential_": (lambda k: k.zeros(2).exponential_(0), "exponential_ expects lambda > 0.0, but found lambda=0"),
    "normal_ of a leaf": (lambda k: leaf(k, SQUARE).normal_(), "a leaf "),
    "normal_ of an expanded tensor": (
        lambda k: k.zeros(1).expand(2).normal_(),
        "more than one element of the written-to tensor refers to a single",
    ),
    "rand of integers": (lambda k: k.rand(2, dtype=k.int64), ""),
    "randint of nothing": (
        lambda k: k.randint(3, 3, (2,)),
        "random_ expects 'from' to be less than 'to', but got from=3 >= to=3",
    ),
    "randint too large": (lambda k: k.randint(0, 300, (2,), dtype=k.uint8), "to - 1 is out of bounds for "),
    "randperm": (lambda k: k.randperm(-1), "negative"),
    "multinomial of too few": (
        lambda k: k.multinomial(k.ones(2), 3),
        "cannot sample n_sample > prob_dist.size(-1) samples without replacement",
    ),
    "multinomial of none": (lambda k: k.multinomial(k.ones(2), 0), "cannot sample n_sample <= 0 samples"),
    "multinomial of negative weights": (
        lambda k: k.multinomial(k.tensor([-1.0, 2.0]), 1),
        "probability tensor contains either `inf`, `nan` or element",
    ),
    "multinomial of no weight": (
        lambda k: k.multinomial(k.zeros(2), 1),
        "invalid multinomial distribution (sum of probabilities <= 0)",
    ),
    "multinomial of three axes": (lambda k: k.multinomial(k.ones(2, 2, 2), 1), "prob_dist must be 1 or 2 dim"),
    "multinomial of integers": (
        lambda k: k.multinomial(k.tensor([1, 1]), 1),
        "multinomial only supports floating-point dtypes for input, got: ",
    ),
    "a state of another size": (
        lambda k: k.set_rng_state(k.zeros(3, dtype=k.uint8)),
        "but found the input RNG state size to be 3",
    ),
    "a state of floats": (lambda k: k.set_rng_state(k.zeros(3)), "RNG state must be a "),
    "a seed of 65 bits": (lambda k: k.manual_seed(2**64), ""),
}


@pytest.mark.parametrize(
    "name",
    promised(
        GRADIENTS,
        {
            "157": ("repeat 0 times", "cat"),
            "158": ("split", "uneven chunks", "unbind"),
            "159": ("stack",),
            "161": ("flip", "roll", "diagonal", "tril", "squeeze"),
            "162": ("overlapping windows",),
        },
    ),
)
def test_values_and_gradients(name: str) -> None:
    compare(plain(GRADIENTS[name](kael)), plain(GRADIENTS[name](torch)))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", VALUES)
def test_values_views_and_dtypes(name: str) -> None:
    compare(plain(VALUES[name](kael)), plain(VALUES[name](torch)))


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    program, text = ERRORS[name]
    theirs, ours = outcome(program, torch), outcome(program, kael)
    assert text in ours[1]
    assert text in in_our_words(theirs[1])
    assert ours[0] is theirs[0]


def test_meshgrid_warns_where_the_indexing_is_left_out() -> None:
    for k in (kael, torch):
        with pytest.warns(UserWarning, match="it will be required to pass the indexing argument"):
            k.meshgrid(k.zeros(2), k.zeros(3))


def test_the_default_dtype_can_be_set() -> None:
    for k in (kael, torch):
        try:
            k.set_default_dtype(k.float64)
            assert k.get_default_dtype() is k.float64
            for x in (k.tensor(1.0), k.zeros(2), k.arange(1.0), k.rand(2), k.full((2,), 1.5), k.tensor([1]) / 2):
                assert x.dtype is k.float64
        finally:
            k.set_default_dtype(k.float32)
        assert k.zeros(1).dtype is k.float32
