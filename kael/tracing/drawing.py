"""The graph of a pass as SVG: no program to install, no identifiers that could clash on a page."""

from __future__ import annotations

from html import escape
from itertools import pairwise

from kael.tracing.graph import Box, Graph
from kael.tracing.layout import lay_out
from kael.tracing.model import Pass
from kael.tracing.numbers import value_text

__all__ = ["in_words", "keys_shown", "svg"]

CHARACTER = 7.3
LINE = 17.0
WIDEST = 30


def svg(record: Pass, graph: Graph, history: list[dict[str, str]], title: str) -> str:
    """The picture, every box with the gradients it holds at the end of a history of changes.

    A line that shows a gradient carries ``data-grad`` with its key, ``data-name`` with the words before it and
    ``data-unset`` with what stands there before one has arrived, so that the stepper can write another step's there.
    """
    grads = {key: text for changed in history for key, text in changed.items()}
    longest = {key: max(len(changed.get(key, "")) for changed in history) for key in grads}
    boxes = [_lines(record, box) for box in graph.boxes]
    sizes = [_size(lines, longest) for lines in boxes]
    layout = lay_out(graph, sizes)
    width, height = round(layout.width), round(layout.height)
    parts = [
        f'<svg class="kt-svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'style="min-width:{width * 4 // 5}px" role="img" '
        f'aria-label="{escape(f"Graph: {title}. {in_words(record, graph)}")}">'
    ]
    for arrow, route in zip(graph.arrows, layout.routes, strict=True):
        parts.append(_arrow(route, f"{arrow.end}-{arrow.position}"))
    for index, (box, lines, place) in enumerate(zip(graph.boxes, boxes, layout.places, strict=True)):
        kind = "kt-fold" if len(box.keys) > 1 else "kt-op" if box.pattern else "kt-leaf"
        left, top = place.x - place.width / 2, place.y - place.height / 2
        radius = 14 if kind == "kt-leaf" else 4
        parts.append(f'<g class="kt-box {kind}" data-box="{index}">')
        parts.append(
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{place.width:.1f}" height="{place.height:.1f}" rx="{radius}"/>'
        )
        for number, (name, key) in enumerate(lines):
            y = top + LINE * (number + 0.95)
            text, data = name, ""
            if key:
                unset = "—" if record.counted or key[0] == "t" else "zeros"
                text = f"{name} {grads.get(key, unset)}"
                data = f' class="kt-grad" data-grad="{key}" data-name="{escape(name)}" data-unset="{unset}"'
            parts.append(f'<text x="{place.x:.1f}" y="{y:.1f}"{data}>{escape(text)}</text>')
        parts.append("</g>")
    return "".join([*parts, "</svg>"])


def keys_shown(record: Pass, graph: Graph) -> set[str]:
    """The gradients that have a line in the picture."""
    return {key for box in graph.boxes for _, key in _lines(record, box) if key}


def in_words(record: Pass, graph: Graph) -> str:
    """The graph as sentences, one per box that takes something."""
    said = []
    for index, box in enumerate(graph.boxes):
        takes = [_title(record, graph.boxes[arrow.start]) for arrow in graph.arrows if arrow.end == index]
        if takes:
            said.append(f"{_title(record, box)} takes {' and '.join(takes)}.")
    return " ".join(said)


def _title(record: Pass, box: Box) -> str:
    if len(box.keys) > 1:
        inside = ", ".join(box.pattern) if len(box.pattern) <= 4 else f"{', '.join(box.pattern[:3])}, …"
        return f"{inside} ×{box.repeats:,}" if box.repeats > 1 else f"{len(box.keys):,} steps: {inside}"
    number = int(box.keys[0][1:])
    if box.keys[0][0] == "t":
        return record.tensors[number].name
    return record.nodes[number].label or record.nodes[number].op


def _lines(record: Pass, box: Box) -> list[tuple[str, str]]:
    """The lines of a box: text, and the key of the gradient that follows it or nothing."""
    title = _short(_title(record, box))
    if len(box.keys) > 1:
        times = f"repeated {box.repeats:,} times" if box.repeats > 1 else f"{len(box.keys):,} boxes in one"
        return [(_short(", ".join(box.pattern)), ""), (times, "")]
    key, number = box.keys[0], int(box.keys[0][1:])
    if key[0] == "t":
        entry = record.tensors[number]
        lines = [(_short(f"{entry.name} = {value_text(entry.value, entry.shape)}"), "")]
        return [*lines, (f"{entry.name}.grad", key)] if entry.requires_grad else [*lines, ("no gradient wanted", "")]
    node = record.nodes[number]
    lines = [(title, "")]
    if record.counted:
        lines += [] if node.count is None else [(f"count {node.count}", "")]
        lines.append(("gradient", key))
        return (
            lines if node.output is None else [*lines, (f"{record.tensors[node.output].name}.grad", f"t{node.output}")]
        )
    if node.output is not None:
        made = record.tensors[node.output]
        lines.append((_short(f"{made.name} = {value_text(made.value, made.shape)}"), ""))
        lines.append((f"{made.name}.grad", f"t{node.output}"))
    return [*lines, (f"nodes[{number}].grad", key)]


def _short(text: str) -> str:
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"


def _size(lines: list[tuple[str, str]], longest: dict[str, int]) -> tuple[float, float]:
    """Room for the lines and for the longest gradient that each comes to show."""
    widest = max(len(name) + (1 + max(longest.get(key, 0), 5) if key else 0) for name, key in lines)
    return CHARACTER * widest + 16, LINE * len(lines) + 9


def _arrow(route: list[tuple[float, float]], key: str) -> str:
    """A smooth line through the points, downwards, and its head."""
    path = [f"M{route[0][0]:.1f} {route[0][1]:.1f}"]
    for (x0, y0), (x1, y1) in pairwise(route):
        middle = (y0 + y1) / 2
        path.append(f"C{x0:.1f} {middle:.1f} {x1:.1f} {middle:.1f} {x1:.1f} {y1:.1f}")
    x, y = route[-1]
    head = f"M{x - 4:.1f} {y - 8:.1f}L{x:.1f} {y:.1f}L{x + 4:.1f} {y - 8:.1f}"
    return f'<path class="kt-arrow" data-arrow="{key}" d="{" ".join(path)}{head}"/>'
