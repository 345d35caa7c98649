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
from kael.operators import Operators

LINE = 120
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


def signature(node: ast.FunctionDef) -> tuple[str, list[str]]:
    """A method's parameters as written, and the arguments that it passes on."""
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
    return ", ".join(heads), calls


def method(function: Any) -> str:
    """The source of one method: the operation's signature, its summary, and a call."""
    node = definitions(function.__module__)[function.__name__]
    parameters, arguments = signature(node)
    summary = (ast.get_docstring(node) or "").split("\n\n")[0].replace("\n", " ")
    returns = ast.unparse(node.returns) if node.returns is not None else "Any"
    return one_line(node.name, parameters, returns, summary, f"ops.{node.name}({', '.join(arguments)})")


def in_place(function: Any) -> str:
    """The source of the method that writes an operation's result into its first operand."""
    node = definitions(function.__module__)[function.__name__]
    parameters, arguments = signature(node)
    name = node.name + "_"
    arguments[1:1] = [f'"{name}"', f"ops.{node.name}"]
    return one_line(name, parameters, "Tensor", f"`{node.name}` in place.", f"ops.in_place({', '.join(arguments)})")


def alias(name: str, function: Any, mark: str = "") -> str:
    """The source of a method under its second name, which calls the method of the first; `mark` is that of in-place."""
    node = definitions(function.__module__)[function.__name__]
    parameters, arguments = signature(node)
    returns = ast.unparse(node.returns) if node.returns is not None else "Any"
    first = node.name + mark
    return one_line(name + mark, parameters, returns, f"As `{first}`.", f"self.{first}({', '.join(arguments[1:])})")


def is_written(function: Any) -> bool:
    """Whether a function's result can be written into its first operand."""
    return function in ops.INPLACE or any(written.__name__ == function.__name__ + "_" for written in ops.METHODS)


def one_line(name: str, parameters: str, returns: str, summary: str, call: str) -> str:
    """The source of a method of one line, its parameters on a line of their own where all of it is too long."""
    head = f"    def {name}({parameters}) -> {returns}:"
    if len(head) > LINE:
        head = f"    def {name}(\n        {parameters}\n    ) -> {returns}:"
    lines = [head, f'        """{summary}"""', f"        return {call}"]
    return "\n".join(lines).replace("builtins.", "") + "\n"


BINARY = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floor_divide", "mod": "remainder",
    "pow": "pow", "matmul": "matmul", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift",
}  # fmt: skip


UNARY = {"neg": "neg", "abs": "abs", "invert": "bitwise_not"}
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def operators() -> str:
    """What stands behind Python's operators; a binary one has its operand on the left, on the right, or in place."""
    sources = [
        f"    def __{sign}__(self) -> Tensor:\n        return ops.{name}(self)\n" for sign, name in UNARY.items()
    ]
    for name in COMPARISONS:
        head, call = f"    def __{name}__(self, other: Any) -> Tensor:", f"ops.{name}(self, other)"
        if name in ("eq", "ne"):  # those that every object has: None and text are unequal to a tensor, and no error
            head += "  # type: ignore[override]"
            call = f"NotImplemented if other is None or isinstance(other, str) else {call}"
        sources.append(f"{head}\n        return {call}\n")
    for sign, name in BINARY.items():
        owner = "operators" if hasattr(Operators, name) else "ops"
        calls = {sign: f"{owner}.{name}(self, other)", f"r{sign}": f"{owner}.{name}(other, self)"}
        if hasattr(tensors.Tensor, f"{name}_"):
            calls[f"i{sign}"] = f"self.{name}_(other)"
        for kind, call in calls.items():
            sources.append(f"    def __{kind}__(self, other: Any) -> Tensor:\n        return {call}\n")
    return "\n".join(sources)


def region() -> str:
    """All methods; those with the name of a type come last, for they hide it from the annotations below them."""
    sources = {function.__name__: method(function) for function in ops.METHODS}
    sources |= {function.__name__ + "_": in_place(function) for function in ops.INPLACE}
    sources |= {name: alias(name, function) for name, function in ops.ALIASES.items()}
    sources |= {
        name + "_": alias(name, function, "_") for name, function in ops.ALIASES.items() if is_written(function)
    }
    hiding = [name for name in sources if isinstance(getattr(builtins, name, None), type)]
    order = sorted(sources, key=lambda name: (name in hiding, name))
    return "\n".join([operators(), *[sources[name] for name in order]])


def source() -> str:
    """The text of tensors.py with its methods written anew."""
    path = Path(tensors.__file__).with_name("tensors.py")
    text = path.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    return head + BEGIN + region() + "\n" + END + rest.split(END)[1]


if __name__ == "__main__":
    Path(tensors.__file__).with_name("tensors.py").write_text(source(), encoding="utf-8")
