"""The operations, family by family; `kael.autograd.op.registry` lists them as one table.

Each family names its functions of `kael` (`FUNCTIONS`), its methods of `Tensor` (`METHODS`), what stands behind
Python's operators alone (`OPERATORS`), and what `Tensor` also has in place, under its name with an underscore
(`INPLACE`), and PyTorch's second names of functions that are methods too (`ALIASES`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from kael.autograd.op import registry

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


FAMILIES = tuple(
    [
        import_module(f"kael.ops.{family}")
        for family in (
            "activation",
            "attention",
            "bitwise",
            "casts",
            "convolution",
            "cumulative",
            "diagonals",
            "drawing",
            "einsum",
            "elementary",
            "elementwise",
            "embedding",
            "folding",
            "indexing",
            "inplace",
            "interpolation",
            "joining",
            "loss",
            "making",
            "masking",
            "matmul",
            "normalization",
            "padding",
            "pooling",
            "queries",
            "rearrangement",
            "reduction",
            "rounding",
            "scattering",
            "searching",
            "shape",
            "slices",
            "sorting",
            "splitting",
            "standardization",
            "unit_vectors",
        )
    ]
)


def gathered(kind: str) -> tuple[Any, ...]:
    """What all families list under one name, in alphabetical order."""
    found = [function for family in FAMILIES for function in getattr(family, kind, ())]
    return tuple(sorted(found, key=lambda function: str(function.__name__)))


FUNCTIONS, METHODS, OPERATORS = gathered("FUNCTIONS"), gathered("METHODS"), gathered("OPERATORS")
INPLACE = gathered("INPLACE")
ALIASES = {name: function for family in FAMILIES for name, function in getattr(family, "ALIASES", {}).items()}

for _function in (*FUNCTIONS, *METHODS, *OPERATORS):
    globals()[_function.__name__] = _function

in_place = import_module("kael.ops.inplace").in_place

__all__ = sorted({function.__name__ for function in (*FUNCTIONS, *METHODS, *OPERATORS)} | {"in_place", "registry"})
