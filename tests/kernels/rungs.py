"""The rungs of a chapter that can run here, for the parity tests: one per built and supported instruction set."""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from types import ModuleType

from kael.kernels import instruction_sets


def load_rungs(chapter: str) -> dict[str, ModuleType]:
    """The modules of a chapter by rung: ``python``, ``numpy`` and ``cython-baseline``, ``cython-v3``, ..."""
    found = {}
    for rung, module in (("python", "reference"), ("numpy", "vectorized")):
        if find_spec(f"chapters.{chapter}.{module}") is not None:
            found[rung] = importlib.import_module(f"chapters.{chapter}.{module}")
    for name in instruction_sets():
        twin = f"chapters.{chapter}.kernels" + ("" if name == "baseline" else f"_{name}")
        if find_spec(twin) is not None:
            found[f"cython-{name}"] = importlib.import_module(twin)
    return found
