"""Each check of a built site finds the fault it is there for, and finds nothing on a clean page."""

from pathlib import Path

import pytest

from kael.book import site

CLEAN = """<html><head><link rel="stylesheet" href="_static/a.css"><script src="_static/a.mjs"></script></head><body>
<h1 id="top">A</h1><a href="#top">up</a> <a href="b.html#part">b</a> <a href="https://example.org/">elsewhere</a>
<img src="_static/a.png" alt="a falling curve">
<div class="cell tag_raises-exception"><div class="cell_output"><div class="output traceback">no</div></div></div>
</body></html>"""


@pytest.fixture
def built(tmp_path: Path) -> Path:
    static = tmp_path / "_static"
    static.mkdir()
    for name in ("a.mjs", "a.png"):
        (static / name).write_text("", encoding="utf-8")
    (static / "a.css").write_text("@font-face { src: url(fonts/a.woff2) }", encoding="utf-8")
    (tmp_path / "a.html").write_text(CLEAN, encoding="utf-8")
    (tmp_path / "b.html").write_text('<h2 id="part">B</h2>', encoding="utf-8")
    return tmp_path


def plant(built: Path, fault: str) -> list[str]:
    (built / "a.html").write_text(CLEAN.replace("</body>", f"{fault}</body>"), encoding="utf-8")
    return site.check(built)


def test_a_clean_site_has_no_findings(built: Path) -> None:
    assert site.check(built) == []


@pytest.mark.parametrize(
    ("fault", "finding"),
    [
        ('<a href="c.html">c</a>', "a.html: link to a file that is not there: c.html"),
        ('<a href="b.html#gone">c</a>', "a.html: link to an anchor that is not there: b.html#gone"),
        ('<img src="_static/gone.png" alt="x">', "a.html: link to a file that is not there: _static/gone.png"),
        ('<span class="katex-error" title="x">\\frac{1</span>', "a.html: broken formula (katex-error): \\frac{1"),
        ('<span style="color:#cc0000">\\oops</span>', "a.html: broken formula (#cc0000): \\oops"),
        (
            '<div class="cell"><div class="output traceback highlight">E</div></div>',
            "a.html: 1 cell(s) raised without the tag raises-exception",
        ),
        ('<div class="cell"><div class="output stderr highlight">W</div></div>', "a.html: 1 cell(s) wrote to stderr"),
        ('<img src="_static/a.png">', "a.html: no text alternative: img _static/a.png"),
        ('<img src="_static/a.png" alt=" ">', "a.html: no text alternative: img _static/a.png"),
        ('<img src="_static/a.png" alt="_static/a.png">', "a.html: no text alternative: img _static/a.png"),
        ('<svg role="img"></svg>', "a.html: no text alternative: svg"),
        ('<script src="https://cdn.example/x.js"></script>', "a.html: loads https://cdn.example/x.js"),
        ('<link rel="stylesheet" href="//cdn.example/x.css">', "a.html: loads //cdn.example/x.css"),
        ('<img src="https://cdn.example/x.png" alt="x">', "a.html: loads https://cdn.example/x.png"),
        (
            '<script type="module">import x from "https://cdn.example/x.mjs"</script>',
            "a.html: a script imports https://cdn.example/x.mjs",
        ),
    ],
)
def test_a_planted_fault_is_the_one_finding(built: Path, fault: str, finding: str) -> None:
    assert plant(built, fault) == [finding]


def test_a_source_that_speaks_of_broken_formulas_is_not_one(built: Path) -> None:
    assert plant(built, '<pre>&lt;span class="katex-error" style="color:#cc0000"></pre>') == []


def test_a_page_of_more_than_a_megabyte_is_found(built: Path) -> None:
    filler = "x" * site.HEAVY
    assert plant(built, f"<p>{filler}</p>") == [
        f"a.html: {len(CLEAN) + len(filler) + 7:,} bytes; a page has at most 1,000,000"
    ]


def test_a_style_that_loads_from_elsewhere_is_found(built: Path) -> None:
    (built / "_static" / "a.css").write_text("@import url('https://fonts.example/a.css');", encoding="utf-8")
    assert site.check(built) == ["_static/a.css: loads https://fonts.example/a.css"]
