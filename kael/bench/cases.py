"""A case is one operation at one size, written once for every library that has it, and a result is what it took."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from kael import kernels
from kael.bench import overhead
from kael.bench.overhead import OTHER, libraries
from kael.bench.timing import Spread, in_turns
from kael.config import engine_modules

__all__ = [
    "ONE",
    "KAEL",
    "NUMPY",
    "RUNG",
    "TORCH",
    "Case",
    "Result",
    "backward",
    "forward",
    "measure",
    "numbers",
    "small_graphs",
]

KAEL, RUNG, NUMPY, TORCH, ONE = "kael", "NumPy rung", "NumPy", "PyTorch", "kael on one thread"
Call = Callable[[], object]
Array = np.ndarray[Any, Any]
Formula = Callable[..., Any]  # takes the library, then the operands


class Case(NamedTuple):
    """What is measured in one row.

    Attributes
    ----------
    kind : str
        The subcommand that measures it.
    name : str
        The operation and its size; unique within the kind.
    prepare : callable or None
        From kael or PyTorch to the call that is timed; the two share their names, so one function serves both.
    numpy : callable or None
        Makes the same call in NumPy, None where NumPy has no such operation.
    own : callable or None
        Makes the call that stands in kael's place where the row is about a kernel and not about an operation.
    group : str or None
        The group whose geometric mean has a target.
    versus : str
        What kael's time is divided by.
    traffic : int
        Bytes that have to be read and written at the least.
    work : int
        Floating-point operations; 0 where the count would depend on the formula.
    """

    kind: str
    name: str
    prepare: Callable[[Any], Call] | None
    numpy: Callable[[], Call] | None = None
    own: Callable[[], Call] | None = None
    group: str | None = None
    versus: str = TORCH
    traffic: int = 0
    work: int = 0


class Result(NamedTuple):
    """Seconds a call of each competitor, with what a row needs to be read.

    Attributes
    ----------
    times : dict of str to Spread
        By competitor: ``kael``, its ``NumPy rung``, ``NumPy``, ``PyTorch``.
    """

    kind: str
    name: str
    group: str | None
    versus: str
    traffic: int
    work: int
    times: Mapping[str, Spread]

    def over(self, other: str) -> float | None:
        """kael's median over another competitor's; None where that was not measured."""
        return self.times[KAEL].median / self.times[other].median if other in self.times else None

    @property
    def ratio(self) -> float | None:
        """kael's median over that of what the row is measured against."""
        return self.over(self.versus)

    @property
    def bandwidth(self) -> float | None:
        """Bytes a second."""
        return self.traffic / self.times[KAEL].median if self.traffic else None

    @property
    def rate(self) -> float | None:
        """Floating-point operations a second."""
        return self.work / self.times[KAEL].median if self.work else None


def numbers(*shape: int, seed: int = 0) -> Array:
    """Normally distributed float32, the same in every run."""
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def forward(
    kind: str,
    name: str,
    formula: Formula,
    *operands: Array,
    numpy: Callable[..., object] | None = None,
    group: str | None = None,
    traffic: int = 0,
    work: int = 0,
) -> Case:
    """The case of a formula that nothing records.

    Parameters
    ----------
    kind, name, group, traffic, work
        As `Case` has them.
    formula : callable
        From kael or PyTorch and the operands as its tensors to the result.
    *operands : numpy.ndarray
        The operands.
    numpy : callable, optional
        The same formula over the arrays.
    """

    def prepare(library: Any) -> Call:
        return partial(formula, library, *[library.from_numpy(x) for x in operands])

    given = None if numpy is None else lambda: partial(numpy, *operands)
    return Case(kind, name, prepare, given, group=group, traffic=traffic, work=work)


def backward(
    kind: str, name: str, formula: Formula, *operands: Array, fixed: int = 0, traffic: int = 0, work: int = 0
) -> Case:
    """The case of a formula's backward pass alone: the same graph is gone through again and again.

    Parameters
    ----------
    kind, name, formula, operands, traffic, work
        As `forward` has them.
    fixed : int, optional
        How many operands at the end get no gradient.
    """

    def prepare(library: Any) -> Call:
        given = [library.from_numpy(x) for x in operands]
        learned = [x.requires_grad_() for x in given[: len(given) - fixed]]
        result = formula(library, *given)
        seed = library.from_numpy(numbers(*result.shape, seed=1))

        def run() -> list[Any]:
            result.backward(seed, retain_graph=True)
            gradients = [x.grad for x in learned]
            for x in learned:
                x.grad = None
            return gradients

        return run

    return Case(kind, f"{name}, backward", prepare, traffic=traffic, work=work)


def measure(cases: Sequence[Case], rounds: int) -> Iterator[Result]:
    """The results of cases, one after the other; what is measured is told on a terminal meanwhile.

    Parameters
    ----------
    cases : sequence of Case
        What to measure.
    rounds : int
        Turns of each competitor.
    """
    for number, case in enumerate(cases, 1):
        tell(f"{number} of {len(cases)}: {case.kind}, {case.name}")
        times = in_turns(competitors(case), rounds, {RUNG: numpy_rung})
        yield Result(case.kind, case.name, case.group, case.versus, case.traffic, case.work, times)
    tell("")


def competitors(case: Case) -> dict[str, Call]:
    """The calls of a case, by who makes them."""
    found: dict[str, Call] = {}
    if case.own is not None:
        found[KAEL] = case.own()
    if case.prepare is not None:
        present = libraries()
        if KAEL not in found:
            found[KAEL] = case.prepare(present["kael"])
            found[RUNG] = case.prepare(present["kael"])
        if OTHER in present:
            found[TORCH] = case.prepare(present[OTHER])
    if case.numpy is not None:
        found[NUMPY] = case.numpy()
    return found


@contextmanager
def numpy_rung() -> Iterator[None]:
    """kael on the NumPy rung of every chapter."""
    with ExitStack() as stack:
        for name in kernels.LIBRARY:
            stack.enter_context(kernels.use(name, "numpy"))
        yield


def small_graphs(rounds: int) -> list[Result]:
    """What ``kael bench overhead`` has of single operations and small graphs, in the form of the other kinds."""
    _, plain = engine_modules()  # a plain engine has no target
    rows = [row for row in overhead.small_graph(rounds, compiled=not plain) if row.unit == "s"]
    return [
        Result(
            "overhead", row.name, overhead.GROUP if row.name in overhead.COUNTED and not plain else None, TORCH, 0, 0,
            {KAEL: row.kael} | ({} if row.other is None else {TORCH: row.other}),
        )
        for row in rows
    ]  # fmt: skip


def tell(text: str) -> None:
    """One line on a terminal that the next one overwrites."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
