"""What the doors over index graphs refuse, and in which words: one place for every rung and for chapters 15 to 18.

An index graph is two integer arrays. Node i takes its inputs from the nodes ``inputs[offsets[i]:offsets[i + 1]]``;
-1 stands for an input that no node made.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from chapters.flat import shape, typecode, values

__all__ = ["check_graph", "check_index", "check_vector"]

NAMES = {"f": "float32", "d": "float64", "q": "int64", "?": "bool"}


def check_vector(op: str, name: str, x: Any, code: str, size: int | None = None) -> None:
    """Raise unless `x` has one axis, elements of the type code and, where it matters, this many of them.

    Raises
    ------
    TypeError
        For another element type.
    ValueError
        For another shape.
    """
    if len(shape(x)) != 1:
        raise ValueError(f"{op}: {name} is {shape(x)}; it must have one axis")
    # A plain list says nothing of its type and takes whatever is stored into it.
    found = code if isinstance(x, list) else typecode(x)
    if found != code:
        raise TypeError(f"{op}: {name} is {NAMES[found]}; it must be {NAMES[code]}")
    if size is not None and shape(x)[0] != size:
        raise ValueError(f"{op}: {name} has {shape(x)[0]} elements; it must have {size}")


def check_index(op: str, name: str, index: int, nodes: int) -> None:
    """Raise unless `index` is the number of a node.

    Raises
    ------
    ValueError
        When it is not.
    """
    if not 0 <= index < nodes:
        raise ValueError(f"{op}: {name} is {index}; the graph has nodes 0 to {nodes - 1}")


def check_graph(op: str, offsets: Any, inputs: Any) -> int:
    """Raise unless the two arrays are an index graph.

    Returns
    -------
    int
        How many nodes it has.

    Raises
    ------
    TypeError
        When an array is not int64.
    ValueError
        When the offsets do not cut `inputs` into one run per node, or an input is no node.
    """
    check_vector(op, "offsets", offsets, "q")
    check_vector(op, "inputs", inputs, "q")
    cuts, sources = values(offsets), values(inputs)
    if not cuts or cuts[0] != 0 or cuts[-1] != len(sources) or any(a > b for a, b in pairwise(cuts)):
        raise ValueError(f"{op}: offsets must rise from 0 to {len(sources)}, the number of inputs")
    nodes = len(cuts) - 1
    for position, source in enumerate(sources):
        if not -1 <= source < nodes:
            raise ValueError(f"{op}: inputs[{position}] is {source}; a node is 0 to {nodes - 1}, and -1 is none")
    return nodes
