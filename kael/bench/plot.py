"""The rows as bars of their ratios, and on the roofline of the machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kael.bench import gain
from kael.bench.cases import KAEL, Result
from kael.bench.report import Report
from kael.extras import need

__all__ = ["draw", "figure_for"]


def figure_for(path: Path) -> Any:
    """An empty figure of matplotlib, which needs no display.

    Parameters
    ----------
    path : Path
        Where it will be written; the ending of the name says in which format.

    Raises
    ------
    MissingExtra
        When matplotlib is not installed.
    ValueError
        When matplotlib does not write such files.
    """
    figure = need("matplotlib.figure", "train", "kael bench --plot").Figure(layout="constrained")
    known = figure.canvas.get_supported_filetypes()
    if path.suffix.lstrip(".").lower() not in known:
        raise ValueError(f"--plot {path}: matplotlib writes {', '.join(f'.{ending}' for ending in known)}")
    return figure


def draw(report: Report, path: Path) -> None:
    """Write a picture of a run; raises as `figure_for`."""
    figure = figure_for(path)
    compared = [row for row in report.rows if row.ratio is not None]
    figure.set_size_inches(14, max(6.0, 0.22 * len(compared) + 2))
    left, right = figure.subplots(1, 2)
    bars(left, compared)
    roofline(right, report)
    figure.savefig(path)


def bars(axes: Any, rows: list[Result]) -> None:
    """kael's time over the other library's, one bar a row, the first row on top."""
    names = [f"{row.name} ({row.versus})" for row in rows]
    axes.barh(names, [row.ratio for row in rows], color=["C0" if (row.ratio or 0) <= 1 else "C3" for row in rows])
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.set_xticks([0.1, 0.2, 0.5, 1, 2, 5], labels=["0.1", "0.2", "0.5", "1", "2", "5"])
    axes.minorticks_off()
    axes.margins(y=1 / (len(rows) + 1))
    axes.invert_yaxis()
    axes.tick_params(axis="y", labelsize=7)
    axes.set_xlabel("kael's time over the time of the library in brackets")


def roofline(axes: Any, report: Report) -> None:
    """Operations a second over operations a byte, below what memory and arithmetic allow."""
    peaks = report.peaks
    rows = [row for row in report.rows if row.work and row.traffic and row.kind != gain.KIND]  # of one thread
    intensity = [row.work / row.traffic for row in rows]
    if rows:
        first, last = min(*intensity, 1 / 64), max(*intensity, 256.0)
        for name, bandwidth in (("a million elements", peaks.near), ("beyond the caches", peaks.memory)):
            knee = peaks.arithmetic / bandwidth
            roof = [first * bandwidth, peaks.arithmetic, peaks.arithmetic]
            axes.plot([first, knee, max(last, knee)], roof, label=f"{name}: {bandwidth / 1e9:.0f} GB/s")
        axes.plot(intensity, [row.work / row.times[KAEL].median for row in rows], "o", color="C0", markersize=4)
        for row, place in zip(rows, intensity, strict=True):
            axes.annotate(row.name, (place, row.work / row.times[KAEL].median), fontsize=6)
        axes.legend(loc="lower right")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("floating-point operations a byte")
    axes.set_ylabel("floating-point operations a second")
