"""The examples in docstrings of kael and the chapters run, also where the module is compiled; none is lost."""

from __future__ import annotations

import ast
import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def sources() -> dict[str, Path]:
    """Every module of kael and the chapters whose source has examples, by its name."""
    found = {}
    for path in sorted([*ROOT.glob("kael/**/*.py"), *ROOT.glob("chapters/**/*.py")]):
        if path.stem != "__main__" and ">>>" in path.read_text(encoding="utf-8"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def written(path: Path) -> int:
    """How many examples the docstrings of a source hold."""
    parser = doctest.DocTestParser()
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, holders)]
    return sum(len(parser.get_examples(text)) for text in texts)


SOURCES = sources()


def test_there_are_examples():
    assert sum(written(path) for path in SOURCES.values()) > 100


@pytest.mark.parametrize("name", SOURCES)
def test_every_example_of_a_module_runs(name):
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] in ("kael", "chapters"):
            raise
        pytest.skip(f"needs {error.name}")
    runner = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF)
    report: list[str] = []
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        runner.run(test, out=report.append)
    if "kael.extras.MissingExtra: " in "".join(report):
        pytest.skip("needs an extra that is not installed")
    assert runner.failures == 0, "".join(report)
    assert runner.tries >= written(SOURCES[name]) > 0
