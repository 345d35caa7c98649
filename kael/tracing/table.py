"""The worked table of a backward pass: one row per step, each cell a list of short lines."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field

from kael.tracing.graph import graph_of
from kael.tracing.model import Contribution, Gradient, Pass, Step
from kael.tracing.numbers import SHOWN_IN_PICTURES, buffer_name, gradient_text, value_text
from kael.tracing.rules import local_rule, worked

__all__ = ["Row", "Table", "markdown", "table_of", "text"]

NONE = "—"
SHOWN_ITEMS = 10
FRESH_BUFFERS = 4
KEPT_OF_A_RUN = 3
Cells = tuple[list[str], list[str], list[str], list[str]]


@dataclass(slots=True)
class Row:
    """One step of a table.

    Attributes
    ----------
    cells : list of list of str
        The lines of each cell.
    node : int or None
        The node concerned.
    said : str
        The step as a sentence, for readers who hear it.
    passed : list of int
        The node's inputs that got a gradient, by position.
    changed : dict of str to str
        The gradients that the step has changed, of tensors (``t0``) and nodes (``n0``).
    """

    cells: list[list[str]]
    node: int | None
    said: str
    passed: list[int] = field(default_factory=list)
    changed: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Table:
    """A table with its closing line.

    Attributes
    ----------
    columns : list of str
        Headings.
    rows : list of Row
        The steps.
    closing : str
        The gradients of the leaves when the pass was over.
    """

    columns: list[str]
    rows: list[Row]
    closing: str


def table_of(record: Pass, most: int | None = 60) -> Table:
    """The table of a pass, in the form of its engine.

    A pass of chapter 17's engine shows the seed as step 0, the local rules, the running totals and what each
    GraphNode keeps; one of kael's engine shows the dependency counts and the ready list. A graph that nobody has walked
    yet shows what was recorded. A column in which no step has anything to say is left out.

    Parameters
    ----------
    record : Pass
        The pass.
    most : int or None
        With more steps than that, visits inside one repetition (a loop, a stack of layers) share a row; None shows
        every step.
    """
    form = _Counted if record.counted else _Listed if record.steps else _Recorded
    return form(record).table(most)


class _Form:
    """What both forms share: the pass, and which buffer each gradient lies in after each step."""

    columns: tuple[str, ...] = ()
    first = 0

    def __init__(self, record: Pass) -> None:
        self.record = record
        self.steps = record.steps
        self.held: dict[str, int | None] = {}
        self.changed: dict[str, str] = {}
        self.written: set[int | None] = set()
        self.hidden = False

    def table(self, most: int | None) -> Table:
        stretches = {} if most is None or len(self.steps) <= most else _stretches(self.record, self.steps, most)
        rows, last = [], -1
        for index, step in enumerate(self.steps):
            last = stretches.get(index, last)
            self.hidden = index <= last
            row = self.row(self.first + index, step)
            if index < last:
                continue
            if index == last:
                begin = next(start for start, end in stretches.items() if end == last)
                row = self.summary(begin, last)
            row.changed, self.changed = self.changed, {}
            rows.append(row)
        told = [place for place in range(len(self.columns)) if any(row.cells[place] != [NONE] for row in rows)]
        for row in rows:
            row.cells = [row.cells[place] for place in told]
        return Table([self.columns[place] for place in told], rows, self.closing())

    def row(self, number: int, step: Step) -> Row:
        raise NotImplementedError

    def summary(self, begin: int, end: int) -> Row:
        """One row for the steps from `begin` to `end`."""
        self.hidden = False
        count = end - begin + 1
        cells = [[NONE] for _ in self.columns]
        cells[0], cells[1] = [f"{self.first + begin} to {self.first + end}"], [f"{count:,} more such steps"]
        cells[-1] = self.buffers()
        return Row(cells, self.steps[end].node, f"{count:,} more such steps.")

    def label(self, node: int | None) -> str:
        return NONE if node is None else self.record.nodes[node].label or f"nodes[{node}]"

    def tensor(self, number: int) -> str:
        return self.record.tensors[number].name

    def receiver(self, passed: Contribution) -> str:
        return self.label(passed.target) if passed.tensor is None else self.tensor(passed.tensor)

    def buffers(self) -> list[str]:
        """Every buffer that holds a gradient now, with all the names it goes by; of many, the newest."""
        if self.hidden:
            return []
        named: dict[int, list[str]] = {}
        for name, number in self.held.items():
            if number is None:
                continue
            named.setdefault(number, []).append(name)
        lines = {number: f"{buffer_name(number)}: {_listed(named[number])}" for number in sorted(named)}
        if len(lines) <= SHOWN_ITEMS:
            return list(lines.values()) or [NONE]
        fresh = sorted(lines)[-FRESH_BUFFERS:]
        return [f"{len(lines) - len(fresh):,} older buffers", *(lines[number] for number in fresh)]

    def closing(self) -> str:
        said = []
        for entry in self.record.tensors:
            if entry.producer is None and entry.requires_grad:
                held = "is not set" if entry.grad is None else f"= {gradient_text(entry.grad)}"
                said.append(f"{entry.name}.grad {held}")
        ended = "" if self.record.finished else "stopped before its end; "
        return ended + ", ".join(_capped(said, "leaves"))


def _stretches(record: Pass, steps: list[Step], most: int) -> dict[int, int]:
    """Where rows are left out: the first and the last step of each stretch.

    Inside a run of visits to one folded box all but the first two and the last; where that leaves too many rows, also
    the middle of what is left.
    """
    graph = graph_of(record)
    owners = graph.owners()
    boxes = [owners.get(f"n{step.node}") for step in steps]
    found: dict[int, int] = {}
    start, shown = 0, 0
    for index in range(1, len(steps) + 1):
        if index == len(steps) or boxes[index] != boxes[start] or boxes[index] is None:
            if index - start > KEPT_OF_A_RUN + 1:
                found[start + 2] = index - 2
            shown += min(index - start, KEPT_OF_A_RUN + 1)
            start = index
    return found if shown <= 2 * most else {most // 2: len(steps) - most // 2 - 1}


def _listed(names: list[str]) -> str:
    return ", ".join(_capped(names, "names"))


def _capped(items: list[str], what: str) -> list[str]:
    """The items, or the first of them and how many more there are."""
    if len(items) <= SHOWN_ITEMS:
        return items
    return [*items[: SHOWN_ITEMS - 1], f"and {len(items) - SHOWN_ITEMS + 1:,} more {what}"]


def _kept(gradient: Gradient) -> str:
    """A gradient with the memory it lies in, short enough for a box of the picture."""
    place = "" if gradient.buffer is None else f" in {buffer_name(gradient.buffer)}"
    return gradient_text(gradient, SHOWN_IN_PICTURES) + place


def _total(name: str, passed: Contribution) -> str:
    """How a receiver came to what it holds."""
    now = gradient_text(passed.total)
    if passed.action == "assign" or passed.before is None:
        return f"{name}: {now}"
    before, new = gradient_text(passed.before), gradient_text(passed.gradient)
    if passed.action == "overwrite":
        return f"{name}: {now} (its {before} is lost)"
    return f"{name}: {before} + {new} = {now}"


class _Recorded(_Form):
    """Chapter 15: the operations in the order in which they were recorded, before any walk."""

    columns = ("Step", "Operation", "Inputs", "Made by", "Output", "grad_fn_index")

    first = 1

    def __init__(self, record: Pass) -> None:
        super().__init__(record)
        self.steps = [Step("record", number) for number in record.nodes]

    def row(self, number: int, step: Step) -> Row:
        assert step.node is not None
        node, tensors = self.record.nodes[step.node], self.record.tensors
        taken = [tensors[place] for place in node.inputs if place is not None]
        inputs = [f"{entry.name} = {value_text(entry.value, entry.shape)}" for entry in taken]
        makers = [
            f"{entry.name}: " + ("no node" if entry.producer is None else f"nodes[{entry.producer}]")
            for entry in taken
        ]  # fmt: skip
        output, index = NONE, NONE
        if node.output is not None:
            made = tensors[node.output]
            output, index = f"{made.name} = {value_text(made.value, made.shape)}", str(made.producer)
        cells = [[str(number)], [node.op], inputs, makers, [output], [index]]
        said = f"{node.label} is recorded as nodes[{step.node}]. {output}."
        return Row(cells, step.node, said, list(range(len(node.inputs))))

    def closing(self) -> str:
        count = len(self.steps)
        return f"{count:,} node{'' if count == 1 else 's'} recorded; no backward ran"


class _Listed(_Form):
    """Chapter 17: the list of nodes walked backwards."""

    columns = (
        "Step", "Node visited", "Incoming gradient", "Local rule", "Result", "Running totals", "GraphNode.grad",
        "Buffers",
    )  # fmt: skip

    def row(self, number: int, step: Step) -> Row:
        if step.kind == "seed":
            visited, (incoming, rule, result, totals), said = "(seed)", *self._seed(step)
        elif step.kind == "visit":
            visited, (incoming, rule, result, totals), said = self.label(step.node), *self._visit(step)
        else:
            why = {"is_zero": "its gradient is zero", "no gradient": "no gradient came"}.get(step.reason, step.reason)
            visited, said = self.label(step.node), f"{self.label(step.node)} is skipped: {why}."
            incoming, rule, result, totals = [NONE], [NONE], [f"skipped: {why}"], [NONE]
        cells = [[str(number)], [visited], incoming, rule, result, totals, self._mirrored(step), self.buffers()]
        return Row(cells, step.node, said, [passed.position for passed in step.contributions])

    def _mirrored(self, step: Step) -> list[str]:
        """The writes to the gradients that the nodes keep; where one was skipped, that there has been none."""
        for node, gradient in step.mirrored:
            self.held[f"nodes[{node}].grad"] = gradient.buffer
            self.changed[f"n{node}"] = _kept(gradient)
            self.written.add(node)
        if step.kind == "skip" and step.node not in self.written:
            return [f"nodes[{step.node}]: never written"]
        return [f"nodes[{node}]: {gradient_text(gradient)}" for node, gradient in step.mirrored] or [NONE]

    def _seed(self, step: Step) -> tuple[Cells, str]:
        assert step.gradient is not None and step.tensor is not None
        name, value = self.tensor(step.tensor), gradient_text(step.gradient)
        self._hold(step.tensor, step.gradient)
        rule = f"∂{name}/∂{name} = 1, whatever {name} is"
        said = f"Seed: {name}.grad = {value}."
        return ([NONE], [rule], [f"{name}.grad = {value}"], [f"{name}: {value}"]), said

    def _visit(self, step: Step) -> tuple[Cells, str]:
        assert step.gradient is not None and step.node is not None
        node, gradient = self.record.nodes[step.node], step.gradient
        incoming = gradient_text(gradient)
        if node.output is not None:
            incoming = f"{self.tensor(node.output)}.grad = {incoming}"
        values = [None if number is None else self.record.tensors[number].value for number in node.inputs]
        output = None if node.output is None else self.record.tensors[node.output].value
        results, totals = [], []
        for passed in step.contributions:
            name, got = self.receiver(passed), gradient_text(passed.gradient)
            product = worked(node.op, passed.position, gradient.value, values, output, passed.gradient.value)
            results.append(f"{name} gets {got}" if product is None else f"{name} gets {product} = {got}")
            totals.append(_total(name, passed))
            if passed.tensor is not None:
                self._hold(passed.tensor, passed.total)
        rule = node.rule or local_rule(node.op)
        said = f"{self.label(step.node)}, {incoming}. " + "; ".join(results) + ". Totals: " + "; ".join(totals) + "."
        return ([incoming], [rule], results or [NONE], totals or [NONE]), said

    def _hold(self, tensor: int, gradient: Gradient) -> None:
        self.held[f"{self.tensor(tensor)}.grad"] = gradient.buffer
        self.changed[f"t{tensor}"] = _kept(gradient)


class _Counted(_Form):
    """ADR 0005: nodes run when their dependency count is zero."""

    columns = ("Step", "Node", "Incoming gradient", "Result", "Dependency counts", "Ready list", "Buffers")

    first = 1

    def __init__(self, record: Pass) -> None:
        super().__init__(record)
        self.seeds = {step.node for step in record.steps if step.kind == "seed"}
        self.steps = [step for step in record.steps if step.kind != "seed"]

    def row(self, number: int, step: Step) -> Row:
        label = self.label(step.node)
        if step.gradient is None:
            why = step.reason or "no gradient came"
            cells = [[str(number)], [label], [NONE], [f"skipped: {why}"], [NONE], [NONE], self.buffers()]
            return Row(cells, step.node, f"{label} is skipped: {why}.")
        value = gradient_text(step.gradient)
        incoming = f"{value} (seed, shape {step.gradient.shape})" if step.node in self.seeds else value
        self.held[label] = step.gradient.buffer
        self.changed[f"n{step.node}"] = _kept(step.gradient)
        results, counts = [], []
        ready = [] if step.ready is None else [self.label(node) for node in step.ready]
        for passed in step.contributions:
            results.append(self._result(passed))
            if passed.pending is not None:
                counts.append(f"{self.label(passed.target)}: {passed.pending + 1} → {passed.pending}")
                if passed.pending == 0:
                    ready.append(self.label(passed.target))
        waiting = _listed(ready) or "empty"
        cells = [
            [str(number)], [label], [incoming], results or [NONE], counts or [NONE], [waiting], self.buffers(),
        ]  # fmt: skip
        del self.held[label]
        said = f"{label} runs with {incoming}. " + "; ".join(results + counts) + f". Ready: {waiting}."
        return Row(cells, step.node, said, [passed.position for passed in step.contributions])

    def _result(self, passed: Contribution) -> str:
        new, now = gradient_text(passed.gradient), gradient_text(passed.total)
        if passed.target is None and passed.tensor is not None:
            name = f"{self.tensor(passed.tensor)}.grad"
            self.held[name] = passed.total.buffer
            self.changed[f"t{passed.tensor}"] = _kept(passed.total)
            if passed.before is None or passed.action != "add":
                return f"{name} = {now}"
            return f"{name} = {gradient_text(passed.before)} + {new} = {now}"
        target = self.label(passed.target)
        self.held[target] = passed.total.buffer
        self.changed[f"n{passed.target}"] = _kept(passed.total)
        if passed.action == "assign":
            return f"{new} to {target}"
        return f"{new} added for {target}: {now}"


def text(table: Table, widest: int = 34) -> str:
    """The table in plain characters, long lines wrapped inside their cell."""
    wrapped = [[_wrap([heading], widest) for heading in table.columns]]
    wrapped += [[_wrap(cell, widest) for cell in row.cells] for row in table.rows]
    widths = [max(len(line) for row in wrapped for line in row[column]) for column in range(len(table.columns))]
    lines = []
    for index, row in enumerate(wrapped):
        for depth in range(max(map(len, row))):
            parts = [cell[depth] if depth < len(cell) else "" for cell in row]
            lines.append("  ".join(part.ljust(width) for part, width in zip(parts, widths, strict=True)).rstrip())
        if index == 0:
            lines.append("  ".join("-" * width for width in widths))
    return "\n".join([*lines, "", table.closing]).rstrip() + "\n"


def _wrap(cell: list[str], widest: int) -> list[str]:
    return [part for line in cell for part in textwrap.wrap(line, widest, subsequent_indent="  ") or [""]]


def markdown(table: Table) -> str:
    """The table as GitHub and MyST read it."""
    lines = [_markdown_row([[heading] for heading in table.columns]), "|" + "---|" * len(table.columns)]
    lines += [_markdown_row(row.cells) for row in table.rows]
    return "\n".join([*lines, "", _escaped(table.closing)]).rstrip() + "\n"


def _markdown_row(cells: list[list[str]]) -> str:
    return "| " + " | ".join("<br>".join(map(_escaped, cell)) for cell in cells) + " |"


def _escaped(text: str) -> str:
    """Text that Markdown shows as it stands."""
    for mark in "\\`*_[]|<>":
        text = text.replace(mark, "\\" + mark)
    return text
