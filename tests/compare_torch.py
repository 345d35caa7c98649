"""Every case of every operation in kael and in PyTorch: ``python -m tests.compare_torch [OPERATION ...]``.

Compared are the value, its dtype and shape, and per operand the gradient: its value, dtype, shape and strides, or that
both refuse. Operands are contiguous, column-major, of other dtypes, and at the case's kinks. A case that
differs on purpose says why.
"""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import kael
from tests import torch_names
from tests.ops.cases import CASES
from tests.ops.cases.case import Case

AGREED, ON_PURPOSE, FAILED = "agreed", "differs on purpose", "failed"
LAYOUTS = {"contiguous": np.ascontiguousarray, "column-major": np.asfortranarray}
UNWRITTEN = "not implemented for|does not support bool|Negation, the `-` operator"
"""How PyTorch says that it has no loop for a dtype; that kael has one is a row of the differences."""
TOLERANCES = {"float32": (1e-5, 1e-6), "float16": (4e-3, 1e-3)}
ALIKE = (("float32",), ("float16",), ("int64",), ("int32",), ("uint8",), ("bool",))
MIXED = (
    *[kinds * 2 for kinds in ALIKE],
    ("float32", "float64"), ("float64", "float16"), ("int64", "float32"), ("float16", "int32"), ("bool", "float32"),
    ("int32", "int64"), ("uint8", "int8"), ("bool", "uint8"),
)  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """What came of one run of a case in both libraries."""

    case: Case
    what: str
    state: str
    difference: str = ""


def run(k: Any, case: Case, arrays: tuple[np.ndarray, ...]) -> Any:
    """What a library gives: the value and the gradients, or the error.

    The cotangent is drawn at random, equal for both.
    """
    operands = [
        k.from_numpy(array.copy("K")).requires_grad_() if array.dtype.kind == "f" else k.from_numpy(array.copy("K"))
        for array in arrays
    ]
    try:
        result = case.call(k, *operands)
        if result.requires_grad:
            cotangent = np.random.default_rng(1).uniform(0.5, 1.5, tuple(result.shape))
            result.backward(k.from_numpy(cotangent).to(result.dtype))
    except (RuntimeError, IndexError, TypeError, ValueError, NotImplementedError) as error:
        return error
    gradients = [operand.grad for operand in operands]
    return result.detach(), gradients


def kind(tensor: Any) -> tuple[Any, ...]:
    """Dtype and shape, the same in both libraries."""
    return str(tensor.dtype).rpartition(".")[2], tuple(tensor.shape)


def strides(tensor: Any) -> tuple[int, ...]:
    """The strides of the axes that have more than one element: the others say nothing about the layout."""
    return tuple([step for step, size in zip(tensor.stride(), tensor.shape, strict=True) if size > 1])


def difference(ours: Any, theirs: Any, dtypes: Collection[str] = ()) -> str:
    """How two outcomes differ; empty where they agree, to what the coarsest of the operands' dtypes can tell."""
    if isinstance(ours, Exception) or isinstance(theirs, Exception):
        if isinstance(ours, Exception) and isinstance(theirs, Exception):
            return ""
        return f"kael: {ours!r:.120}, PyTorch: {theirs!r:.120}"
    pairs = [("value", ours[0], theirs[0])]
    pairs += [(f"gradient {which}", *both) for which, both in enumerate(zip(ours[1], theirs[1], strict=True))]
    for name, mine, other in pairs:
        if mine is None or other is None:
            if mine is not other:
                return f"{name}: one has none"
            continue
        if kind(mine) != kind(other):
            return f"{name}: {kind(mine)}, PyTorch {kind(other)}"
        relative, absolute = max(TOLERANCES.get(dtype, (1e-11, 1e-13)) for dtype in {kind(mine)[0], *dtypes})
        x, y = np.asarray(mine.tolist(), float), np.asarray(other.tolist(), float)
        absolute *= np.abs(y[np.isfinite(y)]).max(initial=1)  # a sum that cancels is as exact as its neighbours are
        if not np.allclose(x, y, rtol=relative, atol=absolute, equal_nan=True):
            worst = np.flatnonzero(~np.isclose(x, y, rtol=relative, atol=absolute, equal_nan=True))[:1]
            return f"{name}: {x.ravel()[worst]}, PyTorch {y.ravel()[worst]} at {worst}"
        if name != "value" and mine.numel() and strides(mine) != strides(other):
            return f"{name}: strides {mine.stride()}, PyTorch {other.stride()}"
    return ""


def in_dtype(array: np.ndarray, dtype: str) -> np.ndarray:
    """Operands of another dtype, whole numbers of both signs (where it has them) for integers."""
    if dtype == "bool":
        return np.asarray(array > 0)
    values = array if dtype.startswith("float") else np.asarray(np.round(2 * array)).astype("int64")
    return np.asarray(values).astype(dtype)


def operands(case: Case) -> Iterator[tuple[str, tuple[np.ndarray, ...]]]:
    """The operands of all runs of a case, and what to call each run."""
    for shapes in case.shapes:
        arrays = case.arrays(shapes)
        for layout, turn in LAYOUTS.items():
            if layout == "contiguous" or any(array.ndim > 1 for array in arrays):
                yield f"{', '.join(map(str, shapes))} {layout}", tuple([turn(array) for array in arrays])
    arrays = case.arrays(case.shapes[0])
    for dtypes in MIXED if len(arrays) == 2 else ALIKE:
        kinds = dtypes if len(arrays) == 2 else dtypes * len(arrays)
        yield ", ".join(kinds), tuple([in_dtype(array, kind) for array, kind in zip(arrays, kinds, strict=True)])
    for number, values in enumerate(case.kinks):
        yield f"kinks {number}", tuple([np.asarray(value) for value in values])


def compare(torch: Any, case: Case) -> Iterator[Comparison]:
    """All runs of one case."""
    for what, arrays in operands(case):
        ours, theirs = run(kael, case, arrays), run(torch, case, arrays)
        found = difference(ours, theirs, {str(array.dtype) for array in arrays})
        lacking = re.search(UNWRITTEN, str(theirs)) if isinstance(theirs, Exception) else None
        state = AGREED if not found else ON_PURPOSE if case.differs or lacking else FAILED
        yield Comparison(case, what, state, found if state == FAILED else case.differs)


def main(arguments: list[str] | None = None) -> int:
    """Print a line per operation and each run that failed; 1 when one did."""
    parser = argparse.ArgumentParser(prog="python -m tests.compare_torch", description=__doc__.split("\n\n")[0])
    parser.add_argument("operations", nargs="*", metavar="OPERATION", help="rows of the op table; all when left out")
    parser.add_argument("--names", action="store_true", help="count PyTorch's names that kael has and lacks instead")
    asked = parser.parse_args(arguments)
    if asked.names:
        return torch_names.main(["--missing"])
    wanted = asked.operations
    import torch

    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    failed = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for case in CASES:
            if wanted and case.op not in wanted:
                continue
            for comparison in compare(torch, case):
                counts[case.op][comparison.state] += 1
                if comparison.state == FAILED:
                    failed.append(comparison)
    width = max(map(len, counts), default=0)
    print(f"{'operation':<{width}}  agreed  on purpose  failed")
    for op, count in sorted(counts.items()):
        print(f"{op:<{width}}  {count[AGREED]:>6}  {count[ON_PURPOSE]:>10}  {count[FAILED]:>6}")
    total = sum(counts.values(), Counter())
    print(
        f"{len(counts)} operations: {total[AGREED]} agreed, {total[ON_PURPOSE]} differ on purpose, {len(failed)} failed"
    )
    for comparison in failed:
        print(f"  {comparison.case.name} {comparison.what}: {comparison.difference}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
