"""The built book in headless Chromium, and each of these checks on a page with the fault that it is there for."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from kael.book.build import build, is_current
from tests.book.browser.run import ALLOWED, chromium, read

pytest.importorskip("jupyter_book", reason="needs the extra [book]")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(chromium() is None, reason="needs Chromium")]

ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "book" / "_build" / "html" / "_static"
PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>T</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">{head}</head>
<body><main><article><h1>T</h1>{body}</article></main></body></html>"""
TRACE = """<kael-trace><figure class="kt" aria-label="T"><div class="kt-graph"></div>
<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr><tr><td>2</td></tr></tbody></table></figure>
<script type="application/json" class="kt-data">{data}</script></kael-trace>"""
CELL = """<div class="cell tag_run-in-page"><div class="cell_input"><pre>{source}</pre></div>
<div class="cell_output"><div class="output stream"><pre>{printed}</pre></div></div></div>"""


@pytest.fixture(scope="module")
def book() -> dict[str, Any]:
    if not is_current(ROOT):
        build(ROOT, quiet=True)
    return read(ROOT / "book" / "_build" / "html")


@pytest.mark.parametrize(
    "check", ["requests", "errors", "axe", "narrow", "unscripted", "stepper", "run", "search", "keyboard"]
)
def test_the_book_has_no_findings(book: dict[str, Any], check: str) -> None:
    assert book["found"][check] == []


@pytest.mark.parametrize("what", ["axe", "traces", "steps", "reruns", "cells", "rows"])
def test_the_checks_had_something_to_look_at(book: dict[str, Any], what: str) -> None:
    assert book["seen"][what] > 0


def test_every_allowed_finding_has_a_reason() -> None:
    assert all(set(entry) == {"rule", "target", "reason"} and len(entry["reason"]) > 40 for entry in ALLOWED)


HIDDEN = '<kael-trace><table style="display:none"><tbody><tr><td>1</td></tr></tbody></table></kael-trace>'
FAULTS = {
    "axe": ("", '<img src="data:,"><p style="color:#999;background:#fff">Too pale to read.</p>', "color-contrast"),
    "narrow": ("", '<p style="width: 500px">Wide</p>', "wider than 320 px"),
    "requests": ("", '<img alt="x" src="http://127.0.0.1:9/x.png">', "http://127.0.0.1:9/x.png"),
    "errors": ("<script>throw new Error('planted')</script>", "", "planted"),
    "unscripted": ("", HIDDEN, "0 of 1"),
    "stepper": ("", TRACE.format(data="{}"), "did not start"),
    "keyboard": ("", '<button tabindex="-1">Go</button>', "not reached by Tab"),
    "run": (
        '<script type="module" src="_static/kael/run.mjs"></script>',
        CELL.format(source="print(6 * 7)", printed="43"),
        'printed "42", the page shows "43"',
    ),
}


@pytest.fixture(scope="module")
def faulty(book: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A site with one page for each fault, with the real scripts."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(STATIC, folder / "_static")
    for name, (head, body, _) in FAULTS.items():
        (folder / f"{name}.html").write_text(PAGE.format(head=head, body=body), encoding="utf-8")
    return read(folder)


@pytest.mark.parametrize("check", FAULTS)
def test_a_planted_fault_is_found(faulty: dict[str, Any], check: str) -> None:
    findings = [finding for finding in faulty["found"][check] if finding.startswith(f"{check}.html")]
    assert any(FAULTS[check][2] in finding for finding in findings), faulty["found"]
