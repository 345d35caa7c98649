"""Short names of casts. They are those of Python's types, so they stand in a module that needs none of these."""

from __future__ import annotations

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


def bool(x: Tensor) -> Tensor:
    """The tensor in bool."""
    return to(x, dtypes.bool)


METHODS = (
    bool,
    double,
    float,
    half,
    int,
    long,
)
