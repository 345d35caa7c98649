"""Whether the cost of a node stays the same while graphs grow from a thousand nodes to a million."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import NamedTuple

from kael.bench.overhead import OTHER, answer, libraries
from kael.bench.timing import CLOCK

__all__ = ["PHASES", "SHAPES", "SIZES", "Growth", "measure"]

SIZES = (1_000, 10_000, 100_000, 1_000_000)
SHAPES = ("chain", "fan")
PHASES = ("forward", "backward", "teardown", "together")
GRAPH = """\
import gc, importlib, json, sys, time

clock = getattr(time, sys.argv[3])
library = importlib.import_module(sys.argv[1])
shape, size, repeats = sys.argv[2], int(sys.argv[4]), int(sys.argv[5])
if sys.argv[1] == "torch":
    library.set_num_threads(1)
x = library.tensor(1.0, requires_grad=True)


def chain():
    y = x
    for _ in range(size):
        y = y + 1
    return y


def fan():
    return library.stack([x + 1 for _ in range(size)]).sum()


build = {"chain": chain, "fan": fan}[shape]
found = []
for _ in range(repeats):
    gc.collect()
    times = [clock()]
    y = build()
    times.append(clock())
    y.backward()
    times.append(clock())
    assert x.grad.item() == (size if shape == "fan" else 1)
    x.grad = None
    y = build()
    times.append(clock())
    del y
    times.append(clock())
    found.append([times[1] - times[0], times[2] - times[1], times[4] - times[3]])
print(json.dumps([min(column) for column in zip(*found)]))
"""


class Growth(NamedTuple):
    """What a node costs at each size, for one shape of graph and one phase.

    Attributes
    ----------
    shape : {"chain", "fan"}
        Nodes one after the other, or side by side.
    phase : {"forward", "backward", "teardown", "together"}
        Building, the backward pass, letting go of a graph that no backward pass has used, or the sum of the three.
    library : str
        kael, or what stands beside it.
    seconds : tuple of float
        Per node, at each of the sizes.
    sizes : tuple of int
        Numbers of nodes.
    """

    shape: str
    phase: str
    library: str
    seconds: tuple[float, ...]
    sizes: tuple[int, ...]

    @property
    def exponent(self) -> float:
        """The power of the number of nodes with which the whole time grows, by least squares in logarithms."""
        x = [math.log(size) for size in self.sizes]
        y = [math.log(size * second) for size, second in zip(self.sizes, self.seconds, strict=True)]
        middle, level = sum(x) / len(x), sum(y) / len(y)
        slope = sum((a - middle) * (b - level) for a, b in zip(x, y, strict=True))
        return slope / sum((a - middle) ** 2 for a in x)

    @property
    def end_to_end(self) -> float:
        """A node's cost in the largest graph over its cost in the smallest."""
        return self.seconds[-1] / self.seconds[0]


def measure(sizes: Sequence[int] = SIZES) -> list[Growth]:
    """All shapes and phases, each size in an interpreter of its own; the quickest of several runs."""
    found = []
    for shape in SHAPES:
        for library in ("kael", OTHER) if OTHER in libraries() else ("kael",):
            times = [
                json.loads(answer("-c", GRAPH, library, shape, CLOCK, str(size), str(max(3, 30_000 // size))))
                for size in sizes
            ]
            for position, phase in enumerate(PHASES):
                seconds = tuple([[*time, sum(time)][position] / size for time, size in zip(times, sizes, strict=True)])
                found.append(Growth(shape, phase, library, seconds, tuple(sizes)))
    return found
