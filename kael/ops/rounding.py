"""Rounding to whole numbers: down, up, towards zero and to the nearest; every gradient is zero."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from kael.autograd.op import Op
from kael.autograd.recording import record_unary
from kael.kernels import table
from kael.ops.dispatch import as_tensor
from kael.ops.elementwise import div, mul, unary, zero_vjp
from kael.tensors import Tensor


def rounding(op: Op, kernel: Callable[..., None], x: Any) -> Tensor:
    """As `unary`, for a kernel that leaves integers as they are: they are copied."""
    x = as_tensor(x, op.name)
    return unary(op, kernel if x.dtype.is_floating_point else table.copy, x)


TRUNC = Op("trunc", "x without its fraction", zero_vjp, "0")
FLOOR = Op("floor", "the next integer below", zero_vjp, "0")
CEIL = Op("ceil", "the next integer above", zero_vjp, "0")
ROUND = Op("round", "the nearest integer, ties to even", zero_vjp, "0")


def floor(x: Any) -> Tensor:
    """The next integer below x, in x's dtype."""
    return rounding(FLOOR, table.floor, x)


def ceil(x: Any) -> Tensor:
    """The next integer above x, in x's dtype."""
    return rounding(CEIL, table.ceil, x)


def trunc(x: Any) -> Tensor:
    """The integer part of x, in x's dtype."""
    return rounding(TRUNC, table.trunc, x)


def round(x: Any, decimals: int = 0) -> Tensor:
    """The nearest integer, ties to even, in x's dtype; or the nearest multiple of ``10**-decimals``."""
    if decimals == 0:
        return rounding(ROUND, table.round, x)
    x = as_tensor(x, "round")
    if not x.dtype.is_floating_point:
        raise NotImplementedError(f"round: decimals are for floating point, and x is {x.dtype.name}")
    scale = 10.0 ** builtins.abs(decimals)
    scaled_up = mul(x.detach(), scale) if decimals > 0 else div(x.detach(), scale)
    whole = rounding(ROUND, table.round, scaled_up)
    return record_unary(div(whole, scale) if decimals > 0 else mul(whole, scale), ROUND, x)


METHODS = (
    ceil,
    floor,
    round,
    trunc,
)
FUNCTIONS = METHODS
INPLACE = METHODS
ALIASES = {"fix": trunc}
