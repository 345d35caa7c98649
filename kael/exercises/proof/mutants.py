"""Small faults put into a right answer, one at a time: if the checks let one pass, they do not look closely enough."""

from __future__ import annotations

import ast
import copy
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

__all__ = ["Mutant", "mutants", "twin_mutants"]

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
}

SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+=": "=", "-=": "=", "+": "-", "-": "+"}
"""What stands for what in a Cython file, which is changed token by token."""

SYMMETRIC = {"add", "elementwise_add", "mul"}


@dataclass(frozen=True)
class Mutant:
    """A right answer with one fault.

    Attributes
    ----------
    name : str
        What was changed, as ``old -> new``; with a number where the same change is made in more than one place.
    text : str
        The whole file.
    """

    name: str
    text: str


def mutants(text: str) -> list[Mutant]:
    """Every answer that differs from a right one by one fault.

    Comparisons, operators, whole numbers, conditions, keyword arguments and order of arguments are changed, statements
    and branches left out. Texts, type annotations and imports stay.

    Examples
    --------
    >>> [mutant.name for mutant in mutants("def f(x):\\n    return x + 1")]
    ['return x + 1 -> return None', 'x + 1 -> x - 1', '1 -> 2']
    """
    tree = ast.parse(text)
    found: list[Mutant] = []
    count: dict[str, int] = {}
    for place, node in enumerate(ast.walk(tree)):
        for number, (old, new) in enumerate(_changes(node, tree)):
            changed = copy.deepcopy(tree)
            target = next(other for k, other in enumerate(ast.walk(changed)) if k == place)
            _replace(changed, *list(_changes(target, changed))[number])
            name = f"{_line(old)} -> {_line(new)}"
            count[name] = count.get(name, 0) + 1
            name += f" ({count[name]})" if count[name] > 1 else ""
            found.append(Mutant(name, ast.unparse(ast.fix_missing_locations(changed)) + "\n"))
    return found


def _line(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())


def _replace(tree: ast.AST, old: ast.AST, new: ast.AST) -> None:
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, name, new)
            elif isinstance(value, list):
                value[:] = [new if item is old else item for item in value]


def _changes(node: ast.AST, tree: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """What could stand in the place of a node; the node first."""
    if _out_of_scope(node, tree):
        return
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield node, ast.Compare(node.left, [COMPARISONS[type(node.ops[0])]()], node.comparators)
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        yield node, ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield node, ast.Constant(node.value + 1)  # type: ignore[operator]
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield node, ast.Constant(not node.value)
    elif isinstance(node, ast.BoolOp):
        yield node, ast.BoolOp(ast.And() if isinstance(node.op, ast.Or) else ast.Or(), node.values)
    elif isinstance(node, ast.UnaryOp):
        yield node, node.operand
    elif isinstance(node, ast.Call) and len(node.args) == 2 and not node.keywords and not _symmetric(node.func):
        yield node, ast.Call(node.func, node.args[::-1], [])
    elif isinstance(node, ast.AugAssign):
        yield node, ast.Assign([node.target], node.value, lineno=1)
    elif isinstance(node, ast.Return) and node.value is not None:
        yield node, ast.Return(ast.Constant(None))
    elif isinstance(node, ast.Assign | ast.Raise) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        yield node, ast.Pass()
    elif isinstance(node, ast.If) and not isinstance(node.test, ast.Compare | ast.UnaryOp):
        yield node.test, ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.Continue):
        yield node, ast.Break()
    if isinstance(node, ast.Call) and node.keywords and node.keywords[-1].arg != "strict":
        yield node, ast.Call(node.func, node.args, node.keywords[:-1])


def _symmetric(function: ast.expr) -> bool:
    """Whether the order of a function's two arguments makes no difference."""
    return isinstance(function, ast.Name | ast.Attribute) and ast.unparse(function).split(".")[-1] in SYMMETRIC


def _out_of_scope(node: ast.AST, tree: ast.AST) -> bool:
    """Whether a node stands in an annotation, a text, or zip's own guard on lengths."""
    for parent in ast.walk(tree):
        if isinstance(parent, ast.JoinedStr) and any(inner is node for inner in ast.walk(parent)):
            return True
        if isinstance(parent, ast.arg | ast.AnnAssign | ast.FunctionDef):
            noted = parent.returns if isinstance(parent, ast.FunctionDef) else parent.annotation
            if noted is not None and any(inner is node for inner in ast.walk(noted)):
                return True
        if isinstance(parent, ast.keyword) and parent.arg == "strict" and parent.value is node:
            return True
    return False


def twin_mutants(text: str) -> list[Mutant]:
    """Right Cython files with one fault each: an operator or a number, outside declarations and texts of errors."""
    return [Mutant(name, changed) for name, changed in _faults(text)]


def _faults(text: str) -> Iterable[tuple[str, str]]:
    lines = text.splitlines(keepends=True)
    count: dict[str, int] = {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        (row, start), (_, end) = token.start, token.end
        if token.type not in (tokenize.NUMBER, tokenize.OP):
            continue
        line = lines[row - 1]
        if re.search(r"\braise\b|\[:|^\s*#|^(cp?def|def|import|from|cimport)\b", line):
            continue
        if token.type == tokenize.NUMBER and token.string.isdigit():
            new = str(int(token.string) + 1)
        elif token.type == tokenize.OP and token.string in SWAPS:
            new = SWAPS[token.string]
        else:
            continue
        changed = line[:start] + new + line[end:]
        name = f"{line.strip()} -> {changed.strip()}"
        count[name] = count.get(name, 0) + 1
        yield (
            (f"{name} ({count[name]})" if count[name] > 1 else name),
            "".join([*lines[: row - 1], changed, *lines[row:]]),
        )
