"""Making tensors: from numbers and arrays, filled, in steps."""

from __future__ import annotations

import builtins
from typing import Any

import numpy

from kael import dtypes
from kael.autograd.leaf import requires_grad_
from kael.dtypes import DType, from_numpy_dtype
from kael.elements import elements
from kael.kernels import table
from kael.ops.dispatch import cast, default_dtype
from kael.ops.shape import sizes
from kael.tensors import Tensor, fresh


def tensor(data: Any, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """A new leaf with a copy of the data.

    Parameters
    ----------
    data : number, nested sequence, NumPy array or Tensor
        The elements. Floats become float32 and integers int64, unless they come from an array or tensor with a dtype
        of its own.
    dtype : DType, optional
        The element type.
    requires_grad : bool
        Differentiate with respect to it.

    Raises
    ------
    ValueError
        For nested sequences of uneven lengths.
    TypeError
        For text, complex numbers, objects.

    Examples
    --------
    >>> import kael
    >>> kael.tensor([[1, 2], [3, 4.5]])
    tensor([[1.0000, 2.0000],
            [3.0000, 4.5000]])
    """
    check_dtype("tensor", dtype)
    array, kind = elements(data)
    if dtype is None:
        dtype = kind
    with numpy.errstate(all="ignore"):
        result = fresh(numpy.array(array, dtype.numpy, order="C", copy=True), dtype)
    if requires_grad:
        requires_grad_(result)
    return result


def check_dtype(operation: str, dtype: Any) -> None:
    """Raise TypeError for a dtype that is not kael's."""
    if dtype is not None and not isinstance(dtype, DType):
        raise TypeError(f"{operation}: expected a dtype such as kael.float32, got {dtype!r}")


def as_tensor(data: Any, dtype: DType | None = None) -> Tensor:
    """The data as a tensor; a tensor of the dtype asked for is given back as it is."""
    if isinstance(data, Tensor):
        return data if dtype is None else cast(data, dtype)
    return from_numpy(data) if isinstance(data, numpy.ndarray) and dtype is None else tensor(data, dtype)


def from_numpy(array: Any) -> Tensor:
    """A tensor on the memory of a NumPy array. Writes through the array are not seen by the version counter.

    Raises
    ------
    TypeError
        For something else than an array, and for dtypes that kael has not.
    ValueError
        For an array that is read-only, not of the machine's byte order, or not aligned to its element size.
    """
    if not isinstance(array, numpy.ndarray):
        raise TypeError(f"from_numpy: expected a NumPy array, got {type(array).__name__}; use kael.tensor")
    dtype = from_numpy_dtype(array.dtype, "from_numpy")
    if not array.dtype.isnative:
        raise ValueError("from_numpy: the array is not in the machine's byte order; use kael.tensor, which copies")
    if not array.flags.aligned:
        raise ValueError("from_numpy: the array is not aligned to its element size; use kael.tensor, which copies")
    if not array.flags.writeable:
        raise ValueError("from_numpy: the array is read-only; use kael.tensor, which copies")
    return fresh(array, dtype)


def filled(operation: str, shape: tuple[Any, ...], value: Any, dtype: DType | None, requires_grad: bool) -> Tensor:
    """A tensor of one repeated value."""
    check_dtype(operation, dtype)
    dtype = dtypes.default if dtype is None else dtype
    wanted = sizes(shape)
    if any(size < 0 for size in wanted):
        raise RuntimeError(f"{operation}: sizes must not be negative, got {wanted}")
    result = fresh(table.empty(wanted, dtype.numpy), dtype)
    if value is not None:
        result.array[...] = value
    if requires_grad:
        requires_grad_(result)
    return result


def zeros(*shape: Any, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor of zeros; float32 unless a dtype is given."""
    return filled("zeros", shape, 0, dtype, requires_grad)


def ones(*shape: Any, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor of ones; float32 unless a dtype is given."""
    return filled("ones", shape, 1, dtype, requires_grad)


def empty(*shape: Any, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor whose elements are whatever the memory held."""
    return filled("empty", shape, None, dtype, requires_grad)


def full(shape: Any, fill_value: Any, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor of one repeated value, in the value's dtype unless one is given."""
    dtype = default_dtype(fill_value, "full") if dtype is None else dtype
    return filled(
        "full", (shape,) if isinstance(shape, builtins.int) else tuple(shape), fill_value, dtype, requires_grad
    )


def zeros_like(x: Tensor, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """Zeros of the shape and dtype of `x`."""
    return filled("zeros_like", x.shape, 0, dtype or x.dtype, requires_grad)


def ones_like(x: Tensor, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """Ones of the shape and dtype of `x`."""
    return filled("ones_like", x.shape, 1, dtype or x.dtype, requires_grad)


def empty_like(x: Tensor, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor of the shape and dtype of `x` whose elements are whatever the memory held."""
    return filled("empty_like", x.shape, None, dtype or x.dtype, requires_grad)


def full_like(x: Tensor, fill_value: Any, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """One repeated value in the shape and dtype of `x`."""
    return filled("full_like", x.shape, fill_value, dtype or x.dtype, requires_grad)


def arange(
    start: Any, end: Any = None, step: Any = 1, dtype: DType | None = None, requires_grad: bool = False
) -> Tensor:
    """The numbers from `start` to before `end` in equal steps; with one argument from 0 to before it.

    Raises
    ------
    ValueError
        For a step of 0.
    """
    if end is None:
        start, end = 0, start
    kinds = [default_dtype(number, "arange") for number in (start, end, step)]
    if step == 0:
        raise ValueError("arange: step must not be 0")
    chosen = dtype or (dtypes.default if dtypes.default in kinds else dtypes.int64)
    return tensor(numpy.arange(start, end, step), chosen, requires_grad)


def linspace(start: float, end: float, steps: int, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """`steps` numbers from `start` to `end`, both included, at equal distances."""
    return tensor(numpy.linspace(start, end, steps), dtypes.default if dtype is None else dtype, requires_grad)


def eye(n: int, m: int | None = None, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """The identity matrix, or its upper left part."""
    return tensor(numpy.eye(n, m), dtypes.default if dtype is None else dtype, requires_grad)
