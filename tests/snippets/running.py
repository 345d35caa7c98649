"""Runs a program with PyTorch or, each ``import torch`` read as ``import kael as torch``, with kael."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import warnings
from pathlib import Path
from typing import Any

PROGRAMS = sorted(Path(__file__).with_name("programs").glob("*.py"))


class AsKael(ast.NodeTransformer):
    """Turns imports of torch into imports of kael under the same name."""

    def visit_Import(self, node: ast.Import) -> ast.Import:
        for alias in node.names:
            if alias.name == "torch":
                alias.name, alias.asname = "kael", alias.asname or "torch"
            elif alias.name.startswith("torch."):
                assert alias.asname, f"import {alias.name} needs a name of its own here"
                alias.name = "kael" + alias.name.removeprefix("torch")
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom:
        if node.module and node.module.partition(".")[0] == "torch":
            node.module = "kael" + node.module.removeprefix("torch")
        return node


def printed(path: Path, library: str) -> str:
    """What a program prints with ``kael`` or ``torch``."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if library == "kael":
        tree = ast.fix_missing_locations(AsKael().visit(tree))
    names: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()) as output, warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(compile(tree, str(path), "exec"), names)
    return output.getvalue()


NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")


def alike(ours: str, theirs: str) -> bool:
    """Whether two outputs are the same text with the same numbers to three digits: the libraries round sums apart."""
    ours, theirs = [re.sub(r"Backward\d", "Backward", text.replace("kael.", "torch.")) for text in (ours, theirs)]
    if NUMBER.split(ours) != NUMBER.split(theirs):
        return False
    pairs = zip(NUMBER.findall(ours), NUMBER.findall(theirs), strict=True)
    return all(abs(float(x) - float(y)) <= 1e-3 * max(1.0, abs(float(y))) for x, y in pairs)
