"""One list of cases, one or more per operation, from which the tests of all operations are generated.

Each module lists those of one family: `DIFFERENTIABLE` and `OTHERS`.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import Any

from tests.ops.cases.case import Case

_FAMILIES = [
    import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__) if module.name != "case"
]

DIFFERENTIABLE: list[Case] = [case for family in _FAMILIES for case in getattr(family, "DIFFERENTIABLE", ())]
OTHERS: list[Case] = [case for family in _FAMILIES for case in getattr(family, "OTHERS", ())]
CASES = [*DIFFERENTIABLE, *OTHERS]


def pairs(cases: list[Case]) -> list[tuple[Case, tuple[tuple[int, ...], ...]]]:
    """Each case with each of its shapes."""
    return [(case, shapes) for case in cases for shapes in case.shapes]


def label(value: Any) -> str | None:
    """A test id for a case or its shapes."""
    if isinstance(value, Case):
        return value.name
    return ",".join("x".join(map(str, shape)) or "0d" for shape in value) if isinstance(value, tuple) else None
