"""The same points in every format, whatever came of the checks, and files that are whole at every moment."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kael.exercises.formats import FORMATS, classroom50, gradescope, junit, render, text, write
from kael.exercises.formats.rows import LIMIT, clean, rows
from kael.exercises.results import STATES, Results
from tests.exercises.formats.sample import ENVIRONMENT, NASTY, exercise, result, sample

SHORT = [said for name, said in NASTY.items() if name != "flood"]
CHECKS = st.tuples(st.sampled_from(STATES), st.sampled_from(["", "total: 9 of 9 points", *SHORT]))


@st.composite
def some_results(draw: st.DrawFn) -> Results:
    """Up to four exercises with checks in any state, saying anything."""
    found = []
    for number in range(1, draw(st.integers(0, 4)) + 1):
        said = draw(st.lists(CHECKS, min_size=1, max_size=6))
        asked = exercise(number, draw(st.integers(1, len(said))), draw(st.integers(0, 40)))
        found.append(result(asked, *said))
    return Results(found)


def sums(results: Results) -> dict[str, tuple[int, int, int, int]]:
    """Score and points of each format: as it gives them for the whole, and added up over its checks."""
    kael = json.loads(render(results, "json"))
    checks = [check for asked in kael["exercises"] for check in asked["checks"]]
    scope = json.loads(render(results, "gradescope"))
    room = json.loads(render(results, "classroom50"))
    suites = list(ET.fromstring(render(results, "junit")))
    facts = [{p.get("name"): p.get("value") for p in suite[0]} for suite in suites]
    cases = [{p.get("name"): p.get("value") for p in case[0]} for suite in suites for case in suite.iter("testcase")]
    said = render(results, "text")
    total = re.search(r"^total: (\d+) of (\d+) points", said, re.MULTILINE)
    marks = re.findall(r"^  \S case \d+ +(?:pass|fail|timeout|crash|not started|not run|not available) +(\d+)/(\d+)$",
                       said, re.MULTILINE)  # fmt: skip
    assert total is not None
    return {
        "json": (kael["score"], kael["points"], sum(c["score"] for c in checks), sum(c["points"] for c in checks)),
        "gradescope": (
            scope["score"], results.points,
            sum(t["score"] for t in scope["tests"]), sum(t["max_score"] for t in scope["tests"]),
        ),
        "classroom50": (
            room["score"], room["max-score"],
            sum(t["score"] for t in room["tests"]), sum(t["max-score"] for t in room["tests"]),
        ),
        "junit": (
            sum(int(f["score"] or 0) for f in facts), sum(int(f["points"] or 0) for f in facts),
            sum(int(c["score"] or 0) for c in cases), sum(int(c["points"] or 0) for c in cases),
        ),
        "text": (int(total[1]), int(total[2]), sum(int(m[0]) for m in marks), sum(int(m[1]) for m in marks)),
    }  # fmt: skip


@given(some_results())
def test_points_add_up_to_the_same_in_every_format(results: Results) -> None:
    assert set(sums(results).values()) == {(results.score, results.points) * 2}
    assert set(sums(results)) == set(FORMATS)


@given(some_results())
def test_every_check_has_a_row_and_only_passes_pass(results: Results) -> None:
    states = [check.state for asked in results.exercises for check in asked.checks]
    tests = json.loads(render(results, "gradescope"))["tests"]
    assert [test["status"] == "passed" for test in tests] == [state == "pass" for state in states]
    tests = json.loads(render(results, "classroom50"))["tests"]
    assert [test["passed"] for test in tests] == [state == "pass" for state in states]
    cases = list(ET.fromstring(render(results, "junit")).iter("testcase"))
    assert [len(case) == 1 for case in cases] == [state == "pass" for state in states]


@given(st.lists(st.integers(0, 0x10FFFF).map(chr), max_size=40).map("".join))
def test_a_cleaned_text_can_be_written_and_read_as_xml(said: str) -> None:
    element = ET.Element("said", {"at": clean(said)})
    element.text = clean(said)
    assert ET.fromstring(ET.tostring(element, encoding="utf-8")).text in (clean(said), None)


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    said = clean("begin" + "x" * 1_000_000 + "end")
    assert said.startswith("begin") and said.endswith("end") and len(said) < LIMIT + 100
    assert f"[{1_000_008 - LIMIT} characters left out]" in said


class TestJUnit:
    def test_counts_are_those_of_the_cases(self) -> None:
        root = ET.fromstring(junit.render(sample()))
        for element in [root, *root]:
            counts = [sum(1 for _ in element.iter(kind)) for kind in ("testcase", "failure", "error", "skipped")]
            assert [int(element.attrib[name]) for name in ("tests", "failures", "errors", "skipped")] == counts

    def test_only_what_is_not_available_is_skipped(self) -> None:
        cases = ET.fromstring(junit.render(sample())).iter("testcase")
        skipped = [case[0][0].get("value") for case in cases if case.find("skipped") is not None]
        assert skipped == ["not available"]


class TestGradescope:
    def test_checks_that_a_reader_has_not_got_are_shown_later(self) -> None:
        tests = json.loads(gradescope.render(sample(), hidden="after_due_date"))["tests"]
        assert [t["number"] for t in tests if t["visibility"] == "after_due_date"] == ["ch17-03.4"]

    def test_a_wrong_visibility_names_the_right_ones(self) -> None:
        with pytest.raises(ValueError, match="hidden is 'never'; choose from visible, after_due_date"):
            gradescope.render(sample(), hidden="never")


class TestClassroom50:
    def test_who_and_what_come_from_the_runner(self) -> None:
        said = json.loads(classroom50.render(sample(), environment=ENVIRONMENT))
        assert (said["owner"], said["assignment"], said["review"]) == ("ada", "engine", ENVIRONMENT["REVIEW_URL"])

    def test_where_there_is_nothing_to_compare_the_commit_is_reviewed(self) -> None:
        said = json.loads(classroom50.render(sample(), environment={**ENVIRONMENT, "REVIEW_URL": ""}))
        assert said["review"] == said["commit"] == ENVIRONMENT["COMMIT_URL"]

    def test_the_file_says_nothing_of_hidden_checks_but_their_state(self) -> None:
        tests = json.loads(classroom50.render(sample(), environment=ENVIRONMENT))["tests"]
        for row, test in zip(rows(sample()), tests, strict=True):
            assert test["output"] == ("" if row.hidden else row.text)
            assert test["state"] == row.check.state

    def test_a_release_says_nothing_of_hidden_checks_but_their_state(self) -> None:
        said = classroom50.release_body(sample())
        hidden = [row for row in rows(sample()) if row.hidden]
        assert [f"| {row.check.state} |" in said for row in hidden] == [True]
        assert [row.text in said for row in hidden] == [False]


class TestText:
    def test_the_same_text_is_told_once(self) -> None:
        assert text.render(sample()).count("open:         a.py") == 1

    def test_it_names_what_was_checked(self) -> None:
        assert "checked: answers/ch17_engine/e01_sample/answer.py (sha256 abababababab)" in text.render(sample())


class TestFiles:
    def test_junit_has_the_points_beside_it(self, tmp_path: Path) -> None:
        assert write(sample(), "junit", tmp_path / "out" / "r.xml") == [
            tmp_path / "out" / "r.xml", tmp_path / "out" / "r.json",
        ]  # fmt: skip
        assert json.loads((tmp_path / "out" / "r.json").read_text(encoding="utf-8"))["points"] == sample().points

    def test_an_unknown_format_names_the_known_ones(self) -> None:
        with pytest.raises(ValueError, match="format 'xml' is not known; choose from text, json, junit"):
            render(sample(), "xml")
