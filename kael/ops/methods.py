"""Writes the one-line methods of Tensor from the list of operations: ``python -m kael.ops.methods``.

Signatures and summaries are read from the sources, so that it does the same where the operations are compiled.
"""

from __future__ import annotations

import ast
import builtins
from functools import cache
from pathlib import Path
from typing import Any

from kael import ops, tensors

BEGIN, END = "    # [op-methods]\n", "    # [/op-methods]\n"


@cache
def definitions(module: str) -> dict[str, ast.FunctionDef]:
    """The functions that a module of `kael.ops` defines, as parsed."""
    path = Path(ops.__file__).with_name(module.rpartition(".")[2] + ".py")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def written(default: ast.expr) -> str:
    """A default as the formatter writes it."""
    return ast.unparse(default).replace("'", '"')


def method(function: Any) -> str:
    """The source of one method: the operation's signature, its summary, and a call."""
    node = definitions(function.__module__)[function.__name__]
    parameters = node.args.args
    defaults: list[ast.expr | None] = [None] * (len(parameters) - len(node.args.defaults))
    defaults += node.args.defaults
    heads, calls = ["self"], ["self"]
    for parameter, default in list(zip(parameters, defaults, strict=True))[1:]:
        head = ast.unparse(parameter)
        heads.append(head if default is None else f"{head} = {written(default)}")
        calls.append(parameter.arg)
    if node.args.vararg is not None:
        heads.append("*" + ast.unparse(node.args.vararg))
        calls.append("*" + node.args.vararg.arg)
    elif node.args.kwonlyargs:
        heads.append("*")
    for parameter, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        head = ast.unparse(parameter)
        heads.append(head if default is None else f"{head} = {written(default)}")
        calls.append(f"{parameter.arg}={parameter.arg}")
    summary = (ast.get_docstring(node) or "").split("\n\n")[0].replace("\n", " ")
    returns = ast.unparse(node.returns) if node.returns is not None else "Any"
    lines = [f"    def {node.name}({', '.join(heads)}) -> {returns}:", f'        """{summary}"""']
    lines.append(f"        return ops.{node.name}({', '.join(calls)})")
    return "\n".join(lines).replace("builtins.", "") + "\n"


def region() -> str:
    """All methods; those with the name of a type come last, for they hide it from the annotations below them."""
    hiding = [isinstance(getattr(builtins, function.__name__, None), type) for function in ops.METHODS]
    order = [ops.METHODS[which] for hides in (False, True) for which, it in enumerate(hiding) if it is hides]
    return "\n".join(method(function) for function in order)


def source() -> str:
    """The text of tensors.py with its methods written anew."""
    path = Path(tensors.__file__).with_name("tensors.py")
    text = path.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    return head + BEGIN + region() + "\n" + END + rest.split(END)[1]


if __name__ == "__main__":
    Path(tensors.__file__).with_name("tensors.py").write_text(source(), encoding="utf-8")
