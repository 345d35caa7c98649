"""Element types, and which type an operation on two of them computes in."""

from __future__ import annotations

import numpy

__all__ = ["DType", "bool", "can_cast", "default", "finfo", "float16", "float32", "float64", "from_numpy_dtype"]
__all__ += ["iinfo", "int16", "int32", "int64", "int8", "promote_types", "result_type", "uint8"]


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

    @property
    def is_signed(self) -> object:
        """Whether it holds negative numbers."""
        return self.numpy.kind in "if"

    @property
    def is_complex(self) -> object:
        """Whether it holds complex numbers: none of kael's dtypes does."""
        return False

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


def promote_types(x: DType, y: DType) -> DType:
    """The smallest dtype that holds both, floating point before integers before bool.

    Examples
    --------
    >>> promote_types(uint8, int8), promote_types(int64, float16)
    (kael.int16, kael.float16)
    """
    return result_type(x, False, y, False)


def can_cast(from_: DType, to: DType) -> object:
    """Whether a value of one dtype may become one of another: only to a category as high as its own.

    Examples
    --------
    >>> can_cast(float64, float16), can_cast(float32, int64), can_cast(int64, bool)
    (True, False, False)
    """
    return from_.category <= to.category


class Limits:
    """What `finfo` and `iinfo` share: the smallest and largest number, and how many bits one takes."""

    shown: tuple[str, ...] = ("min", "max")
    min: float
    max: float

    def __init__(self, dtype: DType, limits: object) -> None:
        self.dtype = dtype.name
        self.bits = 8 * dtype.itemsize
        for name in self.shown:
            value = getattr(limits, name)
            setattr(self, name, value if isinstance(value, int) else float(value))

    def __repr__(self) -> str:
        parts = [f"{name}={getattr(self, name):g}" for name in self.shown]
        return f"{type(self).__name__}({', '.join(parts)}, dtype={self.dtype})"


class finfo(Limits):
    """Limits of a floating-point dtype: `eps`, `max`, `min`, `tiny`, `smallest_normal`, `resolution`, `bits`.

    Examples
    --------
    >>> finfo(float16).max, finfo(float32).eps
    (65504.0, 1.1920928955078125e-07)
    """

    shown = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")

    def __init__(self, type: DType | None = None) -> None:
        dtype = default if type is None else type
        if not dtype.is_floating_point:
            raise TypeError("finfo() requires a floating point input type. Use iinfo for integers")
        super().__init__(dtype, numpy.finfo(dtype.numpy))
        self.resolution = float(f"1e-{numpy.finfo(dtype.numpy).precision}")


class iinfo(Limits):
    """Limits of an integer dtype: `max`, `min`, `bits`.

    Examples
    --------
    >>> iinfo(int8)
    iinfo(min=-128, max=127, dtype=int8)
    """

    def __init__(self, type: DType) -> None:
        if type.category != 1:
            raise TypeError("iinfo() requires an integer input type. Use finfo for floating-point numbers")
        super().__init__(type, numpy.iinfo(type.numpy))

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"
