"""Element types, and which type an operation on two of them computes in."""

from __future__ import annotations

import numpy

__all__ = ["DType", "bool", "default", "float16", "float32", "float64", "from_numpy_dtype", "int16", "int32", "int64"]
__all__ += ["int8", "result_type", "uint8"]


class DType:
    """An element type such as ``kael.float32``.

    Parameters
    ----------
    name : str
        NumPy's name of the type.
    category : int
        0 for bool, 1 for integers, 2 for floating point: promotion compares categories first.
    wide : DType, optional
        The type that arithmetic computes in before it rounds once, for types that no kernel takes.
    """

    __slots__ = ("category", "is_floating_point", "itemsize", "name", "numpy", "wide")

    def __init__(self, name: str, category: int, wide: DType | None = None) -> None:
        self.wide = wide
        self.name = name
        self.numpy = numpy.dtype(name)
        self.category = category
        self.is_floating_point = category == 2
        self.itemsize = int(self.numpy.itemsize)

    def __repr__(self) -> str:
        return f"kael.{self.name}"

    def __str__(self) -> str:
        return f"kael.{self.name}"

    def __reduce__(self) -> str:
        return self.name


bool = DType("bool", 0)
int64 = DType("int64", 1)
uint8 = DType("uint8", 1, int64)
int8 = DType("int8", 1, int64)
int16 = DType("int16", 1, int64)
int32 = DType("int32", 1, int64)
float32 = DType("float32", 2)
float64 = DType("float64", 2)
float16 = DType("float16", 2, float32)

default = float32

BY_NAME = {kind.name: kind for kind in (bool, uint8, int8, int16, int32, int64, float16, float32, float64)}
BY_NUMPY = {kind.numpy: kind for kind in BY_NAME.values()}


def from_numpy_dtype(dtype: numpy.dtype, operation: str) -> DType:
    """kael's name of a NumPy dtype, whatever its byte order.

    Raises
    ------
    TypeError
        For types that kael has no tensors of: complex, objects, strings, dates, structures.
    """
    found = BY_NUMPY.get(dtype.newbyteorder("="))
    if found is None:
        raise TypeError(f"{operation}: kael has no dtype for {dtype}; convert to one of {', '.join(BY_NAME)} first")
    return found


def result_type(x: DType, x_is_scalar: object, y: DType, y_is_scalar: object) -> DType:
    """The dtype that an operation on two operands computes in, as in PyTorch.

    A 0-d operand changes the type only when it is of a higher category (bool, integer, floating point) than one that
    has axes. Otherwise the wider of the two types wins.

    Examples
    --------
    >>> result_type(float32, False, float64, True), result_type(int64, False, float32, True)
    (kael.float32, kael.float32)
    """
    if x is y:
        return x
    if x_is_scalar and not y_is_scalar and x.category <= y.category:
        return y
    if y_is_scalar and not x_is_scalar and y.category <= x.category:
        return x
    if x.category != y.category:
        return x if x.category > y.category else y
    return BY_NUMPY[numpy.promote_types(x.numpy, y.numpy)]
