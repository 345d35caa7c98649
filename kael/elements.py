"""The elements that a tensor is made from, as an array: numbers, nested sequences, arrays, tensors."""

from __future__ import annotations

import numbers
from typing import Any

import numpy

from kael import dtypes
from kael.dtypes import DType, from_numpy_dtype
from kael.tensors import Tensor

MAX_AXES = 32 if numpy.__version__.startswith("1.") else 64  # as many as NumPy gives an array
TOO_DEEP = (
    f"tensor: the sequences are nested more than {MAX_AXES} deep; a tensor has at most {MAX_AXES} axes, and a list "
    "that holds itself has no end"
)
TOO_LARGE = "tensor: a number is too large for int64; write it as a float"


def elements(data: Any) -> tuple[Any, DType]:
    """The data as an array and the dtype it asks for."""
    if isinstance(data, Tensor):
        return data.array, data.dtype
    if isinstance(data, (numpy.ndarray, numpy.generic)):
        return data, from_numpy_dtype(data.dtype, "tensor")
    if isinstance(data, (str, bytes)):
        raise TypeError(f"tensor: new tensors are made of numbers, got {type(data).__name__}; convert the text first")
    if isinstance(data, (list, tuple)) and data and holds_tensors(data):
        data = without_tensors(data, whole=False)
    try:
        array = numpy.asarray(data)
    except ValueError as error:
        raise ValueError(
            "tensor: the nested sequences have uneven lengths; every row must hold as many elements as the first"
        ) from error
    if array.dtype.kind in "US":
        text = "str" if array.dtype.kind == "U" else "bytes"  # NumPy made text of the numbers beside it
        raise TypeError(f"tensor: new tensors are made of numbers, got {text}; convert the text first")
    if array.dtype == object:
        strange = [type(x).__name__ for x in array.ravel().tolist() if not isinstance(x, numbers.Real)]
        if strange:
            raise TypeError(f"tensor: new tensors are made of numbers, got {strange[0]}")
        raise TypeError(TOO_LARGE)
    if array.dtype == numpy.uint64 and (array > numpy.iinfo(numpy.int64).max).any():
        raise TypeError(TOO_LARGE)
    kind = from_numpy_dtype(array.dtype, "tensor")
    if array.size == 0 and not isinstance(data, numpy.ndarray):
        return array, dtypes.default
    if kind is dtypes.float64 and not holds_float64(data):
        kind = dtypes.default
    return array, kind


def holds_float64(data: Any) -> bool:
    """Whether a number or nested sequence has an element that NumPy made in float64: that precision is kept."""
    if isinstance(data, (list, tuple)):
        return any(holds_float64(part) for part in data)
    return isinstance(data, (numpy.ndarray, numpy.generic)) and data.dtype == numpy.float64


def holds_tensors(data: Any) -> bool:
    """Whether a nested sequence has tensors at its first leaf.

    Raises
    ------
    ValueError
        When the leaf lies deeper than a tensor has axes.
    """
    for _ in range(MAX_AXES + 1):
        if not isinstance(data, (list, tuple)) or not data:
            return isinstance(data, Tensor)
        data = data[0]
    raise ValueError(TOO_DEEP)


def without_tensors(data: Any, depth: int = 0, whole: bool = True) -> Any:
    """A nested sequence with each tensor as its array, or as the one number that it holds.

    Raises
    ------
    ValueError
        Where it is nested too deep, and where one number is wanted of a tensor of several.
    """
    if isinstance(data, Tensor):
        if whole:
            return data.array
        if data.array.size != 1:
            raise ValueError(
                "only one element tensors can be converted to Python scalars; join tensors with kael.stack, which also "
                f"passes gradients on; this one is {data.array.shape}"
            )
        return data.array.reshape(())
    if not isinstance(data, (list, tuple)):
        return data
    if depth == MAX_AXES:
        raise ValueError(TOO_DEEP)
    return [without_tensors(part, depth + 1, whole) for part in data]
