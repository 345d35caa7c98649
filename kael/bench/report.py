"""What a run found: the machine, its peaks and the rows; to and from JSON, and as a table."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from statistics import geometric_mean
from typing import Any, NamedTuple

import kael
from kael import kernels
from kael.bench import elementwise, gain, overhead, products
from kael.bench.cases import KAEL, NUMPY, ONE, RUNG, TORCH, Result
from kael.bench.peak import Peaks
from kael.bench.timing import CLOCK, Spread
from kael.config import aligned

__all__ = ["TARGETS", "WORST", "Group", "Report", "about", "as_text", "from_json", "groups", "to_json"]

TARGETS = {elementwise.GROUP: 0.80, products.GROUP: 0.90, products.OWN: 1.11, overhead.GROUP: 0.20, gain.GROUP: 1 / 1.7}
WORST = 1.25  # no row of a group above this


class Report(NamedTuple):
    """A run."""

    about: dict[str, Any]
    peaks: Peaks
    rows: list[Result]


class Group(NamedTuple):
    """Rows whose geometric mean has a target.

    Attributes
    ----------
    name : str
        The group.
    rows : int
        How many rows of it were measured.
    mean, target : float
        The geometric mean of their ratios, and what it may be at most.
    worst : str
        The row with the highest ratio.
    highest : float
        That ratio.
    """

    name: str
    rows: int
    mean: float
    target: float
    worst: str
    highest: float

    @property
    def met(self) -> bool:
        """Whether the mean is within the target."""
        return self.mean <= self.target

    @property
    def worst_met(self) -> bool:
        """Whether no row is above the limit for single rows."""
        return self.highest <= WORST


def about(kinds: Sequence[str]) -> dict[str, Any]:
    """The machine and the versions, as the child process that measures finds them."""
    return {
        "kinds": list(kinds),
        "kael": kael.__version__,
        "python": platform.python_version(),
        "numpy": metadata.version("numpy"),
        "torch": version_of("torch"),
        "machine": machine(),
        "instruction_set": kernels.instruction_set(kernels.chapter("ch12")),
        "rung": kernels.rung_of(kernels.chapter("ch12")),
        "threads": int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1)),
        "clock": CLOCK,
    }


def version_of(package: str) -> str | None:
    """A package's version, None where it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def machine() -> str:
    """The processor's name as Linux has it, else the platform's word for it."""
    described = Path("/proc/cpuinfo")
    if described.is_file():
        for line in described.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def groups(rows: Sequence[Result]) -> list[Group]:
    """The groups that have rows with something to compare with."""
    found = []
    for name, target in TARGETS.items():
        ratios = {row.name: row.ratio for row in rows if row.group == name and row.ratio is not None}
        if ratios:
            worst = max(ratios, key=ratios.__getitem__)
            found.append(Group(name, len(ratios), geometric_mean(ratios.values()), target, worst, ratios[worst]))
    return found


def to_json(report: Report) -> str:
    """A run as JSON; ratios and verdicts are there to be read, and made anew from the times by `from_json`."""
    rows = [
        row._asdict()
        | {"times": {name: spread._asdict() for name, spread in row.times.items()}}
        | {"ratio": row.ratio, "over_numpy": row.over(NUMPY), "bytes_per_second": row.bandwidth}
        | {"flop_per_second": row.rate}
        for row in report.rows
    ]
    verdicts = [
        group._asdict() | {"met": group.met, "limit": WORST, "limit_met": group.worst_met}
        for group in groups(report.rows)
    ]
    whole = {"about": report.about, "peaks": report.peaks._asdict(), "groups": verdicts, "rows": rows}
    return json.dumps(whole, indent=1)


def from_json(text: str) -> Report:
    """A run that `to_json` wrote.

    Raises
    ------
    ValueError
        When it is not JSON, or not of a run.
    """
    whole = json.loads(text)
    try:
        rows = [
            Result(
                row["kind"], row["name"], row["group"], row["versus"], row["traffic"], row["work"],
                {name: Spread(**spread) for name, spread in row["times"].items()},
            )
            for row in whole["rows"]
        ]  # fmt: skip
        return Report(dict(whole["about"]), Peaks(**whole["peaks"]), rows)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error


def as_text(report: Report) -> str:
    """The rows as tables, one for each kind, and the groups with their targets."""
    told, peaks = report.about, report.peaks
    torch = f"PyTorch {told['torch']}" if told["torch"] else "PyTorch is not installed"
    built = f"kael {told['kael']}, {told['rung']} ({told['instruction_set']})"
    clock = "CPU time" if told["clock"] == "process_time" else "time"
    parts = [
        f"{told['machine']}; {built}; NumPy {told['numpy']}, {torch}; float32, "
        f"one thread, median {clock} and half the distance of its quartiles\n"
        f"peaks: {peaks.near / 1e9:.1f} GB/s over arrays of a million, "
        f"{peaks.memory / 1e9:.1f} GB/s beyond the caches, {peaks.arithmetic / 1e9:.1f} Gflop/s"
    ]
    for kind in dict.fromkeys(row.kind for row in report.rows):
        chosen = [row for row in report.rows if row.kind == kind]
        if kind == gain.KIND:
            parts.append(threads_as_text(chosen))
            continue
        lines = [(kind, "/PyTorch", "/NumPy", "kael", RUNG, NUMPY, TORCH, "GB/s", "of peak", "Gflop/s", "of peak")]
        parts.append(aligned([*lines, *[line_of(row, peaks) for row in chosen]]))
    if verdicts := groups(report.rows):
        parts.append(groups_as_text(verdicts))
    return "\n\n".join(parts)


def threads_as_text(rows: Sequence[Result]) -> str:
    """What two threads gain, in time that passes."""
    lines: list[tuple[str, ...]] = [("two threads", "gain", KAEL, ONE, f"{TORCH} on two", "/PyTorch")]
    for row in rows:
        times = [row.times.get(name) for name in (KAEL, ONE, TORCH)]
        shown = ["-" if spread is None else quantity(spread) for spread in times]
        lines.append((row.name, f"{1 / (row.ratio or 1):.2f}", *shown, ratio_as_text(row.over(TORCH))))
    return aligned(lines)


def line_of(row: Result, peaks: Peaks) -> tuple[str, ...]:
    """A row as cells."""
    times = [row.times.get(name) for name in (KAEL, RUNG, NUMPY, TORCH)]
    return (
        row.name,
        ratio_as_text(row.over(TORCH)),
        ratio_as_text(row.over(NUMPY)),
        *["-" if spread is None else quantity(spread) for spread in times],
        *share(row.bandwidth, peaks.near),
        *share(row.rate, peaks.arithmetic),
    )


def ratio_as_text(ratio: float | None) -> str:
    """A ratio with two decimals."""
    return "-" if ratio is None else f"{ratio:.2f}"


def share(value: float | None, peak: float) -> tuple[str, str]:
    """Billions a second, and their part of a peak."""
    return ("-", "-") if value is None else (f"{value / 1e9:.1f}", f"{value / peak:.0%}")


def groups_as_text(verdicts: Sequence[Group]) -> str:
    """The groups as a table."""
    lines: list[tuple[str, ...]] = [("group", "rows", "mean ratio", "target", "highest ratio", f"at most {WORST}")]
    for group in verdicts:
        mean = f"at most {group.target:.2f}: {'met' if group.met else 'missed'}"
        highest = f"{group.highest:.2f}, {group.worst}"
        lines.append(
            (group.name, f"{group.rows}", f"{group.mean:.2f}", mean, highest, "met" if group.worst_met else "missed")
        )
    return aligned(lines)


def quantity(spread: Spread) -> str:
    """A median in a fitting unit with half the distance of its quartiles.

    Examples
    --------
    >>> quantity(Spread(4.2e-7, 4.1e-7, 4.6e-7))
    '0.420 µs ±6%'
    >>> quantity(Spread(0.1204, 0.12, 0.121))
    '120 ms ±0%'
    """
    scale, unit = (1e6, "µs") if spread.median < 1e-3 else (1e3, "ms")
    value = spread.median * scale
    shown = f"{value:#.3g}" if value < 100 else f"{value:.0f}"
    return f"{shown} {unit} ±{(spread.high - spread.low) / 2 / spread.median:.0%}"
