"""Notebooks hold plain Markdown and cells, are in step with their pages, and run from top to bottom."""

import json
import re
from pathlib import Path

import pytest

from kael.book import notebooks
from kael.book.folders import BookError

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted(ROOT.glob("chapters/*/notebook.ipynb"))
HEADER = "---\njupytext:\n  text_representation:\n    format_name: myst\nkernelspec:\n  name: python3\n---\n"
LEFT = re.compile(r"^\s*[`:~]{3,}\{[\w:-]+\}|\{[\w:-]+\}`|^\([\w:.-]+\)=\s*$|^:[\w-]+: ", re.M)

PAGE = (
    HEADER
    + """# 90 A topic

```{epigraph}
Short words.
```

(sec-a)=
## A heading

$$
y = x^2
$$ (eq-square)

By [](#eq-square), {prf:ref}`thm-chain`, {ref}`ex-1`, {ref}`the exercise <ex-1>`, {term}`Rung` and [](other.md).

```{prf:theorem} Chain rule
:label: thm-chain
It holds.
```

:::{warning}
Take care with {term}`twins <Twin>`.
:::

:::{tip}
:class: dropdown
Folded.
:::

```{literalinclude} ../chapters/ch90_topic/reference.py
:language: python
:start-after: "region [f]"
:end-before: "endregion [f]"
:caption: The definition
```

```{code-cell} ipython3
:tags: [remove-cell]

assert True
```

````{exercise} By hand
:label: ex-1

```{include} ../exercises/task.md
:start-line: 2
```
````

```{solution} ex-1
:class: dropdown
Four.
```

```{list-table} Sizes
* - a
  - b
* - 1
  - 2
```
"""
)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    for folder in ("book", "chapters/ch90_topic", "exercises"):
        (tmp_path / folder).mkdir(parents=True)
    files = {
        "book/_toc.yml": "format: jb-book\nroot: ch90_topic\nchapters:\n  - file: other\n",
        "book/other.md": "# The other page\n",
        "book/ch90_topic.md": PAGE,
        "chapters/ch90_topic/reference.py": "x = 1\n# region [f]\ndef f():\n    return 2\n# endregion [f]\n",
        "exercises/task.md": "# Title\n\nWhat is 2 + 2?\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def cells(clone: Path) -> list[dict[str, object]]:
    notebooks.write(clone)
    found = json.loads((clone / "chapters" / "ch90_topic" / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]
    return [cell | {"source": "".join(cell["source"])} for cell in found]


def words(clone: Path) -> str:
    return "\n".join(str(cell["source"]) for cell in cells(clone) if cell["cell_type"] == "markdown")


def test_no_role_or_directive_is_left(clone: Path) -> None:
    assert LEFT.findall(words(clone)) == []


@pytest.mark.parametrize(
    "expected",
    [
        "> *Short words.*",
        '<a id="sec-a"></a>\n\n## A heading',
        "$$\ny = x^2\n$$",
        "[the equation square](../../book/_build/html/ch90_topic.html#eq-square)",
        "[Theorem (Chain rule)](../../book/_build/html/ch90_topic.html#thm-chain)",
        "[Exercise (By hand)](../../book/_build/html/ch90_topic.html#ex-1)",
        "[the exercise](../../book/_build/html/ch90_topic.html#ex-1)",
        "[Rung](../../book/_build/html/glossary.html#term-Rung)",
        "[The other page](../../book/_build/html/other.html)",
        "**Theorem (Chain rule).**\n\nIt holds.",
        "> **Warning**\n>\n> Take care with [twins](../../book/_build/html/glossary.html#term-Twin).",
        "<details><summary>Tip</summary>\n\nFolded.\n\n</details>",
        "*The definition*\n\n```python\ndef f():\n    return 2\n```",
        "**Exercise (By hand).**\n\nWhat is 2 + 2?",
        "<details><summary>Solution</summary>\n\nFour.\n\n</details>",
        "**Sizes**\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    ],
)
def test_a_directive_becomes_plain_markdown(clone: Path, expected: str) -> None:
    assert expected in words(clone)


def test_the_first_cell_says_what_to_type_when_kael_is_missing(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = str(cells(clone)[0]["source"])
    monkeypatch.setitem(__import__("sys").modules, "kael", None)
    with pytest.raises(SystemExit, match="pip install"):
        exec(first, {})


def test_cells_keep_their_tags_and_have_no_outputs(clone: Path) -> None:
    code = [cell for cell in cells(clone) if cell["cell_type"] == "code"]
    assert code[1]["metadata"] == {"tags": ["remove-cell"], "jupyter": {"source_hidden": True}}
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


def test_the_same_page_makes_the_same_notebook(clone: Path) -> None:
    assert cells(clone) == cells(clone)


def test_a_missing_region_is_refused(clone: Path) -> None:
    (clone / "chapters" / "ch90_topic" / "reference.py").write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(BookError, match=r"no line with 'region \[f\]'"):
        notebooks.write(clone)


def test_a_page_changed_after_its_notebook_is_out_of_step(clone: Path) -> None:
    notebooks.write(clone)
    assert notebooks.out_of_step(clone) == []
    page = clone / "book" / "ch90_topic.md"
    page.write_text(PAGE + "\nMore.\n", encoding="utf-8")
    assert len(notebooks.out_of_step(clone)) == 1


def test_a_notebook_without_a_page_is_found(clone: Path) -> None:
    notebooks.write(clone)
    (clone / "chapters" / "ch91_gone").mkdir()
    (clone / "chapters" / "ch91_gone" / "notebook.ipynb").write_text("{}", encoding="utf-8")
    assert notebooks.out_of_step(clone) == ["chapters/ch91_gone/notebook.ipynb: no page makes it; delete it"]


def test_the_committed_notebooks_are_in_step() -> None:
    assert notebooks.out_of_step(ROOT) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.parent.name)
def test_no_role_or_directive_is_left_in_a_committed_notebook(path: Path) -> None:
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in found if cell["cell_type"] == "markdown")
    assert LEFT.findall(text) == []


@pytest.mark.slow
class TestRun:
    def run(self, clone: Path, *sources: str) -> int:
        pytest.importorskip("nbclient", reason="needs the extra [book] or [notebooks]")
        page = (
            HEADER + "# 90 A topic\n\n" + "".join(f"```{{code-cell}} ipython3\n{source}\n```\n\n" for source in sources)
        )
        (clone / "book" / "ch90_topic.md").write_text(page, encoding="utf-8")
        notebooks.write(clone)
        return notebooks.run(clone, "ch90", kernels="python")

    def test_cells_run_in_order_on_the_chosen_rung(self, clone: Path) -> None:
        check = "from kael import kernels\nassert kernels.rung_of(kernels.chapter('ch12')) == 'python'"
        assert self.run(clone, "x = 1", "assert x == 1", check) == 4

    def test_a_cell_that_fails_is_an_error(self, clone: Path) -> None:
        with pytest.raises(BookError, match="ZeroDivisionError"):
            self.run(clone, "1 / 0")

    def test_output_on_stderr_is_an_error(self, clone: Path) -> None:
        with pytest.raises(BookError, match="wrote to stderr: oh"):
            self.run(clone, "import sys\nprint('oh', file=sys.stderr)")

    def test_a_chapter_without_a_notebook_is_refused(self, clone: Path) -> None:
        pytest.importorskip("nbformat", reason="needs the extra [book]")
        with pytest.raises(BookError, match="no notebook for 'ch91'"):
            notebooks.run(clone, "ch91")
