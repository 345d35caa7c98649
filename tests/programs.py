"""Small programs that run in kael and in PyTorch, and what each shows in the end."""

from __future__ import annotations

import ast
import re
import warnings
from pathlib import Path
from typing import Any


def read(path: Path) -> dict[str, str]:
    """The programs of a file by name: each begins with a line ``# name`` after an empty one."""
    blocks = re.split(r"(?:^|\n\n)# ", path.read_text(encoding="utf-8").strip())[1:]
    return {name: code for name, _, code in (block.partition("\n") for block in blocks)}


def shown(code: str, library: Any) -> tuple[str, str]:
    """What a program ends with, `k` being the library: the repr of its last expression, or an error's type and text."""
    names: dict[str, Any] = {"k": library}
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(tree, "<program>", "exec"), names)
            if last is None:
                return "", ""
            return repr(eval(compile(ast.Expression(last.value), "<program>", "eval"), names)), ""
        except Exception as error:
            return type(error).__name__, str(error)
        finally:
            library.set_grad_enabled(True)
            library.set_default_dtype(library.float32)
            library.autograd.set_detect_anomaly(False)


def in_kaels_words(text: str) -> str:
    """What PyTorch shows, with kael's names of dtypes, nodes and sizes."""
    text = text.replace("torch.", "kael.").replace("Backward0", "Backward")
    return re.sub(r"kael\.Size\(\[([^\]]*)\]\)", lambda sizes: repr(tuple(map(int, sizes[1].split(",")))), text)
