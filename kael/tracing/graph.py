"""The picture's graph: boxes in forward order and the arrows between them, long repetitions folded into one box."""

from __future__ import annotations

from dataclasses import dataclass, field

from kael.tracing.model import Pass

__all__ = ["Arrow", "Box", "Graph", "graph_of"]

LONGEST_PERIOD = 48


@dataclass(slots=True)
class Box:
    """One box of the picture.

    Attributes
    ----------
    keys : list of str
        What it stands for: nodes (``n0``) and leaf tensors (``t0``); several where it is folded.
    op : str
        What it does, for comparing boxes; a leaf tensor's is empty.
    inputs : list of (int, int)
        Index of the box each input comes from, and the input's position.
    repeats : int
        How often its pattern repeats; 1 for a plain box.
    pattern : list of str
        The operations of one repetition; none for a leaf or what accumulates into one.
    """

    keys: list[str]
    op: str
    inputs: list[tuple[int, int]] = field(default_factory=list)
    repeats: int = 1
    pattern: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Arrow:
    """From the box of an input to the box that uses it."""

    start: int
    end: int
    position: int


@dataclass(slots=True)
class Graph:
    """Boxes, every input before what uses it, and arrows."""

    boxes: list[Box]
    arrows: list[Arrow]

    def owners(self) -> dict[str, int]:
        """The box of each node and leaf."""
        return {key: index for index, box in enumerate(self.boxes) for key in box.keys}


def graph_of(record: Pass, most: int = 30) -> Graph:
    """The graph of a pass, folded until it has at most `most` boxes.

    Repetitions (a chain, a loop, a stack of layers) fold first: a run of boxes that is the same wiring three times or
    more becomes one box. Where that is not enough, neighbours in forward order share a box.
    """
    boxes = _boxes(record)
    while len(boxes) > most:
        folded = _fold(boxes)
        if len(folded) == len(boxes):
            boxes = _merge(boxes, [(start, 1) for start in _cuts(len(boxes), most)])
            break
        boxes = folded
    arrows = [
        Arrow(start, end, position) for end, box in enumerate(boxes) for start, position in dict.fromkeys(box.inputs)
    ]
    return Graph(boxes, arrows)


def _boxes(record: Pass) -> list[Box]:
    """One box per node and per leaf tensor that a node takes."""
    boxes: list[Box] = []
    places: dict[str, int] = {}
    for number in _forward_order(record):
        node = record.nodes[number]
        inputs = []
        for position, edge in enumerate(node.edges):
            key = f"n{edge}"
            if edge is None:
                tensor = node.inputs[position]
                if tensor is None:
                    continue
                key = f"t{tensor}"
                if key not in places:
                    places[key] = len(boxes)
                    boxes.append(Box([key], ""))
            inputs.append((places[key], position))
        places[f"n{number}"] = len(boxes)
        accumulates = record.counted and not node.edges
        boxes.append(Box([f"n{number}"], node.op, inputs, pattern=[] if accumulates else [node.op]))
    return boxes


def _forward_order(record: Pass) -> list[int]:
    """Node numbers such that inputs come first; one input's subgraph is finished before the next begins."""
    order: list[int] = []
    seen: set[int] = set()
    for root in sorted(record.nodes):
        stack = [(root, False)]
        while stack:
            number, finished = stack.pop()
            if finished:
                order.append(number)
            elif number not in seen:
                seen.add(number)
                stack.append((number, True))
                stack += [(edge, False) for edge in reversed(record.nodes[number].edges) if edge is not None]
    return order


def _same(boxes: list[Box], index: int, period: int) -> bool:
    """Whether a box takes what the one `period` places before took: the same neighbours, or the same outsiders."""
    now, then = boxes[index], boxes[index - period]
    return len(now.inputs) == len(then.inputs) and all(
        a[1] == b[1] and (a[0] == b[0] + period or a[0] == b[0])
        for a, b in zip(now.inputs, then.inputs, strict=True)
    )  # fmt: skip


def _fold(boxes: list[Box]) -> list[Box]:
    """The boxes with each repetition as one."""
    longest = min(LONGEST_PERIOD, len(boxes) // 3)
    kinds: dict[tuple[str, ...], int] = {}
    kind = [kinds.setdefault((box.op, *box.pattern), len(kinds)) for box in boxes]
    run: dict[int, list[int]] = {}
    for period in range(1, longest + 1):
        lengths = [0] * (len(boxes) + 1)
        for index in range(len(boxes) - 1, period - 1, -1):
            if kind[index] == kind[index - period] and _same(boxes, index, period):
                lengths[index] = lengths[index + 1] + 1
        run[period] = lengths
    groups, start = [], 0
    while start < len(boxes):
        best, repeats = 1, 1
        for period in range(1, min(longest, len(boxes) - start - 1) + 1):
            times = 1 + run[period][start + period] // period
            if times >= 3 and times * period > best * repeats:
                best, repeats = period, times
        groups.append((start, repeats))
        start += best * repeats
    return _merge(boxes, groups)


def _cuts(count: int, most: int) -> list[int]:
    return [count * part // most for part in range(most)]


def _merge(boxes: list[Box], groups: list[tuple[int, int]]) -> list[Box]:
    """One box per group of neighbours, each given by where it begins and how often its pattern repeats."""
    merged: list[Box] = []
    place = [0] * len(boxes)
    ends = [start for start, _ in groups[1:]] + [len(boxes)]
    for (start, repeats), end in zip(groups, ends, strict=True):
        members = boxes[start:end]
        for index in range(start, end):
            place[index] = len(merged)
        if len(members) == 1:
            box = members[0]
            merged.append(Box(box.keys, box.op, box.inputs, box.repeats, box.pattern))
            continue
        once = members[: len(members) // repeats]
        pattern = [_name(box) for box in once if box.pattern]
        op = f"{', '.join(pattern)} ×{repeats}"
        keys = [key for box in members for key in box.keys]
        inputs = [link for box in members for link in box.inputs if link[0] < start]
        merged.append(Box(keys, op, inputs, repeats, pattern))
    for box in merged:
        box.inputs = [(place[index], position) for index, position in box.inputs]
    return merged


def _name(box: Box) -> str:
    inside = ", ".join(box.pattern)
    return inside if box.repeats == 1 else f"({inside}) ×{box.repeats:,}"
