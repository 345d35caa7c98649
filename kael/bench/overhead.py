"""What an operation costs beside its arithmetic, measured where the arithmetic is nearly nothing: float32, 4x4."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from statistics import geometric_mean
from typing import Any, NamedTuple

from kael.bench.timing import CLOCK, Spread, in_turns, spread_of

__all__ = ["Row", "chains", "imports", "measure", "small_graph"]

OTHER = "torch"
GROUP = "small graphs"
CHAIN = """\
import importlib, json, mmap, pathlib, sys, time

clock = getattr(time, sys.argv[3])
library = importlib.import_module(sys.argv[1])
links = int(sys.argv[2])
if sys.argv[1] == "torch":
    library.set_num_threads(1)
statm = pathlib.Path("/proc/self/statm")


def resident():
    return int(statm.read_text(encoding="ascii").split()[1]) * mmap.PAGESIZE


x = library.tensor(1.0, requires_grad=True)
(x + 1).backward()
x.grad = None
times = []
before = resident() if statm.exists() else None
y = x
start = clock()
for _ in range(links):
    y = y + 1
times.append(clock() - start)
size = None if before is None else (resident() - before) / links
start = clock()
y.backward()
times.append(clock() - start)
assert x.grad.item() == 1.0
y = x
for _ in range(links):
    y = y + 1
start = clock()
del y
times.append(clock() - start)
print(json.dumps([*times, size]))
"""
IMPORT = "from time import {} as clock; start = clock(); import {}; print(clock() - start)"


class Row(NamedTuple):
    """One measurement.

    Attributes
    ----------
    name : str
        What was measured.
    unit : str
        ``s``, ``B`` for bytes, or ``ratio``.
    kael, other : Spread or None
        What kael and the library beside it needed; None where it is not there.
    versus : str
        The library beside it.
    target : float or None
        What kael is to stay under: a ratio, or bytes where the unit is ``B``.
    """

    name: str
    unit: str
    kael: Spread
    other: Spread | None
    versus: str
    target: float | None = None

    @property
    def ratio(self) -> float | None:
        """kael's median over the other's; the row itself where it is about ratios."""
        if self.unit == "ratio":
            return self.kael.median
        return None if self.other is None else self.kael.median / self.other.median

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none or nothing to compare with."""
        reached = self.kael.median if self.unit == "B" else self.ratio
        return None if self.target is None or reached is None else reached <= self.target


def measure(rounds: int, links: int, compiled: bool) -> list[Row]:
    """All rows: small operations and graphs, the import, and the chain.

    Parameters
    ----------
    rounds : int
        Turns of each competitor.
    links : int
        Length of the chain.
    compiled : bool
        Whether the engine is compiled; a plain one has another target.
    """
    return [*small_graph(rounds, compiled), imports(max(rounds // 4, 3)), *chains(links)]


def libraries() -> dict[str, Any]:
    """kael, and PyTorch on one thread where it is installed."""
    found = {"kael": importlib.import_module("kael")}
    try:
        found[OTHER] = importlib.import_module(OTHER)
    except ModuleNotFoundError:
        return found
    found[OTHER].set_num_threads(1)
    return found


COUNTED = ("add", "add, recorded", "matmul, recorded", "w = x*y + x, both ways", "a chain of 100 additions, both ways")


def small_graph(rounds: int, compiled: bool) -> list[Row]:
    """Single operations and small graphs on 4x4 float32, and the geometric mean of the ratios that count."""
    cases: list[tuple[str, Callable[[Any], Callable[[], object]]]] = [
        ("add", addition),
        ("add, recorded", recorded_sum),
        ("mul, recorded, which saves both", recorded_product),
        ("matmul, recorded", recorded_matmul),
        ("w = x*y + x, both ways", forward_and_backward),
        ("a chain of 100 additions, both ways", short_chain),
    ]
    found = libraries()
    rows = []
    for name, prepare in cases:
        times = in_turns({key: prepare(library) for key, library in found.items()}, rounds)
        rows.append(Row(name, "s", times["kael"], times.get(OTHER), "PyTorch"))
    return [*rows, *mean_ratio([row for row in rows if row.name in COUNTED], 0.2 if compiled else None)]


def mean_ratio(rows: list[Row], target: float | None) -> list[Row]:
    """The geometric mean of the rows' ratios as a row of its own; nothing where there is nothing beside kael."""
    ratios = [row.ratio for row in rows if row.ratio is not None]
    if not ratios:
        return []
    mean = single(geometric_mean(ratios))
    return [Row(f"geometric mean of {len(ratios)} ratios, mul left out", "ratio", mean, None, "PyTorch", target)]


def addition(library: Any) -> Callable[[], object]:
    """``x + y`` of two tensors that do not require grad."""
    x, y = library.ones(4, 4), library.ones(4, 4)
    return lambda: x + y


def recorded_sum(library: Any) -> Callable[[], object]:
    """``x + y`` of two tensors that require grad."""
    x, y = library.ones(4, 4, requires_grad=True), library.ones(4, 4, requires_grad=True)
    return lambda: x + y


def recorded_product(library: Any) -> Callable[[], object]:
    """``x * y`` of two tensors that require grad."""
    x, y = library.ones(4, 4, requires_grad=True), library.ones(4, 4, requires_grad=True)
    return lambda: x * y


def recorded_matmul(library: Any) -> Callable[[], object]:
    """``x @ y`` of two tensors that require grad."""
    x, y = library.ones(4, 4, requires_grad=True), library.ones(4, 4, requires_grad=True)
    return lambda: x @ y


def short_chain(library: Any) -> Callable[[], object]:
    """A hundred additions, one after the other, and the gradient of the first operand."""
    x, y = library.ones(4, 4, requires_grad=True), library.ones(4, 4)
    seed = library.ones(4, 4)

    def step() -> None:
        total = x
        for _ in range(100):
            total = total + y
        total.backward(seed)
        x.grad = None

    return step


def forward_and_backward(library: Any) -> Callable[[], object]:
    """The running example with a given seed, and its gradients forgotten again."""
    x, y = library.ones(4, 4, requires_grad=True), library.ones(4, 4, requires_grad=True)
    seed = library.ones(4, 4)

    def step() -> None:
        w = x * y + x
        w.backward(seed)
        x.grad = y.grad = None

    return step


def imports(rounds: int) -> Row:
    """``import kael`` beside ``import numpy``, each in interpreters of its own, in turns, compiled beforehand.

    Python keeps what it compiled of a module; here in a folder of its own, filled by a first round that does not count.
    """
    measured: dict[str, list[float]] = {"kael": [], "numpy": []}
    with tempfile.TemporaryDirectory() as cache:
        setting = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        setting["PYTHONPYCACHEPREFIX"] = cache
        for _ in range(rounds + 1):
            for name, times in measured.items():
                times.append(float(answer("-c", IMPORT.format(CLOCK, name), environment=setting)))
    measured = {name: times[1:] for name, times in measured.items()}
    return Row("import", "s", spread_of(measured["kael"]), spread_of(measured["numpy"]), "import numpy", 1.5)


def answer(*arguments: str, environment: dict[str, str] | None = None) -> str:
    """What a fresh interpreter prints."""
    line = [sys.executable, *arguments]
    return subprocess.run(line, capture_output=True, text=True, check=True, env=environment).stdout


def chains(links: int) -> list[Row]:
    """A chain of additions: seconds a link forward, backward and of letting go without backward, and bytes a link.

    Memory is what the process holds more once the chain is there, asked of Linux; elsewhere it is not measured.
    """
    kael = json.loads(answer("-c", CHAIN, "kael", str(links), CLOCK))
    other = json.loads(answer("-c", CHAIN, OTHER, str(links), CLOCK)) if OTHER in libraries() else None
    names = ("forward", "backward", "teardown without backward")
    rows = []
    for position, name in enumerate(names):
        beside = None if other is None else single(other[position] / links)
        rows.append(Row(f"a link of {links:,}: {name}", "s", single(kael[position] / links), beside, "PyTorch"))
    if kael[-1] is not None:
        beside = None if other is None else single(other[-1])
        rows.append(Row(f"a link of {links:,}: memory", "B", single(kael[-1]), beside, "PyTorch", 1024))
    return rows


def single(value: float) -> Spread:
    """A measurement made once."""
    return Spread(value, value, value)
