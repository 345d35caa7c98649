"""Matrix multiplication of vectors, matrices and batches of matrices."""

from __future__ import annotations

from typing import Any

import numpy

from kael.autograd.op import Op
from kael.autograd.recording import record_binary
from kael.kernels import table
from kael.ops.dispatch import common_shape, sum_to
from kael.ops.shape import reshape, squeeze, unsqueeze
from kael.tensors import Tensor, fresh


def matmul_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    other = node.saved[1 - position].get()
    turned = fresh(other.array.swapaxes(-1, -2), other.dtype)
    product = multiply(g, turned) if position == 0 else multiply(turned, g)
    return sum_to(product, node.inputs[position].shape)


MATMUL = Op(
    "matmul", "sum over k of a[i, k]*b[k, j]", matmul_vjp, "g @ b.T to a, a.T @ g to b", ((1,), (0,)), dtypes="equal"
)


def multiply(a: Tensor, b: Tensor) -> Tensor:
    """The products of two stacks of matrices whose leading axes broadcast."""
    left, right = a.array, b.array
    dtype = a.dtype
    inside = dtype.wide or dtype
    if inside is not dtype:
        left, right = left.astype(inside.numpy), right.astype(inside.numpy)
    if left.ndim == 2 and right.ndim == 2:
        out = table.empty((left.shape[0], right.shape[1]), inside.numpy)
        table.matmul(left, right, out)
    else:
        batch = common_shape(left.shape[:-2], right.shape[:-2])
        out = table.empty((*batch, left.shape[-2], right.shape[-1]), inside.numpy)
        left = numpy.broadcast_to(left, (*batch, *left.shape[-2:]))
        right = numpy.broadcast_to(right, (*batch, *right.shape[-2:]))
        for index in numpy.ndindex(*batch):
            table.matmul(left[index], right[index], out[index])
    return fresh(out if inside is dtype else out.astype(dtype.numpy), dtype)


def matmul(a: Any, b: Any) -> Tensor:
    """The matrix product ``c[i, j] = sum over k of a[i, k] * b[k, j]``.

    Parameters
    ----------
    a, b : Tensor
        Vectors, matrices or stacks of matrices of one dtype; leading axes broadcast.

    Raises
    ------
    RuntimeError
        When an operand is 0-d, when the inner sizes differ, or when the dtypes do.

    Notes
    -----
    The gradients are two more products, ``g @ b.T`` and ``a.T @ g`` (book section 16.3).

    Examples
    --------
    >>> import kael
    >>> kael.tensor([[1.0, 2.0], [3.0, 4.0]]) @ kael.tensor([1.0, 10.0])
    tensor([21., 43.])
    """
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        kind = type(b if isinstance(a, Tensor) else a).__name__
        raise TypeError(f"matmul: an operand is {kind}; both must be tensors")
    if a.array.ndim == 0 or b.array.ndim == 0:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {a.array.ndim}D and {b.array.ndim}D"
        )
    if a.dtype is not b.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {a.dtype.name} != {b.dtype.name}")
    if a.dtype.category == 0:
        raise RuntimeError("matmul: a and b are bool; cast them to a type of numbers first")
    if a.array.ndim == 1 and b.array.ndim == 1:
        if a.array.shape != b.array.shape:
            raise RuntimeError(
                f"inconsistent tensor size, expected tensor {a.array.shape} and src {b.array.shape} to have the same "
                "number of elements"
            )
        return reshape(matmul(unsqueeze(a, 0), unsqueeze(b, 1)), ())
    if a.array.ndim == 1:
        return squeeze(matmul(unsqueeze(a, 0), b), -2)
    if b.array.ndim == 1:
        return squeeze(matmul(a, unsqueeze(b, 1)), -1)
    if a.array.shape[-1] != b.array.shape[-2]:
        if a.array.ndim == 2 and b.array.ndim == 2:
            rows, inner = a.array.shape
            found, columns = b.array.shape
            raise RuntimeError(
                f"mat1 and mat2 shapes cannot be multiplied ({rows}x{inner} and {found}x{columns}): inner sizes "
                f"{inner} and {found} differ"
            )
        raise RuntimeError(
            f"matmul: a is {a.array.shape} but b is {b.array.shape}; inner sizes {a.array.shape[-1]} and "
            f"{b.array.shape[-2]} differ"
        )
    return record_binary(multiply(a, b), MATMUL, a, b)


FUNCTIONS = (matmul,)
METHODS = FUNCTIONS
