"""Short names of casts. They are those of Python's types, so they stand in a module that needs none of these."""

from __future__ import annotations

from typing import Any

from kael import dtypes
from kael.ops.shape import to
from kael.tensors import Tensor


def float(x: Tensor) -> Tensor:
    """The tensor in float32."""
    return to(x, dtypes.float32)


def double(x: Tensor) -> Tensor:
    """The tensor in float64."""
    return to(x, dtypes.float64)


def half(x: Tensor) -> Tensor:
    """The tensor in float16."""
    return to(x, dtypes.float16)


def long(x: Tensor) -> Tensor:
    """The tensor in int64."""
    return to(x, dtypes.int64)


def int(x: Tensor) -> Tensor:
    """The tensor in int32."""
    return to(x, dtypes.int32)


def short(x: Tensor) -> Tensor:
    """The tensor in int16."""
    return to(x, dtypes.int16)


def char(x: Tensor) -> Tensor:
    """The tensor in int8."""
    return to(x, dtypes.int8)


def byte(x: Tensor) -> Tensor:
    """The tensor in uint8."""
    return to(x, dtypes.uint8)


def bool(x: Tensor) -> Tensor:
    """The tensor in bool."""
    return to(x, dtypes.bool)


NAMES = {
    "bool": "Bool",
    "uint8": "Byte",
    "int8": "Char",
    "int16": "Short",
    "int32": "Int",
    "int64": "Long",
    "float16": "Half",
    "float32": "Float",
    "float64": "Double",
}


def type(x: Tensor, dtype: Any = None) -> Any:
    """The tensor in another dtype; without one the name of its type, such as ``kael.FloatTensor``."""
    return f"kael.{NAMES[x.dtype.name]}Tensor" if dtype is None else to(x, dtype)


METHODS = (
    bool,
    byte,
    char,
    double,
    float,
    half,
    int,
    long,
    short,
    type,
)
