"""The modules that run in a reader's browser: those that need nothing but the standard library and each other."""

from __future__ import annotations

import ast
import sys
from collections.abc import Container
from pathlib import Path

__all__ = ["browser_sources", "imported", "not_offered"]


def imported(source: str) -> set[str]:
    """Dotted names of the modules that a source imports, wherever the import stands.

    ``from a.b import c`` counts as ``a.b.c``, which may be a module or a name in one.

    >>> sorted(imported("import math\\nfrom chapters import flat"))
    ['chapters.flat', 'math']
    """
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def browser_sources(root: Path) -> dict[str, str]:
    """Path and text of every module of ``chapters`` and ``kael.tracing`` that a browser can run, and of what they read.

    A module is left out when it imports anything outside the standard library that is not itself in the result, so
    NumPy rungs, twins and the parts of ``kael`` that need NumPy stay away. ``kael/__init__.py`` is an empty file here.
    """
    sources = {_module(root, path): path for path in [*_python(root / "chapters"), *_python(root / "kael" / "tracing")]}
    found = {name: path.read_text(encoding="utf-8") for name, path in sources.items()} | {"kael": ""}
    while beyond := [name for name, text in found.items() if not_offered(text, root, found)]:
        for name in beyond:
            del found[name]
    packages = {"kael", *(name for name, path in sources.items() if path.stem == "__init__")}
    made = {name.replace(".", "/") + ("/__init__.py" if name in packages else ".py"): found[name] for name in found}
    read = {path for path in (root / "kael" / "tracing").glob("*") if path.suffix in (".css", ".mjs", ".json")}
    return made | {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in sorted(read)}


def not_offered(source: str, root: Path, modules: Container[str]) -> list[str]:
    """The imports of a source that neither the standard library nor one of `modules` answers."""

    def answered(name: str) -> bool:
        parent = name.rpartition(".")[0]
        if name.partition(".")[0] in sys.stdlib_module_names or name in modules:
            return True
        is_file = any(root.joinpath(*name.split(".")).with_suffix(suffix).exists() for suffix in ("", ".py", ".pyx"))
        return parent in modules and parent != "kael" and not is_file

    return sorted(name for name in imported(source) if not answered(name))


def _python(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def _module(root: Path, path: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
