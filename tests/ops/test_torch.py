"""kael beside PyTorch: the same program in both libraries, with equal values, dtypes, gradients and errors."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import kael

torch = pytest.importorskip("torch")

NAN, INF = math.nan, math.inf


def differentiated(f: Any, *data: Any, weights: Any = None, dtype: str = "float64") -> Any:
    """A program: apply `f` to leaves, add up what it gives (weighted), and show the value and all gradients."""

    def program(k: Any) -> Any:
        leaves = [k.tensor(values, dtype=getattr(k, dtype), requires_grad=True) for values in data]
        result = f(k, *leaves)
        weighted = result if weights is None else result * k.tensor(weights, dtype=getattr(k, dtype))
        weighted.sum().backward()
        return [result.detach(), *[leaf.grad for leaf in leaves]]

    return program


def of(f: Any, *data: Any, **options: Any) -> Any:
    """As `differentiated`, for a function that needs no library."""
    return differentiated(lambda k, *leaves: f(*leaves), *data, **options)


GRADIENTS = {
    # repeated use and shapes
    "x + x": of(lambda x: x + x, [3.0]),
    "x - x": of(lambda x: x - x, [3.0]),
    "x * x * x": of(lambda x: x * x * x, [3.0]),
    "seven uses": of(lambda x: x + x + x + x + x + x + x, [3.0]),
    "x @ x": of(lambda x: x @ x, [[1.0, 2.0], [3.0, 4.0]]),
    "x @ x.T": of(lambda x: x @ x.T, [[1.0, 2.0], [3.0, 4.0]]),
    "x * x.detach()": of(lambda x: x * x.detach(), [3.0]),
    # broadcasting
    "(2,3) + (3,)": of(lambda x, y: x + y, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [10.0, 20.0, 30.0]),
    "(3,1) * (1,4)": of(lambda x, y: x * y, [[1.0], [2.0], [3.0]], [[1.0, 2.0, 3.0, 4.0]]),
    "0-d * (2,3)": of(lambda x, y: x * y, 2.0, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
    "(1,) + (2,3)": of(lambda x, y: x + y, [2.0], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
    "0-d * (1,1)": of(lambda x, y: x * y, 2.0, [[3.0]]),
    "(4,0) + (4,1)": of(lambda x, y: x + y, [[], [], [], []], [[1.0], [2.0], [3.0], [4.0]]),
    "where broadcasts": differentiated(
        lambda k, a, b: k.where(k.tensor([[True], [False]]), a, b), [1.0, 2.0, 3.0], 5.0
    ),
    # kinks
    "abs": of(lambda x: x.abs(), [-2.0, 0.0, -0.0, 3.0, NAN]),
    "sign": of(lambda x: x.sign(), [-2.0, 0.0, -0.0, 3.0]),
    "relu": of(lambda x: x.relu(), [-2.0, 0.0, -0.0, 3.0, NAN, INF]),
    "sqrt": of(lambda x: x.sqrt(), [0.0, 4.0, -1.0, INF]),
    "log": of(lambda x: x.log(), [0.0, 1.0, -1.0, INF]),
    "exp": of(lambda x: x.exp(), [-1000.0, 0.0, 1000.0, INF, -INF, NAN]),
    "sigmoid": of(lambda x: x.sigmoid(), [-1000.0, 0.0, 1000.0, INF, -INF, NAN]),
    "tanh": of(lambda x: x.tanh(), [-1000.0, 0.0, 1000.0, INF, -INF, NAN]),
    "floor, ceil, round": of(lambda x: x.floor() + x.ceil() + x.round(), [-1.5, 0.5, 1.5, 2.0]),
    "maximum": differentiated(
        lambda k, x, y: k.maximum(x, y), [1.0, 3.0, 2.0, NAN, 1.0, NAN], [1.0, 2.0, 3.0, 1.0, NAN, NAN]
    ),
    "minimum": differentiated(
        lambda k, x, y: k.minimum(x, y), [1.0, 3.0, 2.0, NAN, 1.0, NAN], [1.0, 2.0, 3.0, 1.0, NAN, NAN]
    ),
    "max of all shares ties": of(lambda x: x.max(), [1.0, 3.0, 3.0]),
    "min of all shares ties": of(lambda x: x.min(), [[1.0, 3.0], [1.0, 1.0]]),
    "amax shares ties": of(lambda x: x.amax(1), [[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]]),
    "amin over two axes": of(lambda x: x.amin((0, 1)), [[1.0, 3.0], [1.0, 2.0]]),
    "max along an axis takes the first": of(lambda x: x.max(0).values, [1.0, 3.0, 3.0]),
    "min along an axis takes the first": of(lambda x: x.min(-1)[0], [[1.0, 1.0], [3.0, 2.0]]),
    "max with nan": of(lambda x: x.max(), [1.0, NAN, 3.0]),
    "max along an axis with nan": of(lambda x: x.max(1).values, [[1.0, NAN, 3.0], [NAN, 2.0, NAN]]),
    "max of 0-d along an axis": of(lambda x: x.max(0).values, 3.0),
    # powers
    "x ** 0": of(lambda x: x**0, [0.0, 2.0, -3.0]),
    "x ** 1": of(lambda x: x**1, [0.0, 2.0]),
    "x ** 2": of(lambda x: x**2, [0.0, 2.0, -3.0]),
    "x ** 0.5": of(lambda x: x**0.5, [0.0, 4.0]),
    "x ** -1": of(lambda x: x**-1, [0.0, 4.0]),
    "2 ** x": of(lambda x: 2**x, [3.0, -1.0, 0.0]),
    "0 ** y": of(lambda x, y: x**y, [0.0, 0.0, 0.0], [0.0, 1.0, 2.0]),
    "0 ** -1": of(lambda x, y: x**y, [0.0], [-1.0]),
    "negative base": of(lambda x, y: x**y, [-4.0, -2.0, -4.0], [2.0, 3.0, 0.5]),
    "powers of two tensors": of(lambda x, y: x**y, [2.0, 3.0, 0.5], [1.5, -2.0, 0.0]),
    # division
    "a / 0": of(lambda a, b: a / b, [0.0, 1.0], [0.0, 0.0]),
    "a / b": of(lambda a, b: a / b, [1.0, -3.0], [2.0, 0.5]),
    "1 / x": of(lambda x: 1 / x, [0.0, 4.0]),
    # where and nan
    "where(x > 0, sqrt(x), 0)": differentiated(lambda k, x: k.where(x > 0, x.sqrt(), 0.0), [0.0, -1.0, 4.0]),
    "the double where": differentiated(
        lambda k, x: k.where(x > 0, k.where(x > 0, x, 1.0).sqrt(), 0.0), [0.0, -1.0, 4.0]
    ),
    "where with nan in the constant branch": differentiated(
        lambda k, x: k.where(x > 0, x, k.tensor(NAN, dtype=k.float64)), [1.0, 4.0]
    ),
    # indexing
    "x[[0, 0, 1]]": of(lambda x: x[[0, 0, 1]], [1.0, 2.0, 3.0]),
    "x[[-1, 2]]": of(lambda x: x[[-1, 2]], [1.0, 2.0, 3.0]),
    "pairs": of(lambda x: x[[0, 1, 0], [1, 0, 1]], [[1.0, 2.0], [3.0, 4.0]]),
    "rows, steps, None, Ellipsis": of(
        lambda x: x[0].sum() + x[1:, ::2].sum() + x[None, ..., 1].sum(), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    ),
    "0-d tensor as index": differentiated(lambda k, x: x[k.tensor(1)], [[1.0, 2.0], [3.0, 4.0]]),
    "mask": differentiated(lambda k, x: x[k.tensor([True, False, True])], [1.0, 2.0, 3.0]),
    "mask by comparison": of(lambda x: x[x > 1.5], [1.0, 2.0, 3.0]),
    "mask of nothing": of(lambda x: x[x > 9], [1.0, 2.0, 3.0]),
    "a one-element strided slice": of(lambda x: x[0::2], [[1.0, 2.0], [3.0, 4.0]]),
    "integer beside a list": of(lambda x: x[0, :, [0, 1]], [[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]),
    "lists apart": of(lambda x: x[[0, 0], :, [0, 1]], [[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]),
    "True as index": of(lambda x: x[True], [1.0, 2.0]),
    # reductions
    "sum": of(lambda x: x.sum(), [[1.0, 2.0], [3.0, 4.0]]),
    "sum over axes": of(lambda x: x.sum((0, -1)), [[1.0, 2.0], [3.0, 4.0]]),
    "sum keeps an axis": of(lambda x: x.sum(-1, keepdim=True), [[1.0, 2.0], [3.0, 4.0]], weights=[[1.0], [10.0]]),
    "mean over an axis": of(lambda x: x.mean(0), [[1.0, 2.0], [3.0, 4.0]], weights=[1.0, 10.0]),
    "mean of an empty tensor": of(lambda x: x.mean(), []),
    "sum of an empty tensor": of(lambda x: x.sum(0), [[], []]),
    "sum of 0-d over an axis": of(lambda x: x.sum(0), 5.0),
    # matmul
    "matrix @ vector": of(lambda a, b: a @ b, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [1.0, -1.0]),
    "vector @ matrix": of(lambda a, b: a @ b, [1.0, -1.0, 2.0], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
    "vector @ vector": of(lambda a, b: a @ b, [1.0, -1.0, 2.0], [3.0, 4.0, 5.0]),
    "batches": differentiated(
        lambda k, a, b: a.reshape(4, 1, 2, 3) @ b.reshape(5, 3, 2),
        [float(n % 7) for n in range(24)],
        [float(n % 5) for n in range(30)],
    ),
    "batch @ vector": of(lambda a, b: a.reshape(4, 2, 3) @ b, [float(n % 7) for n in range(24)], [1.0, 2.0, 3.0]),
    "matrix @ batch": of(lambda a, b: a.reshape(2, 3) @ b.reshape(4, 3, 2), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0] * 24),
    "no inner size": differentiated(lambda k, a, b: a.reshape(2, 0) @ b.reshape(0, 3), [], []),
    # shapes
    "expand": of(lambda x: x.expand(2, 3), [[1.0], [2.0]], weights=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
    "expand with a new axis and -1": of(lambda x: x.expand(4, -1, 3), [[1.0], [2.0]]),
    "cat twice the same": differentiated(lambda k, x: k.cat([x, k.zeros(2, dtype=k.float64), x]), [1.0, 2.0]),
    "cat with an empty one": differentiated(lambda k, x, y: k.cat([x.reshape(0, 2), y.reshape(1, 2)]), [], [1.0, 2.0]),
    "stack a, b, a": differentiated(lambda k, a, b: k.stack([a, b, a]), [1.0, 2.0], [3.0, 4.0]),
    "stack on the last axis": differentiated(lambda k, a, b: k.stack([a, b], -1), [1.0, 2.0], [3.0, 4.0]),
    "transposed reshape": of(lambda x: x.t().reshape(4), [[1.0, 2.0], [3.0, 4.0]], weights=[1.0, 2.0, 3.0, 4.0]),
    "permute": of(lambda x: x.permute(1, 0), [[1.0, 2.0], [3.0, 4.0]], weights=[[1.0, 2.0], [3.0, 4.0]]),
    "squeeze and unsqueeze": of(lambda x: x.squeeze().unsqueeze(-1), [[[1.0], [2.0]]]),
    "flatten": of(lambda x: x.flatten(0, 1), [[[1.0], [2.0]]]),
    "clone": of(lambda x: x.clone(), [1.0, 2.0]),
    "through float32": of(lambda x: x.float() * 3.0, [0.1, 2.0]),
    "float beside int": differentiated(lambda k, x: x * k.tensor([2, 3]) + x / k.tensor(4), [1.0, 2.0]),
    "float32 beside float64": differentiated(
        lambda k, x: x * k.tensor([2.0, 3.0], dtype=k.float64), [1.0, 2.0], dtype="float32"
    ),
    "a leaf as a row of itself": of(lambda x: x * x[0], [[1.0, 2.0], [3.0, 4.0]]),
    "0-d throughout": of(lambda x: (x * x).sum().exp().reshape(1)[0] + x.mean() + x.max(), 0.5),
    "float16": of(lambda x: (x * x).exp() + x.sigmoid(), [0.5, 1.5], dtype="float16"),
}

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]
NUMBERS = {"True": True, "2": 2, "2.5": 2.5, "np.float64": np.float64(2.0), "np.int32": np.int32(2)}

VALUES = {
    "new dtypes": lambda k: [k.tensor(data) for data in (1, 1.0, True, [1, 2.5], [True, 2], [], [[], []])],
    "dtypes of NumPy numbers": lambda k: [
        k.tensor(data)
        for data in (np.float64(1), [np.float64(1), 2.0], [np.float32(1), 2.0], np.int16(3), [np.int8(1)])
    ],
    "dtypes of arrays": lambda k: [
        k.tensor(np.arange(3, dtype=dtype)) for dtype in ("f8", "f4", "f2", "i4", "u1", "i8")
    ],
    "whole sum dtypes": lambda k: [k.ones(2, dtype=getattr(k, dtype)).sum() for dtype in DTYPES],
    "mean dtypes": lambda k: [k.ones(2, dtype=getattr(k, dtype)).mean() for dtype in DTYPES[6:]],
    "exp of integers": lambda k: k.tensor([0, 1]).exp(),
    "relu, sign, floor, abs of integers": lambda k: [
        getattr(k.tensor([-2, 0, 3]), name)() for name in ("relu", "sign", "floor", "abs", "ceil", "round", "neg")
    ],
    "integers divide as float32": lambda k: k.tensor([1, 2], dtype=k.int32) / 2,
    "casts": lambda k: [
        k.tensor([-1.7, 0.0, 2.9]).to(getattr(k, dtype)) for dtype in ("int64", "int32", "bool", "float64")
    ],
    "small integers wrap": lambda k: [
        k.tensor([100, -100], dtype=k.int8) + k.tensor([100, -100], dtype=k.int8),
        k.tensor([1], dtype=k.uint8) - 3,
        k.tensor([1, 2], dtype=k.int8) + 300,
        k.tensor([2**31 - 1], dtype=k.int32) + 1,
    ],
    "argmax": lambda k: [k.tensor([1.0, 3.0, 3.0]).argmax(), k.tensor([[1.0, NAN], [3.0, 2.0]]).argmax(0)],
    "argmin": lambda k: [
        k.tensor([1.0, 3.0, 1.0]).argmin(),
        k.tensor([[1.0, NAN], [3.0, 2.0]]).argmin(1, keepdim=True),
        k.tensor([-(2**63), 2**63 - 1]).argmin(),
    ],
    "comparisons": lambda k: [k.tensor([1.0, NAN]) == k.tensor([1, 2]), k.tensor([1, 2]) < 1.5, 2 >= k.tensor([1, 3])],
    "where promotes": lambda k: k.where(k.tensor([True, False]), k.tensor([1, 2]), k.tensor([1.5, 2.0])),
    "where with numbers": lambda k: k.where(k.tensor([True, False]), k.tensor([1.0, 2.0]), 0.0),
    "integer powers": lambda k: [k.tensor([2, -3]) ** 3, k.tensor([2, 3]) ** k.tensor([2, 0])],
    "float base, integer exponent": lambda k: k.tensor([2.0, -3.0]) ** k.tensor([2, 3]),
    "round halves to even": lambda k: k.tensor([0.5, 1.5, 2.5, -0.5]).round(),
    "cat promotes": lambda k: k.cat([k.tensor([1, 2]), k.tensor([1.5])]),
    "item assignment": lambda k: assigned(k),
    "uneven rows of an index": lambda k: k.arange(12).reshape(3, 4)[[0, 2], 1:3],
    "arange": lambda k: [k.arange(3), k.arange(1, 4), k.arange(0, 1, 0.25), k.arange(5, 0, -2)],
    "filled": lambda k: [
        k.zeros(2, 3),
        k.ones((2,)),
        k.full((2,), 7),
        k.full((2,), 7.0),
        k.eye(2),
        k.linspace(0, 1, 5),
    ],
    "likes": lambda k: [k.zeros_like(k.tensor([1, 2])), k.ones_like(k.tensor([1.0])), k.full_like(k.tensor([1.0]), 3)],
    "strides": lambda k: [k.zeros(2, 3).stride(), k.zeros(2, 3).t().stride(), k.zeros(3)[::2].stride()],
    "bool results": lambda k: [
        k.tensor([True]) + 1,
        k.tensor([True]) + k.tensor([True]),
        k.tensor([True]) * k.tensor([False]),
    ],
    "numbers of a tensor": lambda k: [
        k.tensor(2.5).item(),
        int(k.tensor(2.5)),
        k.tensor([[1, 2]]).tolist(),
        len(k.zeros(3, 2)),
    ],
    "0-d wins no promotion": lambda k: [
        k.tensor([1.0]) * k.tensor(2.0, dtype=k.float64),
        k.tensor([1]) * k.tensor(2.0, dtype=k.float64),
        k.tensor(1.0) * k.tensor(2.0, dtype=k.float64),
        k.tensor([1], dtype=k.int8) + k.tensor(300),
    ],
}


def assigned(k: Any) -> Any:
    """Several item assignments to one tensor."""
    x = k.zeros(3, 4)
    x[0] = 1
    x[1, 1:3] = k.tensor([2.0, 3.0])
    x[:, -1] = k.tensor([7, 8, 9])
    x[[2, 2], [0, 1]] = 5
    x[x == 0] = -1
    x[0, [0, 1]] = k.tensor([10.0, 11.0])
    return x


ERRORS = {
    "requires_grad of a plain root": (lambda k: k.tensor(1.0).backward(), "element 0 of tensors does not require grad"),
    "non-scalar root": (
        lambda k: leaf(k, [1.0, 2.0]).backward(),
        "grad can be implicitly created only for scalar outputs",
    ),
    "empty root": (lambda k: leaf(k, []).backward(), "grad can be implicitly created only for scalar outputs"),
    "gradient of another shape": (
        lambda k: (leaf(k, [1.0, 2.0]) * 1).backward(k.tensor([1.0])),
        "Mismatch in shape: grad_output[0] has a shape of (1,) and output[0] has a shape of (2,).",
    ),
    "second backward": (lambda k: twice(k), "Trying to backward through the graph a second time ("),
    "saved tensor written": (
        lambda k: written(k),
        "one of the variables needed for gradient computation has been modified by an inplace operation",
    ),
    "numpy of a leaf": (
        lambda k: leaf(k, [1.0]).numpy(),
        "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
    ),
    "truth of two": (lambda k: bool(k.tensor([1, 2])), "Boolean value of Tensor with more than one value is ambiguous"),
    "truth of none": (lambda k: bool(k.tensor([])), "Boolean value of Tensor with no values is ambiguous"),
    "non-leaf off": (
        lambda k: (leaf(k, [1.0]) * 2).requires_grad_(False),
        "you can only change requires_grad flags of leaf",
    ),
    "retain_grad of a plain": (
        lambda k: k.tensor(1.0).retain_grad(),
        "can't retain_grad on Tensor that has requires_grad=False",
    ),
    "hook on a plain": (
        lambda k: k.tensor(1.0).register_hook(print),
        "cannot register a hook on a tensor that doesn't require gradient",
    ),
    "grad of another shape": (
        lambda k: setattr(leaf(k, [1.0, 2.0]), "grad", k.tensor([1.0])),
        "attempting to assign a gradient of size",
    ),
    "own grad": (lambda k: own_grad(k), "can't assign Variable as its own grad"),
    "detach_ of a view": (
        lambda k: (leaf(k, [1.0]) * 2)[0:1].detach_(),
        "Can't detach views in-place. Use detach() instead",
    ),
    "broadcast": (
        lambda k: k.zeros(2, 3) + k.zeros(2, 4),
        "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1",
    ),
    "inner sizes": (lambda k: k.zeros(2, 3) @ k.zeros(2, 3), "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
    "0-d matmul": (
        lambda k: k.tensor(1.0) @ k.zeros(2),
        "both arguments to matmul need to be at least 1D, but they are 0D and 1D",
    ),
    "dtypes of matmul": (
        lambda k: k.zeros(2, 2) @ k.zeros(2, 2, dtype=k.float64),
        "expected m1 and m2 to have the same dtype, but got: ",
    ),
    "vectors": (
        lambda k: k.zeros(2) @ k.zeros(3),
        "inconsistent tensor size, expected tensor (2,) and src (3,) to have",
    ),
    "axis": (lambda k: k.zeros(2, 2).sum(2), "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    "axis of 0-d": (
        lambda k: k.tensor(1.0).sum(1),
        "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
    ),
    "axis twice": (lambda k: k.zeros(2, 2).sum((0, 0)), "dim 0 appears multiple times in the list of dims"),
    "mean of integers": (
        lambda k: k.tensor([1, 2]).mean(),
        "mean(): could not infer output dtype. Input dtype must be",
    ),
    "max of nothing": (lambda k: k.zeros(0).max(), "max(): Expected reduction dim"),
    "min of nothing": (lambda k: k.zeros(0).min(), "min(): Expected reduction dim"),
    "amax of nothing": (lambda k: k.zeros(0, 2).amax(0), "amax(): Expected reduction dim 0 to have non-zero size"),
    "max along nothing": (lambda k: k.zeros(0, 2).max(0), "max(): Expected reduction dim 0 to have non-zero size"),
    "argmax of nothing": (lambda k: k.zeros(0).argmax(), "argmax(): Expected reduction dim"),
    "reshape": (lambda k: k.zeros(3).reshape(2, 2), "shape '(2, 2)' is invalid for input of size 3"),
    "view": (
        lambda k: k.zeros(2, 3).t().view(6),
        "view size is not compatible with input tensor's size and stride (at least",
    ),
    "expand": (
        lambda k: k.zeros(2, 3).expand(2, 4),
        "The expanded size of the tensor (4) must match the existing size (3) at non-singleton dimension 1.  "
        "Target sizes: (2, 4).  Tensor sizes: (2, 3)",
    ),
    "expand to fewer axes": (
        lambda k: k.zeros(2, 3).expand(3),
        "the number of sizes provided (1) must be greater or equal to the number of dimensions in the tensor (2)",
    ),
    "permute twice": (lambda k: k.zeros(2, 3).permute(0, 0), "permute(): duplicate dims are not allowed"),
    "transpose": (
        lambda k: k.zeros(2, 3).transpose(0, 5),
        "Dimension out of range (expected to be in range of [-2, 1]",
    ),
    "t of three axes": (lambda k: k.zeros(2, 3, 4).t(), "t() expects a tensor with <= 2 dimensions, but self is 3D"),
    "flatten backwards": (
        lambda k: k.zeros(2, 3).flatten(1, 0),
        "flatten() has invalid args: start_dim cannot come after end_dim",
    ),
    "cat of nothing": (lambda k: k.cat([]), "cat(): expected a non-empty list of Tensors"),
    "cat of 0-d": (lambda k: k.cat([k.tensor(1.0)]), "zero-dimensional tensor (at position 0) cannot be concatenated"),
    "cat sizes": (
        lambda k: k.cat([k.zeros(2, 2), k.zeros(3, 3)]),
        "Sizes of tensors must match except in dimension 0.",
    ),
    "stack sizes": (
        lambda k: k.stack([k.zeros(2), k.zeros(3)]),
        "stack expects each tensor to be equal size, but got (2,) at entry 0 and (3,) at entry 1",
    ),
    "index": (lambda k: k.zeros(1)[3], "index 3 is out of bounds for dimension 0 with size 1"),
    "index in a list": (lambda k: k.zeros(2, 3)[[0, 5]], "index 5 is out of bounds for dimension 0 with size 2"),
    "negative index": (lambda k: k.zeros(2, 3)[:, k.tensor([-4])], "index -4 is out of bounds for dimension "),
    "too many": (lambda k: k.zeros(2)[0, 0], "too many indices for tensor of dimension 1"),
    "index of 0-d": (lambda k: k.tensor(1.0)[0], "invalid index of a 0-dim tensor. Use `tensor.item()` in Python"),
    "float index": (lambda k: k.zeros(2)[1.5], "only integers, slices (`:`), ellipsis (`...`), None and "),
    "float tensor index": (lambda k: k.zeros(2)[k.tensor([1.5])], "tensors used as indices must be "),
    "mask of another shape": (
        lambda k: k.zeros(2)[k.tensor([True])],
        "The shape of the mask (1,) at index 0 does not match the shape of the indexed tensor (2,) at index 0",
    ),
    "step backwards": (lambda k: k.zeros(2)[::-1], "step must be greater than zero"),
    "negative integer power": (lambda k: k.tensor([2]) ** -1, "Integers to negative integer powers are not allowed."),
    "item of two": (lambda k: k.zeros(2).item(), "a Tensor with 2 elements cannot be converted to Scalar"),
    "len of 0-d": (lambda k: len(k.tensor(1.0)), "len() of a 0-d tensor"),
    "iteration over 0-d": (lambda k: list(k.tensor(1.0)), "iteration over a 0-d tensor"),
    "grown in place": (
        lambda k: k.zeros(1).add_(k.zeros(3)),
        "output with shape (1,) doesn't match the broadcast shape (3,)",
    ),
    "integer in place": (
        lambda k: k.tensor([1]).add_(1.5),
        "result type float32 can't be cast to the desired output type int64",
    ),
    "expanded in place": (
        lambda k: k.zeros(1).expand(3).add_(1),
        "unsupported operation: more than one element of the written-to tensor refers to a single memory location.",
    ),
    "bool minus bool": (
        lambda k: k.tensor([True]) - k.tensor([True]),
        "Subtraction, the `-` operator, with two bool tensors",
    ),
    "minus bool": (lambda k: -k.tensor([True]), "Negation, the `-` operator, on a bool tensor is not supported."),
    "unused": (
        lambda k: k.autograd.grad(leaf(k, [1.0]), leaf(k, [1.0])),
        "The differentiated Tensor at index 0 appears to not have been used in the graph. Set allow_unused=True",
    ),
    "grad of a plain": (
        lambda k: k.autograd.grad(leaf(k, [1.0]), k.tensor([1.0])),
        "One of the differentiated Tensors does not require grad",
    ),
    "numbers of gradients": (
        lambda k: k.autograd.backward([leaf(k, [1.0]), leaf(k, [1.0])], [k.tensor([1.0])]),
        "got 2 tensors and 1 gradients",
    ),
}


def leaf(k: Any, data: Any) -> Any:
    """A leaf of either library."""
    return k.tensor(data, dtype=k.float32, requires_grad=True)


def twice(k: Any) -> None:
    """Two backward passes over one graph."""
    x = leaf(k, [1.0])
    y = (x * x).sum()
    y.backward()
    y.backward()


def written(k: Any) -> None:
    """A write to a saved tensor before backward."""
    x = leaf(k, [1.0])
    y = x.exp()
    with k.no_grad():
        y.add_(1)
    y.sum().backward()


def own_grad(k: Any) -> None:
    """A tensor as its own gradient."""
    x = leaf(k, [1.0])
    x.grad = x


def plain(value: Any) -> Any:
    """Tensors of either library as dtype name and NumPy array; other values as they are."""
    if isinstance(value, (kael.Tensor, torch.Tensor)):
        return str(value.dtype).rpartition(".")[2], value.detach().numpy()
    return [plain(part) for part in value] if isinstance(value, (list, tuple)) else value


def compare(ours: Any, theirs: Any) -> None:
    """Equal structure, dtypes and shapes; equal values to a few ulps."""
    assert type(ours) is type(theirs)
    if isinstance(ours, list):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            compare(a, b)
    elif isinstance(ours, tuple):
        assert ours[0] == theirs[0]
        assert ours[1].shape == theirs[1].shape
        tolerance = {"float16": 2e-3, "float32": 1e-6}.get(ours[0], 1e-13)
        np.testing.assert_allclose(ours[1], theirs[1], rtol=tolerance, atol=tolerance)
    else:
        assert ours == theirs


NAMES = {"Long": "int64", "Float": "float32", "float": "float32", "Double": "float64", "double": "float64"}


def promised(table: dict[str, Any], words: dict[str, tuple[str, ...]]) -> list[Any]:
    """The rows of a table; each carries the numbers of the promises with whose words its name begins."""
    held = {name: [number for number in words if name.startswith(words[number])] for name in table}
    assert all(any(name.startswith(word) for name in table) for begun in words.values() for word in begun)
    return [pytest.param(name, marks=[pytest.mark.promise(number) for number in held[name]]) for name in table]


def in_our_words(text: str) -> str:
    """PyTorch's text with kael's names of dtypes and sizes."""

    def sizes(match: re.Match[str]) -> str:
        return str(tuple(int(size) for size in re.findall(r"\d+", match[1])))

    text = re.sub(r"expected to be in range of \[(-\d+), (\d+)\]", r"expected to be in range of <\1, \2>", text)
    text = re.sub(r"torch\.Size\((\[[\d, ]*\])\)", r"\1", text)
    text = re.sub(r"(?<!output)(?<!entry )\[(\d[\d, ]*)\](?! has a shape)", sizes, text)
    text = re.sub(r"expected to be in range of <(-\d+), (\d+)>", r"expected to be in range of [\1, \2]", text)
    return re.sub(r"\b(Long|Float|Double|double|float)\b(?! input)", lambda match: NAMES[match[0]], text)


def outcome(program: Any, k: Any) -> tuple[type[BaseException], str]:
    """The error that a program raises."""
    try:
        program(k)
    except Exception as error:
        return type(error), str(error)
    raise AssertionError(f"{k.__name__} raised nothing")


@pytest.mark.parametrize("name", GRADIENTS)
def test_values_and_gradients(name):
    compare(plain(GRADIENTS[name](kael)), plain(GRADIENTS[name](torch)))


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_values_and_dtypes(name):
    compare(plain(VALUES[name](kael)), plain(VALUES[name](torch)))


@pytest.mark.parametrize("op", ["add", "mul", "div", "sub", "maximum", "lt"])
@pytest.mark.parametrize("left", DTYPES)
@pytest.mark.parametrize("right", DTYPES)
def test_promotion_of_two_tensors(op, left, right):
    def program(k):
        shapes = [((2,), (2,)), ((2,), ()), ((), (2,)), ((), ())]
        return [
            getattr(k, op)(k.ones(a, dtype=getattr(k, left)), k.ones(b, dtype=getattr(k, right))) for a, b in shapes
        ]

    if op == "sub" and "bool" in (left, right):
        pytest.skip("PyTorch refuses to subtract bool")
    compare(plain(program(kael)), plain(program(torch)))


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_promotion_with_numbers(dtype, number):
    def program(k):
        x, value = k.ones(2, dtype=getattr(k, dtype)), NUMBERS[number]
        return [x + value, x * value, x / value, value * x if not isinstance(value, np.generic) else x, x < value]

    compare(plain(program(kael)), plain(program(torch)))


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    program, text = ERRORS[name]
    theirs, ours = outcome(program, torch), outcome(program, kael)
    for said in (ours[1], in_our_words(theirs[1])):
        before, found, _ = said.partition(text)
        assert found and not before[-1:].isalnum(), said  # "max(): ..." is no part of "amax(): ..."
    assert ours[0] is theirs[0]


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_numpy_numbers_reach_our_operators(shape):
    x = kael.ones(shape, requires_grad=True)
    y = np.float64(2) * x + np.float32(1)
    assert isinstance(y, kael.Tensor)
    y.sum().backward()
    assert x.grad.tolist() == kael.full(shape, 2.0).tolist()
    for call in (lambda: np.ones(shape or 1) * x, lambda: x * np.ones(shape or 1)):
        with pytest.raises(TypeError):
            call()
