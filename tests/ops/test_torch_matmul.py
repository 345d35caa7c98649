"""Products of matrices beside PyTorch: gradients where there is something to add up, dtypes, and errors."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import kael

torch = pytest.importorskip("torch")

from tests.ops.test_torch import compare, differentiated, in_our_words, of, outcome, plain, promised  # noqa: E402

SQUARE = [[1.0, 2.0], [3.0, 4.0]]

GRADIENTS = {
    "matrix and vectors": differentiated(
        lambda k, a, x, y: (a @ x).sum() + y @ a @ x + x @ x,
        [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
        [1.0, -1.0],
        [2.0, 0.5, 1.0],
    ),
    "batches that broadcast": differentiated(
        lambda k, a, b: a.reshape(4, 1, 2, 3) @ b.reshape(5, 3, 2), [1.0] * 24, [1.0] * 30
    ),
    "a matrix and a batch": differentiated(lambda k, a, b: a.reshape(2, 3) @ b.reshape(4, 3, 2), [1.0] * 6, [1.0] * 24),
    "no inner size": differentiated(lambda k, a, b: a.reshape(2, 0) @ b.reshape(0, 3), [], []),
    "mm of a tensor with itself": differentiated(lambda k, x: k.mm(x, x), SQUARE),
    "mm of a tensor with its transpose": differentiated(lambda k, x: k.mm(x, x.t()), SQUARE),
    "bmm with itself": differentiated(lambda k, x: k.bmm(x, x), [SQUARE, SQUARE]),
    "dot with itself": differentiated(lambda k, x: k.dot(x, x), [1.0, 2.0]),
    "outer with itself": differentiated(lambda k, x: k.outer(x, x), [1.0, 2.0], weights=[[1.0, 2.0], [3.0, 4.0]]),
    "inner of numbers": differentiated(lambda k, x, y: k.inner(x, y), [1.0, 2.0], 3.0),
    "addmm without its product": differentiated(lambda k, x, a: k.addmm(x, a, a, alpha=0), SQUARE, SQUARE),
    "addmm without its input": differentiated(
        lambda k, x, a: k.addmm(x, a, a, beta=0), [[math.nan, 2.0], [3.0, math.inf]], SQUARE
    ),
    "one tensor three times": differentiated(lambda k, x: k.addmm(x, x, x), SQUARE),
    "linear of one row": of(lambda x: x.reshape(2, 1) @ x.reshape(1, 2), [1.0, 2.0]),
    "float32": differentiated(lambda k, x, y: k.mm(x, y), SQUARE, SQUARE, dtype="float32"),
}

VALUES = {
    "integers": lambda k: [
        k.mm(k.tensor([[1, 2]]), k.tensor([[3], [4]])),
        k.dot(k.tensor([1, 2], dtype=k.int32), k.tensor([3, 4], dtype=k.int32)),
        k.mv(k.tensor([[100, 100]], dtype=k.int8), k.tensor([1, 1], dtype=k.int8)),
        k.addmm(k.tensor([[1]]), k.tensor([[1, 2]]), k.tensor([[3], [4]]), alpha=2, beta=3),
        k.addmm(k.tensor([[1]]), k.tensor([[1, 2]]), k.tensor([[3], [4]]), alpha=2.9, beta=0.5),
    ],
    "float16": lambda k: [
        k.mm(k.full((2, 30), 0.1, dtype=k.float16), k.full((30, 2), 0.1, dtype=k.float16)),
        k.nn.functional.linear(k.ones(2, 3, dtype=k.float16), k.ones(4, 3, dtype=k.float16)),
    ],
    "outer promotes": lambda k: [
        k.outer(k.tensor([1, 2]), k.tensor([0.5])),
        k.outer(k.ones(1), k.ones(1, dtype=k.float64)),
        k.outer(k.tensor([True, False]), k.tensor([True])),
        k.outer(k.tensor([True, False]), k.tensor([3])),
    ],
    "shapes of nothing": lambda k: [
        k.mm(k.zeros(2, 0), k.zeros(0, 3)),
        k.bmm(k.zeros(0, 2, 3), k.zeros(0, 3, 4)),
        k.dot(k.zeros(0), k.zeros(0)),
        k.zeros(0, 2, 3) @ k.zeros(3),
        k.tensordot(k.zeros(2, 0), k.zeros(0, 2), 2 - 1),
    ],
}

MATRIX, OTHER, VECTOR = (2, 3), (3, 4), (3,)


def refused(call: Any, text: str, *shapes: tuple[int, ...], dtypes: str = "") -> Any:
    """A program that calls with zeros of some shapes, and the text of its error."""
    kinds = dtypes.split() or ["float32"] * len(shapes)
    return (
        lambda k: call(k)(*[k.zeros(s, dtype=getattr(k, kind)) for s, kind in zip(shapes, kinds, strict=True)]),
        text,
    )


MIXED = "float32 float64"
ERRORS = {
    "mm of a vector": refused(lambda k: k.mm, "self must be a matrix", (2,), MATRIX),
    "mm by a vector": refused(lambda k: k.mm, "mat2 must be a matrix", MATRIX, VECTOR),
    "mm sizes": refused(lambda k: k.mm, "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)", MATRIX, MATRIX),
    "mm dtypes": refused(
        lambda k: k.mm, "expected m1 and m2 to have the same dtype, but got: float32 != float64", MATRIX, OTHER,
        dtypes=MIXED,
    ),
    "mm of bool": refused(lambda k: k.mm, " not implemented for ", (2, 2), (2, 2), dtypes="bool bool"),
    "bmm of a matrix": refused(lambda k: k.bmm, "batch1 must be a 3D tensor", MATRIX, (2, 3, 4)),
    "bmm by a matrix": refused(lambda k: k.bmm, "batch2 must be a 3D tensor", (2, 3, 4), MATRIX),
    "bmm sizes": refused(
        lambda k: k.bmm, "Expected size for first two dimensions of batch2 tensor to be: (2, 4) but got: (2, 3).",
        (2, 3, 4), (2, 3, 4),
    ),
    "bmm does not broadcast": refused(
        lambda k: k.bmm, "Expected size for first two dimensions of batch2 tensor to be: (1, 4) but got: (2, 4).",
        (1, 3, 4), (2, 4, 4),
    ),
    "bmm dtypes": refused(
        lambda k: k.bmm, "expected scalar type float32 but found float64", (1, 3, 4), (1, 4, 4), dtypes=MIXED
    ),
    "mv sizes": refused(lambda k: k.mv, "size mismatch, got input (2), mat (2x3), vec (2)", MATRIX, (2,)),
    "mv of a vector": refused(lambda k: k.mv, "vector + matrix @ vector expected, got 1, 1, 1", (2,), (2,)),
    "mv by a matrix": refused(lambda k: k.mv, "vector + matrix @ vector expected, got 1, 2, 2", MATRIX, (3, 1)),
    "mv dtypes": refused(
        lambda k: k.mv, "addmv input tensors must have the same dtype, but ", MATRIX, VECTOR, dtypes=MIXED
    ),
    "dot of a matrix": refused(lambda k: k.dot, "1D tensors expected, but got 2D and 1D tensors", MATRIX, VECTOR),
    "dot sizes": refused(
        lambda k: k.dot,
        "inconsistent tensor size, expected tensor (2,) and src (3,) to have the same number of elements, but got "
        "2 and 3 elements respectively", (2,), VECTOR,
    ),
    "dot dtypes": refused(
        lambda k: k.dot, "dot : expected both vectors to have same dtype, but found float32 and float64", (2,), (2,),
        dtypes=MIXED,
    ),
    "outer of a matrix": refused(lambda k: k.outer, "outer: Expected 1-D argument self, but got 2-D", MATRIX, VECTOR),
    "outer by a matrix": refused(lambda k: k.outer, "outer: Expected 1-D argument vec2, but got 2-D", VECTOR, MATRIX),
    "addmm size": refused(
        lambda k: k.addmm,
        "The expanded size of the tensor (4) must match the existing size (5) at non-singleton dimension 1.  "
        "Target sizes: (2, 4).  Tensor sizes: (5,)", (5,), MATRIX, OTHER,
    ),
    "addmm axes": refused(
        lambda k: k.addmm,
        "the number of sizes provided (2) must be greater or equal to the number of dimensions in the tensor (3)",
        (1, 2, 4), MATRIX, OTHER,
    ),
    "addmm of a vector": refused(lambda k: k.addmm, "mat1 must be a matrix, got 1-D tensor", (4,), VECTOR, OTHER),
    "addmm by a vector": refused(lambda k: k.addmm, "mat2 must be a matrix, got 1-D tensor", (4,), MATRIX, VECTOR),
    "addmm dtypes": refused(
        lambda k: k.addmm, "self and mat2 must have the same dtype, but got float64 and float32", (4,), MATRIX, OTHER,
        dtypes="float64 float32 float32",
    ),
    "addmv axes": refused(
        lambda k: k.addmv, "vector + matrix @ vector expected, got 2, 2, 1", (1, 2), MATRIX, VECTOR
    ),
    "addmv sizes": refused(lambda k: k.addmv, "size mismatch, got input (2), mat (2x3), vec (2)", (2,), MATRIX, (2,)),
    "baddbmm size": refused(
        lambda k: k.baddbmm,
        "The expanded size of the tensor (6) must match the existing size (5) at non-singleton dimension 2.",
        (5,), (2, 3, 4), (2, 4, 6),
    ),
    "inner": refused(
        lambda k: k.inner,
        "inner() the last dimension must match on both input tensors but got shapes (2, 3) and (4,)", MATRIX, (4,),
    ),
    "tensordot too many": (
        lambda k: k.tensordot(k.zeros(2, 3), k.zeros(3, 2), 3), "tensordot expects dims < ndim_a or ndim_b, but got "
    ),
    "tensordot below none": (
        lambda k: k.tensordot(k.zeros(2, 3), k.zeros(3, 2), -1), "tensordot expects dims >= 0, but got dims=-1"
    ),
    "tensordot lists": (
        lambda k: k.tensordot(k.zeros(2, 3), k.zeros(3, 2), ([0], [0, 1])),
        "both dimension lists should have same length",
    ),
    "tensordot dtypes": refused(
        lambda k: k.tensordot, "both inputs should have same dtype", (2, 2), (2, 2), dtypes=MIXED
    ),
    "matrix @ vector": refused(
        lambda k: k.matmul, "size mismatch, got input (2), mat (2x3), vec (4)", MATRIX, (4,)
    ),
    "vector @ matrix": refused(
        lambda k: k.matmul, "mat1 and mat2 shapes cannot be multiplied (1x4 and 2x3)", (4,), MATRIX
    ),
    "batches that differ": refused(
        lambda k: k.matmul, "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
        (2, 3, 4), (3, 4, 5),
    ),
    "linear sizes": refused(
        lambda k: k.nn.functional.linear, "mat1 and mat2 shapes cannot be multiplied (10x3 and 5x4)", (5, 2, 3), (4, 5)
    ),
    "linear of 0-d": refused(
        lambda k: k.nn.functional.linear, "both arguments to linear need to be at least 1D, but they are 0D and 2D",
        (), (4, 3),
    ),
    "linear of a batch of weights": refused(
        lambda k: k.nn.functional.linear, "t() expects a tensor with <= 2 dimensions, but self is 3D", (2, 3), (2, 4, 3)
    ),
    "linear bias": refused(
        lambda k: k.nn.functional.linear,
        "The expanded size of the tensor (4) must match the existing size (5) at non-singleton dimension 1.  "
        "Target sizes: (2, 4).  Tensor sizes: (5,)", (2, 3), (4, 3), (5,),
    ),
    "linear bias dtype": refused(
        lambda k: k.nn.functional.linear, "self and mat2 must have the same dtype, but got float64 and float32",
        (2, 3), (4, 3), (4,), dtypes="float32 float32 float64",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    promised(
        GRADIENTS,
        {
            "151": ("matrix and vectors",),
            "152": ("batches that broadcast", "a matrix and a batch"),
            "153": ("no inner size",),
            "154": ("mm of a tensor",),
        },
    ),
)
def test_values_and_gradients(name):
    compare(plain(GRADIENTS[name](kael)), plain(GRADIENTS[name](torch)))


@pytest.mark.parametrize("name", VALUES)
def test_values_and_dtypes(name):
    compare(plain(VALUES[name](kael)), plain(VALUES[name](torch)))


@pytest.mark.parametrize(
    "name",
    promised(
        ERRORS,
        {
            "155": ("mm sizes", "mm dtypes", "bmm does not broadcast", "matrix @ vector", "vector @ matrix"),
        },
    ),
)
def test_errors(name):
    program, text = ERRORS[name]
    theirs, ours = outcome(program, torch), outcome(program, kael)
    assert text in ours[1]
    assert text in in_our_words(theirs[1])
    assert ours[0] is theirs[0]


@pytest.mark.parametrize(("sizes", "names"), [((9, 1, 9, 1), ["", "MmBackward"]), ((1, 9, 1, 9), ["MmBackward", ""])])
def test_chain_matmul_takes_the_cheapest_order(sizes, names):
    matrices = [kael.ones(rows, columns, requires_grad=True) for rows, columns in pairwise(sizes)]
    result = kael.chain_matmul(*matrices)
    assert [node.name.replace("AccumulateGrad", "") for node, _ in result.grad_fn.next_functions] == names


def test_operands_that_are_no_tensors_are_named():
    with pytest.raises(TypeError, match="mm: an operand is ndarray; all must be tensors"):
        kael.mm(np.ones((2, 2)), kael.ones(2, 2))
