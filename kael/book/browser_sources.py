"""The modules that run in a reader's browser: those that need nothing but the standard library and each other."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

__all__ = ["browser_sources", "imported"]


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
    """Path and text of every module of ``chapters`` and ``kael.tracing`` that a browser can run.

    A module is left out when it imports anything outside the standard library that is not itself in the result, so
    NumPy rungs, twins and the parts of ``kael`` that need NumPy stay away. ``kael/__init__.py`` is an empty file here.
    """
    found: dict[str, str] = {}
    for folder in (root / "chapters", root / "kael" / "tracing"):
        for path in sorted(folder.rglob("*.py")):
            name = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
            found[name] = path.read_text(encoding="utf-8")
    found["kael"] = ""
    while True:
        beyond = [name for name, text in found.items() if not all(_offered(target, found) for target in imported(text))]
        if not beyond:
            break
        for name in beyond:
            del found[name]
    packages = {name for name in found if any(other.startswith(f"{name}.") for other in found)}
    return {
        name.replace(".", "/") + ("/__init__.py" if name in packages else ".py"): text for name, text in found.items()
    }


def _offered(target: str, found: dict[str, str]) -> bool:
    top = target.partition(".")[0]
    if top in sys.stdlib_module_names:
        return True
    return target in found or target.rpartition(".")[0] in set(found) - {"kael", "chapters"}
