"""The sources of the pages stay in the portable subset, and a page that leaves it is refused at its line."""

from pathlib import Path

import pytest

from kael.book import lint
from kael.book.folders import BookError
from kael.book.pages import labels, parse

ROOT = Path(__file__).resolve().parents[2]
HEADER = "---\njupytext:\n  text_representation:\n    format_name: myst\nkernelspec:\n  name: python3\n---\n"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    (tmp_path / "book").mkdir()
    (tmp_path / "chapters" / "ch90_x").mkdir(parents=True)
    (tmp_path / "chapters" / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "chapters" / "ch90_x" / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "chapters" / "ch90_x" / "reference.py").write_text("import math\n", encoding="utf-8")
    (tmp_path / "chapters" / "ch90_x" / "vectorized.py").write_text("import numpy\n", encoding="utf-8")
    (tmp_path / "chapters" / "ch90_x" / "kernels.pyx").write_text("", encoding="utf-8")
    (tmp_path / "book" / "_toc.yml").write_text("format: jb-book\nroot: index\n", encoding="utf-8")
    return tmp_path


def found(clone: Path, page: str) -> list[str]:
    (clone / "book" / "index.md").write_text(page, encoding="utf-8")
    return lint.findings(clone)


def test_the_books_own_pages_are_in_the_subset() -> None:
    assert lint.findings(ROOT) == []


def test_a_page_in_the_subset_has_no_findings(clone: Path) -> None:
    page = HEADER + "# T\n\n{term}`Rung`, `{doc}` in a code span\n\n```{code-cell} ipython3\n:tags: [run-in-page]\n\n"
    assert found(clone, page + "from chapters.ch90_x import reference\nimport math\n```\n") == []


@pytest.mark.parametrize(
    ("page", "finding"),
    [
        ("# T\n\n```{margin}\nx\n```\n", "line 3: {margin} is not in the book's portable subset"),
        ("# T\n\nSee {doc}`x`.\n", "line 3: the role {doc} is not in the book's portable subset"),
        (
            "# T\n\n:::{note}\nSee {download}`x`.\n:::\n",
            "line 4: the role {download} is not in the book's portable subset",
        ),
        ("# T\n\n```{note}\nx\n", "line 3: the fence ``` is not closed"),
        (
            "# T\n\n```{code-cell} ipython3\n1\n```\n",
            "line 3: cells are not executed on a page without the jupytext and kernelspec header",
        ),
        (
            HEADER + "# T\n\n````{note}\n```{code-cell} ipython3\n1\n```\n````\n",
            "line 11: a code-cell inside a directive is not executed; put it below",
        ),
        (
            HEADER + "```{code-cell} ipython3\n:tags: [run-in-page]\nimport numpy\n```\n",
            "line 8: a cell for the browser imports numpy, which is not there",
        ),
        (
            HEADER + "```{code-cell} ipython3\n:tags: [run-in-page]\nfrom chapters.ch90_x import vectorized\n```\n",
            "line 8: a cell for the browser imports chapters.ch90_x.vectorized, which is not there",
        ),
        (
            HEADER + "```{code-cell} ipython3\n:tags: [run-in-page]\nfrom chapters.ch90_x import kernels\n```\n",
            "line 8: a cell for the browser imports chapters.ch90_x.kernels, which is not there",
        ),
        (
            HEADER + "```{code-cell} ipython3\n:tags: [run-in-page]\nfrom kael import tensor\n```\n",
            "line 8: a cell for the browser imports kael.tensor, which is not there",
        ),
    ],
)
def test_a_planted_fault_is_found_at_its_line(clone: Path, page: str, finding: str) -> None:
    assert found(clone, page) == [f"index.md: {finding}"]


def test_a_page_that_the_contents_do_not_name_is_found(clone: Path) -> None:
    (clone / "book" / "forgotten.md").write_text("# T\n", encoding="utf-8")
    assert found(clone, "# T\n") == ["forgotten.md: the table of contents does not name it"]


def test_a_page_that_is_not_there_is_found(clone: Path) -> None:
    assert lint.findings(clone) == ["index.md: the table of contents names it, but there is no such page"]


def test_labels_are_named_in_words(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# T\n\n(sec-a)=\n## A heading\n\n$$\nx\n$$ (eq-chain-rule)\n\n"
        "```{prf:theorem} Chain rule\n:label: thm-chain\nx\n```\n\n```{exercise}\n:label: ex-1\ny\n```\n",
        encoding="utf-8",
    )
    assert labels(page) == {
        "sec-a": "A heading",
        "eq-chain-rule": "the equation chain rule",
        "thm-chain": "Theorem (Chain rule)",
        "ex-1": "Exercise",
    }


def test_a_fence_inside_a_longer_fence_belongs_to_it() -> None:
    block = next(iter(parse("````{note}\n```python\n1\n```\n````\n")))
    assert (block.name, block.lines) == ("note", ["```python", "1", "```"])


def test_an_open_fence_is_refused() -> None:
    with pytest.raises(BookError, match="line 2: the fence ::: is not closed"):
        list(parse("text\n:::{note}\n"))
