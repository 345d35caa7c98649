"""Every float32 there is through the elementary functions of each twin built: ``python -m tests.kernels.sweep``.

Takes the names of functions, or none for all. An error is counted in units of the last place of the exact value, which
is that of float64: NumPy's, or where NumPy lacks the function the twin's, whose float64 has a test against 80 digits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType

import numpy as np

from tests.kernels.bounds import BOUNDS, UNARY
from tests.kernels.parity import Array
from tests.kernels.rungs import load_rungs

CHUNK = 2**16  # what fits a cache is swept five times quicker than what does not


def exact_sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def exact_sinc(x: Array) -> Array:
    """From the distance to the nearest whole number, for no multiple of pi is a float."""
    nearest = np.rint(x)
    sine = np.sin(np.pi * (x - nearest)) * np.where(nearest % 2 == 0, 1, -1)
    return np.where(x == 0, 1, sine / (np.pi * x))


ORACLES: dict[str, Callable[[Array], Array]] = {
    "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan,
    "atanh": np.arctanh, "sigmoid": exact_sigmoid, "sinc": exact_sinc,
}  # fmt: skip


def apply(module: ModuleType, name: str, x: Array) -> Array:
    """A kernel's result in a fresh array."""
    out = np.empty_like(x)
    getattr(module, name)(x, out)
    return out


def exactly(module: ModuleType, name: str, x: Array) -> Array:
    """A function of float32 arguments, computed in float64."""
    if name in ("erf", "erfc"):
        return apply(module, name, x)
    return np.asarray(ORACLES.get(name, getattr(np, name, None))(x))  # type: ignore[misc]


def errors(got: Array, exact: Array) -> Array:
    """Per element the distance of a float32 from a float64; inf where one is nan, or zeros differ in sign."""
    most = float(np.finfo(np.float32).max)
    nearest = exact.astype(np.float32)
    unit = np.spacing(np.minimum(np.abs(nearest), np.float32(most))).astype(np.float64)
    # Beyond the largest float32 comes what would be the next one: inf stands for it.
    wide = got.astype(np.float64)
    value = np.where(np.isinf(wide), np.copysign(2.0**128, wide), wide)
    distance = np.abs(value - np.clip(exact, -(2.0**128), 2.0**128)) / unit
    special = np.isnan(exact) | np.isnan(got) | ((got == 0) & (nearest == 0))
    same = (np.isnan(exact) & np.isnan(got)) | ((got == nearest) & (np.signbit(got) == np.signbit(exact)))
    return np.where(special, np.where(same, 0, np.inf), distance)


def worst(module: ModuleType, name: str, step: int = 1) -> tuple[float, float]:
    """The largest error of a function over every `step`-th float32, and the argument where it is made."""
    found, where = 0.0, 0.0
    for start in range(0, 2**32, CHUNK * step):
        stop = min(start + CHUNK * step, 2**32)
        x = np.arange(start, stop, step, dtype=np.uint64).astype(np.uint32).view(np.float32)
        with np.errstate(all="ignore"):  # a signaling nan in a cast, overflow of the oracle
            error = errors(apply(module, name, x), exactly(module, name, x.astype(np.float64)))
        place = int(np.argmax(error))
        if error[place] > found:
            found, where = float(error[place]), float(x[place])
    return found, where


def main(names: list[str]) -> int:
    """Sweep functions; the exit code is 1 when one of them breaks its bound."""
    rungs = load_rungs("ch12_elementwise")
    broken = False
    for name in names or UNARY:
        for rung, twin in rungs.items():
            if rung.startswith("cython"):
                error, at = worst(twin, name)
                broken |= error > BOUNDS[name][0]
                print(f"{rung:<15} {name:<8} {error:.3f} ulp at {at!r}, within {BOUNDS[name][0]}", flush=True)
    return int(broken)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
