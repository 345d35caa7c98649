"""How a reference reads and writes what it is handed: a list, an `array.array`, a `Buffer` or a NumPy array.

A reference is plain Python on the standard library, so that it runs in a browser. It sees every operand as a flat
row-major list of Python numbers together with a shape and a type code:

======== =================
code     element
======== =================
``"f"``  float32
``"d"``  float64
``"q"``  int64
``"?"``  bool
======== =================
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from chapters.ieee import wrap_int64

__all__ = ["NAMES", "Buffer", "element", "rounded", "shape", "store", "typecode", "values"]

Number = float | int | bool

NAMES = {"f": "float32", "d": "float64", "q": "int64", "?": "bool"}
"""Element types by type code, as errors call them."""

CODES = {("f", 4): "f", ("d", 8): "d", ("l", 8): "q", ("q", 8): "q", ("?", 1): "?"}
"""Type codes by NumPy's character and size: int64 is "l" on Linux, "q" on Windows."""


class Buffer:
    """A flat row-major buffer with a shape: the tensor data of the references.

    Parameters
    ----------
    values : sequence of numbers
        The elements in row-major order.
    shape : tuple of int, optional
        Sizes of the axes; ``(len(values),)`` when left out.
    typecode : {"f", "d", "q", "?"}
        Element type; float64 when left out.

    Raises
    ------
    ValueError
        When the shape does not hold as many elements as there are values.

    Examples
    --------
    >>> Buffer([1, 2, 3, 4, 5, 6], (2, 3)).tolist()
    [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    """

    __slots__ = ("data", "shape", "typecode")

    def __init__(self, values: Sequence[Number], shape: tuple[int, ...] | None = None, typecode: str = "d") -> None:
        shape = (len(values),) if shape is None else tuple(shape)
        if prod(shape) != len(values):
            raise ValueError(f"Buffer: shape {shape} holds {prod(shape)} elements but {len(values)} values were given")
        self.data: array[Any] | list[Any]
        if typecode == "?":
            self.data = [bool(v) for v in values]
        else:
            self.data = array(typecode, (int(v) if typecode == "q" else v for v in values))
        self.shape = shape
        self.typecode = typecode

    @classmethod
    def full(cls, value: Number, shape: tuple[int, ...], typecode: str = "d") -> Buffer:
        """A buffer of one repeated value."""
        return cls([value] * prod(shape), shape, typecode)

    @property
    def nbytes(self) -> int:
        """Bytes that the elements take."""
        return len(self.data) * {"f": 4, "d": 8, "q": 8, "?": 1}[self.typecode]

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Iterator[Number]:
        return iter(self.data)

    def __getitem__(self, index: int) -> Number:
        value: Number = self.data[index]
        return value

    def __setitem__(self, index: int, value: Number) -> None:
        self.data[index] = value

    def tolist(self) -> Any:
        """The elements as nested lists; a number for shape ``()``."""
        nested: list[Any] = list(self.data)
        for size in reversed(self.shape[1:]):
            groups = len(nested) // size if size else prod(self.shape[:-1])
            nested = [nested[k * size : (k + 1) * size] for k in range(groups)]
        return nested if self.shape else nested[0]

    def __repr__(self) -> str:
        return f"Buffer({self.tolist()}, shape={self.shape})"


def shape(x: Any) -> tuple[int, ...]:
    """The shape of an operand; a plain sequence is one axis long."""
    found = getattr(x, "shape", None)
    return (len(x),) if found is None else tuple(found)


def typecode(x: Any) -> str:
    """The element type of an operand as one of ``f d q ?``; a plain list counts as float64.

    Raises
    ------
    TypeError
        When the elements are of a type that kernels do not take.
    """
    dtype = getattr(x, "dtype", None)
    if dtype is None:
        return getattr(x, "typecode", "d")
    code = CODES.get((dtype.char, dtype.itemsize)) if dtype.isnative else None
    if code is None:
        raise TypeError(f"kernels take float32, float64, int64 and bool in native byte order, got {dtype}")
    return code


def values(x: Any) -> list[Number]:
    """The elements of an operand as a flat row-major list of Python numbers."""
    ravel = getattr(x, "ravel", None)
    return list(x) if ravel is None else ravel().tolist()


def rounded(value: float, code: str) -> float:
    """`value` as the nearest number of the element type: float32 rounds, float64 is exact.

    >>> rounded(0.1, "f")
    0.10000000149011612
    """
    result: float = array("f", (value,))[0] if code == "f" else value
    return result


def element(value: Number, code: str) -> Number:
    """`value` as a number of an element type: float32 rounds, int64 wraps, bool asks whether it is not zero.

    >>> element(2**63, "q"), element(0.1, "f"), element(3, "?")
    (-9223372036854775808, 0.10000000149011612, True)
    """
    if code == "q":
        return wrap_int64(int(value))
    return bool(value) if code == "?" else rounded(value, code)


def store(out: Any, elements: Sequence[Number]) -> None:
    """Write a flat row-major sequence over all elements of `out`, each as `element` has it."""
    target = getattr(out, "flat", out)
    code = typecode(out)
    for k, value in enumerate(elements):
        target[k] = element(value, code)
