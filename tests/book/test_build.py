"""The build refuses a book with any fault that only executing and rendering the pages can show."""

import json
import shutil
from pathlib import Path

import pytest

from kael.book import build as builder
from kael.book.folders import BookError, clone

pytest.importorskip("jupyter_book", reason="needs the extra [book]")

ROOT = Path(__file__).resolve().parents[2]
HEADER = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---
"""
CELL = HEADER + "# Page\n\n```{{code-cell}} ipython3\n{}\n```\n"
FAULTS = {
    "link": ("# Page\n\n[](gone.md)\n", "gone.md"),
    "anchor": ("# Page\n\n[there](#gone)\n", "gone"),
    "reference": ("# Page\n\n{ref}`ex-gone`\n", "ex-gone"),
    "term": ("# Page\n\n{term}`Gone`\n", "Gone"),
    "region": (
        '# Page\n\n```{literalinclude} _toc.yml\n:start-after: "region [gone]"\n```\n',
        "region [gone]",
    ),
    "formula": ("# Page\n\n$\\frac{1$\n", "broken formula"),
    "picture": ("# Page\n\n```{image} dot.png\n```\n", "picture.html: no text alternative"),
    "error": (CELL.format("1 / 0"), "error"),
    "stderr": (CELL.format("import sys\nprint('oh', file=sys.stderr)"), "stderr"),
    "remote": (
        CELL.format("from IPython.display import HTML\nHTML('<script src=\"https://cdn.example/x.js\"></script>')"),
        "remote.html: loads https://cdn.example/x.js",
    ),
}


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone that holds the book's own settings and one page."""
    from kael.book.packages import install

    root = tmp_path_factory.mktemp("clone")
    (root / "chapters").mkdir()
    modules = install(ROOT / "book")
    (root / "book").mkdir()
    for name in ("_config.yml", "package.json", "package-lock.json"):
        shutil.copy(ROOT / "book" / name, root / "book")
    for name in ("book/_ext", "book/_static", "kael/tracing"):
        shutil.copytree(ROOT / name, root / name)
    shutil.copytree(modules, root / "book" / "node_modules")
    write(root, {"index": CELL.format("print(6 * 7)")})
    return root


def write(root: Path, pages: dict[str, str]) -> None:
    book = root / "book"
    for old in book.glob("*.md"):
        old.unlink()
    for name, text in pages.items():
        (book / f"{name}.md").write_text(text, encoding="utf-8")
    others = [f"  - file: {name}" for name in pages if name != "index"]
    toc = ["format: jb-book", "root: index", *(["chapters:", *others] if others else [])]
    (book / "_toc.yml").write_text("\n".join(toc) + "\n", encoding="utf-8")


@pytest.mark.slow
class TestBuild:
    def test_a_clean_book_builds_and_is_current(self, mini: Path, capsys: pytest.CaptureFixture[str]) -> None:
        html = builder.build(mini)
        assert "42" in (html / "index.html").read_text(encoding="utf-8")
        assert builder.is_current(mini)
        assert capsys.readouterr().out.startswith("book: ")

    def test_what_one_cell_prints_stays_whole(self, mini: Path) -> None:
        """The kernel sends what is printed before and after a pause in two pieces."""
        cell = "import time\nprint('one', end='', flush=True)\ntime.sleep(0.5)\nprint(' line')"
        write(mini, {"index": CELL.format(cell)})
        html = (builder.build(mini, quiet=True) / "index.html").read_text(encoding="utf-8")
        assert "one line\n" in html

    def test_a_changed_page_makes_the_book_out_of_date(self, mini: Path) -> None:
        page = mini / "book" / "index.md"
        page.write_text(page.read_text(encoding="utf-8") + "\nMore.\n", encoding="utf-8")
        assert not builder.is_current(mini)

    def test_a_changed_kernel_executes_the_pages_again(self, mini: Path) -> None:
        before = builder.sources_hash(mini)
        (mini / "chapters" / "new.pyx").write_text("x = 1\n", encoding="utf-8")
        assert builder.sources_hash(mini) != before

    def test_every_planted_fault_is_reported(self, mini: Path) -> None:
        write(mini, {"index": "# Start\n"} | {name: text for name, (text, _) in FAULTS.items()})
        (mini / "book" / "dot.png").write_bytes(b"")
        with pytest.raises(BookError) as caught:
            builder.build(mini)
        text = str(caught.value)
        assert {name for name, (_, sign) in FAULTS.items() if not reported(text, name, sign)} == set()


def reported(text: str, name: str, sign: str) -> bool:
    """Whether one line of the report names both the page and what is wrong on it."""
    return any(f"{name}." in line and sign in line for line in text.splitlines())


def test_a_folder_outside_the_clone_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kael.book.folders.package_root", lambda: tmp_path)
    with pytest.raises(BookError, match="outside the clone"):
        clone(tmp_path)


def test_a_missing_tool_is_named_with_what_brings_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "NEEDED", ("no_such_tool",))
    with pytest.raises(BookError, match=r"no_such_tool missing; run `python -m pip install '\.\[book\]'`"):
        builder.build(tmp_path)


def test_an_installed_kael_that_differs_from_the_clone_is_refused(tmp_path: Path) -> None:
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chapters" / "flat.py").write_text("changed = True\n", encoding="utf-8")
    with pytest.raises(BookError, match=r"installed kael differs from the clone \(chapters/flat.py\)"):
        builder.build(tmp_path)


def test_the_lock_file_holds_the_pinned_versions_and_no_download_address() -> None:
    package = json.loads((ROOT / "book" / "package.json").read_text(encoding="utf-8"))
    lock = json.loads((ROOT / "book" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    pinned = package["dependencies"] | package["devDependencies"]
    assert {name: lock[f"node_modules/{name}"]["version"] for name in pinned} == pinned
    assert not [entry for entry in lock.values() if "resolved" in entry]


def test_every_python_tool_of_the_book_is_pinned() -> None:
    lines = (ROOT / "book" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert lines
    assert [line for line in lines if not line.startswith("#") and "==" not in line] == []
