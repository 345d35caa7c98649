"""``kael bench``: what operations and kernels cost, how that grows with the graph, and what a training step holds."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

from kael.bench import alone, assembly, baseline, memory, plot, report, scaling, tuning
from kael.bench.overhead import Row, measure
from kael.bench.report import version_of
from kael.bench.timing import CLOCK, Spread
from kael.config import aligned, engine_line, engine_modules

__all__ = ["main"]

KERNELS = {
    "elementwise": "functions of a million elements, forward and backward, beside NumPy and PyTorch",
    "reductions": "sums, extremes, softmax, layer_norm and cross_entropy of a 1024x1024 matrix",
    "matmul": "matrix products of many sizes, and kael's own kernel beside NumPy's BLAS",
    "conv": "convolution and pooling of small and middling images",
    "attention": "scaled dot product attention, short and long, causal or not",
    "train": "whole training steps: an MLP, a CNN, a GPT",
    "threads": "what a second thread gains in large cases",
    "all": "all of these, and what an operation costs beside its arithmetic",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``kael bench``; returns the exit code."""
    outer = argparse.ArgumentParser(prog="kael bench", description="Measure kael.")
    kinds = outer.add_subparsers(dest="kind", required=True, metavar="WHAT")
    overhead = kinds.add_parser("overhead", help="what an operation costs beside its arithmetic")
    overhead.add_argument("--json", action="store_true", help="print JSON")
    overhead.add_argument("--quick", action="store_true", help="fewer turns and a chain of 20,000 links")
    growing = kinds.add_parser("scaling", help="what a node costs in graphs of a thousand to a million")
    growing.add_argument("--quick", action="store_true", help="up to 100,000 nodes")
    holding = kinds.add_parser("memory", help="what a training step holds at most, and what it leaves behind")
    holding.add_argument("--quick", action="store_true", help="1,000 steps in place of 10,000")
    for kind, summary in KERNELS.items():
        add_comparison(kinds, kind, summary)
    options = outer.parse_args(arguments)
    if options.kind == "matmul" and options.tune:
        return tuning.run(options.quick)
    if options.kind == "matmul" and options.assembly:
        return assembly.run(options.json)
    if options.kind in KERNELS:
        every = [alone.OVERHEAD, *alone.KINDS, alone.THREADED]
        return compare(every if options.kind == "all" else [options.kind], options)
    if options.kind == "scaling":
        print(growth_as_text(scaling.measure(scaling.SIZES[:3] if options.quick else scaling.SIZES)))
        return 0
    if options.kind == "memory":
        if not memory.available():
            print("kael bench memory: this system does not tell what a process holds (/proc/self/status is missing)")
            return 1
        print(memory_as_text(memory.peaks(), memory.growth(1_000 if options.quick else 10_000)))
        return 0
    _, plain = engine_modules()
    rows = measure(9 if options.quick else 61, 20_000 if options.quick else 1_000_000, compiled=not plain)
    print(as_json(rows) if options.json else as_text(rows))
    return 0


def add_comparison(kinds: argparse._SubParsersAction[argparse.ArgumentParser], kind: str, summary: str) -> None:
    """The subcommand of a kind of kernels."""
    parser = kinds.add_parser(kind, help=summary)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--quick", action="store_true", help=f"{alone.QUICK_ROUNDS} turns in place of {alone.ROUNDS}")
    parser.add_argument("--save", metavar="FILE", type=Path, help="write the JSON to a file, for --baseline")
    parser.add_argument(
        "--baseline", metavar="FILE", type=Path,
        help="say what became slower since an earlier run; exit code 1 when something did",
    )  # fmt: skip
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draw bars and the roofline, as .png, .svg or .pdf")
    if kind == "matmul":
        parser.add_argument(
            "--tune", action="store_true", help="find the size from which on products should go to NumPy's BLAS"
        )
        parser.add_argument(
            "--assembly",
            action="store_true",
            help="show the innermost loop of the built kernel, and count what it does",
        )


def compare(kinds: list[str], options: argparse.Namespace) -> int:
    """Measure kinds of kernels; what cannot work is refused before anything is measured."""
    for path in (options.save, options.plot):
        if path and not path.parent.is_dir():
            raise FileNotFoundError(2, "there is no such folder", str(path.parent))
    try:
        alone.refuse_plain_loops()
        if options.plot:
            plot.figure_for(options.plot)
        earlier = baseline.load(options.baseline, kinds) if options.baseline else None
    except ValueError as error:
        print(f"kael bench: {error}", file=sys.stderr)
        return 1
    try:
        found = alone.run(kinds, options.quick)
    except alone.Stopped as error:
        print(f"kael bench: {error}", file=sys.stderr)
        return 1
    text = report.to_json(found)
    print(text if options.json else report.as_text(found))
    if options.save:
        options.save.write_text(text + "\n", encoding="utf-8")
    if options.plot:
        plot.draw(found, options.plot)
    if earlier is None:
        return 0
    differing = baseline.changes(earlier, found)
    print(f"\n{baseline.as_text(differing)}", file=sys.stderr if options.json else sys.stdout)
    return 1 if any(change.slower for change in differing) else 0


def torch_version() -> str | None:
    """PyTorch's version, None where it is not installed."""
    return version_of("torch")


def as_json(rows: Sequence[Row]) -> str:
    """The rows as JSON, with ratio and verdict."""
    shown = [row._asdict() | {"ratio": row.ratio, "met": row.met} for row in rows]
    for row in shown:
        row.update({key: row[key] and row[key]._asdict() for key in ("kael", "other")})
    about = {"python": platform.python_version(), "torch": torch_version(), "engine": engine_line()}
    return json.dumps(about | {"rows": shown}, indent=1)


def as_text(rows: Sequence[Row]) -> str:
    """The rows as a table: median, and the middle half of the measurements in brackets."""
    version = torch_version()
    beside = f"PyTorch {version} on one thread" if version else "PyTorch is not installed: kael alone"
    lines: list[tuple[str, ...]] = [("float32, 4x4", "kael", "beside it", "ratio", "target")]
    for row in rows:
        other = "-" if row.other is None else f"{quantity(row.other, row.unit)} {row.versus}"
        ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
        mine = "" if row.unit == "ratio" else quantity(row.kael, row.unit)
        lines.append((row.name, mine, other, ratio, verdict(row)))
    clock = "CPU time" if CLOCK == "process_time" else "time"
    return f"engine {engine_line()}; {beside}; median {clock} [quartiles]\n\n{aligned(lines)}"


def growth_as_text(rows: Sequence[scaling.Growth]) -> str:
    """Microseconds a node at each size, the power of the number of nodes, and the last size over the first."""
    sizes = rows[0].sizes
    lines = [("graph", "phase", "", *[f"{size:,}" for size in sizes], "power", "end to end")]
    for row in rows:
        costs = [f"{second * 1e6:.2f} µs" for second in row.seconds]
        ends = f"{row.end_to_end:.2f}"
        if row.library == "kael":
            ends += "  at most 2: " + ("met" if row.end_to_end <= 2 else "missed")
        lines.append((row.shape, row.phase, row.library, *costs, f"{row.exponent:.2f}", ends))
    return f"time a node, by the number of nodes\n\n{aligned(lines)}"


def memory_as_text(peaks: Sequence[memory.Peak], held: Sequence[int]) -> str:
    """Each model's peak in MB beside PyTorch's, and what the process held while steps went by."""
    lines: list[tuple[str, ...]] = [("ten training steps", "kael", "PyTorch", "ratio")]
    for model, description in memory.MODELS.items():
        found = {peak.library: peak.size for peak in peaks if peak.model == model}
        other = next((size for library, size in found.items() if library != "kael"), None)
        beside = ("-", "-") if other is None else (f"{other / 1e6:.1f} MB", f"{found['kael'] / other:.2f}")
        lines.append((f"{model}, {description}", f"{found['kael'] / 1e6:.1f} MB", *beside))
    moments = ", ".join(f"{size / 1e6:.2f}" for size in held)
    return (
        f"peak memory beyond parameters and data\n\n{aligned(lines)}\n\n"
        f"held while steps go by, garbage collector off, in MB: {moments}"
    )


def verdict(row: Row) -> str:
    """The target and whether it is met."""
    if row.target is None:
        return ""
    wanted = f"under {row.target:g} B" if row.unit == "B" else f"at most {row.target:g}"
    return wanted if row.met is None else f"{wanted}: {'met' if row.met else 'missed'}"


def quantity(spread: Spread, unit: str) -> str:
    """A median with its spread in a fitting unit, such as ``0.42 µs [0.41, 0.45]``."""
    if unit == "B":
        return f"{spread.median:.0f} B"
    scale, name = (1e6, "µs") if spread.median < 1e-3 else (1e3, "ms")
    middle = f"{spread.median * scale:.2f} {name}"
    return middle if spread.low == spread.high else f"{middle} [{spread.low * scale:.2f}, {spread.high * scale:.2f}]"
