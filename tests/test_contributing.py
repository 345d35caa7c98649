"""What CONTRIBUTING.md names is there: each requirement with its bound, each path, each command."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PATH = re.compile(r"`((?:kael|chapters|tests|exercises|book|\.ci)/[\w./-]*\w|[A-Z]+\.md|pyproject\.toml)`")


def required():
    """Every requirement of pyproject.toml, with the extras that name it."""
    found = {}
    for extra, names in PROJECT["project"]["optional-dependencies"].items():
        for name in names:
            found.setdefault(name, set()).add(extra)
    for name in PROJECT["build-system"]["requires"]:
        found.setdefault(name, set()).add("build")
    for name in PROJECT["project"]["dependencies"]:
        found.setdefault(name, set()).add("always")
    return found


def rows():
    """The requirements of the table, with the extras of their row."""
    table = re.findall(r"^\| `([\w.-]+[<>=][^`]*)` \| ([^|]+) \|", TEXT, re.MULTILINE)
    return {name: {word for word in re.findall(r"\w+", extras) if word != "none"} for name, extras in table}


def test_every_requirement_has_a_row_with_its_bound_and_its_extras():
    assert rows() == required()


def test_every_path_is_there():
    paths = set(PATH.findall(TEXT))
    assert len(paths) > 15
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


def test_every_target_of_make_is_there():
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    named = set(re.findall(r"`make (\w+)`", TEXT))
    assert named
    assert named <= set(targets)


def test_every_module_that_is_run_is_there():
    modules = set(re.findall(r"python -m ((?:kael|tests)[\w.]*)", TEXT))
    assert modules
    for module in modules:
        path = ROOT.joinpath(*module.split("."))
        assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file()


def test_the_steps_are_seven():
    section = TEXT.partition("## Add an op in seven steps")[2].partition("\n## ")[0]
    assert re.findall(r"^(\d)\. \*\*", section, re.MULTILINE) == list("1234567")
