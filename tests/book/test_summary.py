"""What is counted of a page."""

from __future__ import annotations

from pathlib import Path

from kael.book import summary

PAGE = """\
---
jupytext: {}
---
# Three words here

Text with $x$ and `code` and a [link](page.md).

*Worked Example 7.1.1.* Numbers. Back to Worked Example 7.1.1.

```{code-cell} ipython3
:tags: [run-in-page]

print(1)
```

```{code-cell} ipython3
:tags: [remove-cell]

assert 1 == 1 and 2 < 3
assert callable(print)
```

::::{admonition} Common trap
:class: warning

Four words in it.

```{code-block} python
assert 1 == 1
```
::::

```{exercise} Title
:label: ex-07-01

Do.
```
"""


def test_cells_assertions_traps_examples_and_exercises() -> None:
    counts = summary.count(PAGE)
    assert counts._asdict() | {"words": 0} == {
        "words": 0, "cells": 2, "asserted": 3, "traps": 1, "examples": 1, "browser": 1, "exercises": 1,
    }  # fmt: skip


def test_words_are_those_a_reader_reads_and_not_code() -> None:
    assert summary.count("# Three words here\n\n```python\nfor name in names: pass\n```\n").words == 3
    assert summary.count("A [link with words](far/away.md) and {term}`Rung`.\n").words == 6
    boxed = summary.count("::::{admonition} Common trap\n:class: warning\n\nFour words in it.\n::::\n")
    assert (boxed.words, boxed.traps) == (6, 1)


def test_the_table_has_a_line_for_each_page_and_their_sum(tmp_path: Path) -> None:
    book = tmp_path / "book"
    book.mkdir()
    (book / "_toc.yml").write_text("root: index\nparts:\n  - chapters:\n      - file: ch07\n", encoding="utf-8")
    (book / "index.md").write_text("# Two words\n", encoding="utf-8")
    (book / "ch07.md").write_text(PAGE, encoding="utf-8")
    head, index, chapter, total = (line.split() for line in summary.table(tmp_path).splitlines())
    assert head[:2] == ["page", "words"]
    assert index[:3] == ["index", "2", "0"] and chapter[2] == "2"
    assert int(total[2]) == 2 + int(chapter[1]) and total[3] == chapter[2]
