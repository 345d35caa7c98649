"""What is sent to the browser runs there: on the standard library alone, with an empty kael."""

import subprocess
import sys
from pathlib import Path

import pytest

from kael.book.browser_sources import browser_sources, imported, not_offered

ROOT = Path(__file__).resolve().parents[2]
SOURCES = browser_sources(ROOT)


def test_every_reference_is_sent() -> None:
    assert {path.relative_to(ROOT).as_posix() for path in ROOT.glob("chapters/*/reference.py")} <= set(SOURCES)


def test_the_teaching_engine_is_sent() -> None:
    assert "chapters/ch17_engine/engine.py" in SOURCES


def test_no_numpy_rung_is_sent() -> None:
    assert not [path for path in SOURCES if path.endswith(("vectorized.py", ".pyx"))]


def test_kael_is_empty_there() -> None:
    assert SOURCES["kael/__init__.py"] == ""


def test_every_module_imports_without_numpy(tmp_path: Path) -> None:
    for path, text in SOURCES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    modules = [path.removesuffix(".py") for path in SOURCES if path.endswith(".py")]
    names = [path.removesuffix("/__init__").replace("/", ".") for path in modules]
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nfor name in {names}: __import__(name)\n"
    program += "assert 'numpy' not in sys.modules"
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, encoding="utf-8", check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import a.b", {"a.b"}),
        ("from a.b import c, d", {"a.b.c", "a.b.d"}),
        ("def f():\n    from a import b", {"a.b"}),
    ],
)
def test_imports_are_found_wherever_they_stand(source: str, names: set[str]) -> None:
    assert imported(source) == names


def test_a_module_that_was_left_out_is_not_offered_through_its_package(tmp_path: Path) -> None:
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chapters" / "fast.pyx").write_text("", encoding="utf-8")
    assert not_offered("from chapters import fast, flat", tmp_path, {"chapters"}) == ["chapters.fast"]
