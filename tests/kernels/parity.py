"""What the parity tests of all chapters share: awkward values, awkward layouts, and how two rungs are compared."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from decimal import Decimal
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

FLOATS = ("float32", "float64")
DTYPES = (*FLOATS, "int64", "bool")

_FLOAT_VALUES = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 1e-3, -7.25, 88.5, -103.5, 1e30, -1e30, 1e-40]


def awkward(dtype: str) -> Array:
    """Values of a dtype at which kernels go wrong: infinities, nan, both zeros, halves, subnormal, extreme numbers."""
    if dtype == "bool":
        return np.array([False, True])
    if dtype == "int64":
        whole = np.iinfo(np.int64)
        small = [0, 1, -1, 2, -2, 3, 7, -10, 63, 64]
        return np.array([*small, 2**40 + 3, 2**53 + 1, whole.max, whole.min, whole.min + 1])
    limits = np.finfo(dtype)
    extreme = [limits.max, limits.min, limits.tiny, limits.smallest_subnormal, limits.eps]
    return np.array([*_FLOAT_VALUES, np.inf, -np.inf, np.nan, *extreme], dtype)


def draw(dtype: str, shape: tuple[int, ...], seed: int = 0) -> Array:
    """Ordinary values of a dtype, both signs, none of them zero where the dtype has more than two values."""
    generator = np.random.default_rng(seed)
    if dtype == "bool":
        return np.asarray(generator.integers(0, 2, shape), bool)
    if dtype == "int64":
        return np.asarray(generator.integers(1, 50, shape) * generator.choice([-1, 1], shape), np.int64)
    return np.asarray(generator.uniform(0.1, 4.0, shape) * generator.choice([-1, 1], shape), dtype)


def layouts(values: Array) -> Iterator[tuple[str, Array]]:
    """The same values as arrays that lie in memory in different ways, each writable and with its own memory."""
    yield "contiguous", values.copy()
    if values.ndim:
        yield "Fortran order", np.asfortranarray(values.copy())
        wide = np.zeros((*values.shape[:-1], 2 * values.shape[-1] + 1), values.dtype)
        strided = wide[..., 1::2]
        strided[...] = values
        yield "strided", strided
        reverse = (slice(None, None, -1),) * values.ndim
        yield "reversed", values[reverse].copy()[reverse]
        padded = np.zeros((2, *values.shape), values.dtype)
        padded[1] = values
        yield "offset", padded[1]
    if values.ndim > 1:
        yield "transposed", np.ascontiguousarray(np.moveaxis(values, 0, -1)).transpose(-1, *range(values.ndim - 1))


def same_bits(got: Array, want: Array) -> bool:
    """Whether two arrays are equal bit by bit, where any nan equals any nan."""
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if got.dtype.kind != "f":
        return bool(np.array_equal(got, want))
    bits = np.dtype(f"u{got.dtype.itemsize}")
    equal = np.ascontiguousarray(got).view(bits) == np.ascontiguousarray(want).view(bits)
    return bool(np.all(equal | (np.isnan(got) & np.isnan(want))))


def ulps(got: Array, exact: list[Decimal]) -> float:
    """The largest error of an array against exact values, in units of the last place of the rounded exact value."""
    worst = 0.0
    for value, true in zip(got.tolist(), exact, strict=True):
        unit = Decimal(float(np.spacing(np.abs(got.dtype.type(float(true))))))
        worst = max(worst, float(abs(Decimal(value) - true) / unit))
    return worst


def outcome(call: Callable[..., Any], *arguments: Any) -> tuple[str, str] | None:
    """The type and text of what a call raises; None when it returns."""
    try:
        call(*arguments)
    except Exception as error:
        return type(error).__name__, str(error)
    return None


def parameters(module: ModuleType) -> dict[str, list[tuple[str, Any]]]:
    """Per public function of a rung, its parameters' names and defaults."""
    functions = {name: getattr(module, name) for name in module.__all__}
    return {
        name: [(p.name, p.default) for p in inspect.signature(function).parameters.values()]
        for name, function in functions.items()
        if not inspect.isclass(function)
    }
