"""Writes the one-line methods of Tensor from the list of operations: ``python -m kael.ops.methods``."""

from __future__ import annotations

import inspect
from pathlib import Path

from kael import ops, tensors

BEGIN, END = "    # [op-methods]\n", "    # [/op-methods]\n"


def method(function: object) -> str:
    """The source of one method: the operation's signature, its summary, and a call."""
    name: str = function.__name__  # type: ignore[attr-defined]
    signature = inspect.signature(function)  # type: ignore[arg-type]
    parameters = list(signature.parameters.values())[1:]
    heads, calls = ["self"], ["self"]
    for parameter in parameters:
        star = "*" if parameter.kind is inspect.Parameter.VAR_POSITIONAL else ""
        annotation = str(parameter.annotation).replace("builtins.", "")
        default = "" if parameter.default is inspect.Parameter.empty else f" = {parameter.default!r}"
        heads.append(f"{star}{parameter.name}: {annotation}{default}")
        calls.append(f"{star}{parameter.name}")
    summary = (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ")
    returns = "Tensor" if signature.return_annotation == "Tensor" else "Any"
    lines = [f"    def {name}({', '.join(heads)}) -> {returns}:", f'        """{summary}"""']
    lines.append(f"        return ops.{name}({', '.join(calls)})")
    return "\n".join(lines) + "\n"


def region() -> str:
    """All methods, in the order of `kael.ops.METHODS`."""
    return "\n".join(method(function) for function in ops.METHODS)


def source() -> str:
    """The text of tensors.py with its methods written anew."""
    path = Path(tensors.__file__).with_name("tensors.py")
    text = path.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    return head + BEGIN + region() + "\n" + END + rest.split(END)[1]


if __name__ == "__main__":
    Path(tensors.__file__).with_name("tensors.py").write_text(source(), encoding="utf-8")
