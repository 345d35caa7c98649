"""Wrong answers that any exercise can get: a right answer with its result spoiled in a known way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chapters.ch18_define_by_run.engine import AccumulateGrad, count_dependencies, gradient_edge
from chapters.flat import Buffer
from kael.exercises.answers import load_answer
from kael.testing.values import BUFFER_TYPES

__all__ = ["HOW", "spoiled", "source"]

Array = NDArray[Any]
CODES = {np.dtype(kind).name: code for code, kind in BUFFER_TYPES.items()}

CHANGES: dict[str, Callable[[Array], Array]] = {
    "zeros": np.zeros_like,
    "ones": np.ones_like,
    "nan": lambda array: np.full_like(array, np.nan),
    "negated": np.negative,
    "transposed": np.transpose,
    "extra axis": lambda array: array[None],
    "another dtype": lambda array: array.astype(np.float32 if array.dtype == np.float64 else np.float64),
    "mean for sum": lambda array: array / 2,
    "doubled": lambda array: array * 2,
    "one more": lambda array: array + 1,
}

HOW = {
    "returns": ("none", "the input", "the first answer", "changes its input", "ignores an argument", *CHANGES),
    "gradients": ("none", "changes its input", *CHANGES),
    "writes": (
        "none",
        "changes its input",
        "leaves the last element",
        "zeros",
        "ones",
        "nan",
        "negated",
        "mean for sum",
        "doubled",
        "one more",
    ),
    "tables": (
        "none",
        "as text",
        "rows in reverse",
        "one row missing",
        "zeros",
        "ones",
        "nan",
        "negated",
        "mean for sum",
        "doubled",
        "one more",
    ),
}
"""How to spoil an answer that returns its result, leaves gradients, writes into its last argument, or is a table."""

FIRST: dict[Path, Any] = {}
"""First results and arguments of this process, for the answers that repeat themselves."""


def source(solution: Path, kind: str, entry: str, how: str) -> str:
    """The text of an answer file that is a solution spoiled in one way."""
    return (
        "from pathlib import Path\n\nfrom kael.exercises.proof.generated import spoiled\n\n"
        f"globals().update(spoiled(Path({str(solution)!r}), {kind!r}, {entry!r}, {how!r}))\n"
    )


def spoiled(solution: Path, kind: str, entry: str, how: str) -> dict[str, Any]:
    """The names of a solution, with its entry replaced by one that spoils the result.

    Parameters
    ----------
    solution : Path
        A right answer.
    kind : str
        Where its result is: one of `HOW`.
    entry : str
        Name of its function; for tables the names of the tables, with commas.
    how : str
        One of ``HOW[kind]``.
    """
    module = load_answer(solution)
    names = {name: value for name, value in vars(module).items() if not name.startswith("__")}
    if kind == "tables":
        return names | {name: _table(names[name], how) for name in entry.split(",")}
    wrap = {"returns": _returning, "gradients": _leaving, "writes": _writing}[kind]
    return names | {entry: wrap(names[entry], how, solution)}


def _table(rows: list[tuple[Any, ...]], how: str) -> Any:
    if how == "none":
        return None
    if how == "rows in reverse":
        return rows[::-1]
    if how == "one row missing":
        return rows[:-1]
    if how == "as text":
        return [(*row[:1], *map(str, row[1:])) for row in rows]
    return [(*row[:1], *(_number_changed(cell, how) for cell in row[1:])) for row in rows]


def _number_changed(cell: Any, how: str) -> Any:
    """A number of a table, spoiled; words stay."""
    return _changed(float(cell), how) if isinstance(cell, int | float) else cell


def _returning(function: Callable[..., Any], how: str, path: Path) -> Callable[..., Any]:
    def answer(*arguments: Any) -> Any:
        if how == "none":
            return None
        if how == "the input":
            return arguments[0]
        if how == "ignores an argument":
            return function(*arguments[:-1], FIRST.setdefault(path, arguments[-1]))
        result = function(*arguments)
        if how == "the first answer":
            return FIRST.setdefault(path, result)
        if how == "changes its input":
            _overwrite(arguments[0])
            return result
        return _changed(result, how)

    return answer


def _leaving(function: Callable[..., Any], how: str, path: Path) -> Callable[..., Any]:
    def answer(graph: Any, *arguments: Any, **named: Any) -> None:
        tensors, kept = _reached(graph)
        function(graph, *arguments, **named)
        for tensor in tensors:
            if tensor.grad is not None:
                tensor.grad = None if how == "none" else _changed(tensor.grad, how)
        if how == "changes its input":
            for values in kept:
                _overwrite(values)

    return answer


def _reached(graph: Any) -> tuple[list[Any], list[Any]]:
    """The tensors that a pass leaves gradients in and the values that it reads, from a graph or from a root."""
    if not hasattr(graph, "nodes"):
        nodes = count_dependencies(gradient_edge(graph))
        saved = [value for node in nodes for value in getattr(node, "saved", None) or () if value is not None]
        leaves = [node.variable for node in nodes if isinstance(node, AccumulateGrad)]
        return leaves, [value.data.storage.buffer for value in saved]
    handles = {id(h): h for node in graph.nodes for h in (*node.inputs, node.output)}
    return list(handles.values()), [values for node in graph.nodes for values in node.saved]


def _writing(function: Callable[..., Any], how: str, path: Path) -> Callable[..., Any]:
    def answer(*arguments: Any) -> None:
        if how == "none":
            return
        before = np.array(arguments[-1])
        function(*arguments)
        if how == "changes its input":
            _overwrite(arguments[0])
        elif how == "leaves the last element":
            arguments[-1][(-1,) * before.ndim] = before[(-1,) * before.ndim]
        else:
            arguments[-1][...] = _changed(arguments[-1], how)

    return answer


def _changed(value: Any, how: str) -> Any:
    """A result with its numbers changed; of several results the first."""
    if how not in CHANGES:
        return value
    if isinstance(value, tuple):
        return (_changed(value[0], how), *value[1:])
    if isinstance(value, Buffer):
        array = CHANGES[how](np.array(list(value), BUFFER_TYPES[value.typecode]).reshape(value.shape))
        return Buffer(array.ravel().tolist(), array.shape, CODES[array.dtype.name])
    if isinstance(value, np.ndarray):
        return CHANGES[how](value)
    return CHANGES[how](np.array(value)).item()


def _overwrite(value: Any) -> None:
    """Negate and shift the elements of an argument where they lie."""
    for k in range(len(value)):
        value[k] = -value[k] - 1
