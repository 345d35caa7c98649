"""Numbers about a class, held against small classes that can be counted by hand."""

import csv
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kael.exercises.catalogue import find
from kael.exercises.grading.report import About, Row, write_report
from kael.exercises.grading.statistics import KEPT, Statistics, likely_cause
from kael.exercises.grading.tables import FeedbackNames, Grades, write_feedback, write_items
from kael.exercises.results import CheckResult, with_points
from tests.exercises.workspace import ROOT

(EXERCISE,) = find("ch17-02", ROOT / "exercises")
CHECKS = with_points(EXERCISE, [CheckResult(f"test_{word}", "not run") for word in ("one", "two", "three")])
WRONG = "called:       f(2)\nexpected:     4; got 8\nlikely cause: it was squared\nread:         17.2"


def record(student: str, *states: str, text: str = WRONG) -> dict[str, Any]:
    results = [
        {"name": check.name, "state": state, "points": check.points, "text": "" if state == "pass" else text}
        for check, state in zip(CHECKS, states, strict=True)
    ]
    score = sum(check.points for check, state in zip(CHECKS, states, strict=True) if state == "pass")
    absent = "not available" in states
    state = "pass" if set(states) == {"pass"} else "not available" if absent else "fail"
    return {
        "student": student, "exercise": EXERCISE.id, "sha256": "ab" * 32, "reason": "", "seed": 1, "checks": "c",
        "state": state, "score": score, "points": 0 if absent else EXERCISE.points, "results": results,
    }  # fmt: skip


def counted(*records: dict[str, Any]) -> Statistics:
    statistics = Statistics([EXERCISE], {EXERCISE.id: CHECKS})
    for each in records:
        statistics.enter([each])
    return statistics


def test_rates_are_of_all_and_of_those_who_began() -> None:
    (one, _, _) = counted(
        record("a", "pass", "fail", "fail"),
        record("b", "fail", "fail", "fail"),
        record("c", "not started", "not started", "not started"),
        record("d", "not available", "not available", "not available"),
    ).items
    assert (one.students, one.begun) == (3, 2)
    assert (one.pass_rate, one.pass_rate_begun) == (1 / 3, 1 / 2)


def test_the_commonest_wrong_answer_is_named_with_its_count() -> None:
    items = counted(
        record("a", "pass", "fail", "pass"),
        record("b", "pass", "fail", "pass"),
        record("c", "pass", "fail", "pass", text="called: x\nlikely cause: it was halved"),
    ).items
    assert [item.commonest for item in items] == [("", 0), ("it was squared", 2), ("", 0)]


def test_a_correlation_is_that_of_numpy() -> None:
    draw = np.random.default_rng(3)
    states = [["pass" if flip else "fail" for flip in flips] for flips in draw.random((40, 3)) < [0.3, 0.6, 0.5]]
    statistics = counted(*(record(str(k), *row) for k, row in enumerate(states)))
    passed = np.array([[state == "pass" for state in row] for row in states], float)
    points = [check.points for check in CHECKS]
    for place, item in enumerate(statistics.items):
        rest = passed @ points - passed[:, place] * points[place]
        assert item.discrimination == pytest.approx(np.corrcoef(passed[:, place], rest)[0, 1])


def test_where_all_pass_there_is_no_correlation() -> None:
    assert (
        counted(record("a", "pass", "pass", "fail"), record("b", "pass", "fail", "fail")).items[0].discrimination
        is None
    )


@pytest.mark.parametrize(("totals", "median"), [([0], 0), ([0, 12], 6), ([0, 4, 12], 4), ([0, 4, 8, 12], 6)])
def test_median_and_mean(totals: list[int], median: float) -> None:
    statistics = counted()
    statistics.totals.update(totals)
    assert (statistics.median, statistics.mean) == (median, sum(totals) / len(totals))


def test_memory_is_bounded_however_many_causes_there_are() -> None:
    statistics = counted()
    for number in range(3 * KEPT):
        statistics.enter([record("a", "fail", "pass", "pass", text=f"odd {number}")])
        statistics.enter([record("a", "fail", "pass", "pass")])
    item = statistics.items[0]
    assert len(item.causes) <= KEPT
    assert item.commonest == ("it was squared", 3 * KEPT)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (WRONG, "it was squared"),
        (
            "called: f\nexpected:     4; got 8\nlikely cause: no mistake that this check knows gives this value",
            "4; got 8",
        ),
        ("called: f\ngot:          <f at 0x7f00aa>", "<f at 0x...>"),
        ("row 3 is still blank\nread: 17", "row 3 is still blank"),
        ("", ""),
    ],
)
def test_the_cause_is_the_line_that_says_most(text: str, cause: str) -> None:
    assert likely_cause(text) == cause


# Tables


def test_grades_have_points_per_exercise_total_state_and_hash() -> None:
    stream = StringIO()
    grades = Grades(stream, [EXERCISE])
    grades.enter("ada, a.", [record("ada, a.", "pass", "pass", "fail")], "ada.txt")
    grades.enter("bob", [record("bob", *["not available"] * 3)], "bob.txt")
    grades.enter("eve", [], "eve.txt")
    first, second, third = csv.DictReader(StringIO(stream.getvalue()))
    assert (first["student"], first["ch17-02"], first["total"], first["of"]) == ("ada, a.", "8", "8", "12")
    assert (first["state"], first["sha256"]) == ("1 fail", f"ch17-02={'ab' * 32}")
    assert (second["ch17-02"], second["of"], second["state"]) == ("", "0", "1 not available")
    assert third["state"] == "not graded"


@pytest.mark.parametrize("name", ["=1+1", "＝1", "+1", "-1", "@SUM(A1)", " =1", "\t=1", '=cmd|" /C calc"!A0'])
def test_no_name_is_taken_for_a_formula(name: str) -> None:
    stream = StringIO()
    Grades(stream, [EXERCISE]).enter(name, [], "x.txt")
    rows = list(csv.reader(StringIO(stream.getvalue())))
    assert rows[1][0] == f"'{name}"


def test_items_have_a_row_for_each_check(tmp_path: Path) -> None:
    wrong = record("a", "pass", "fail", "fail", text="likely cause: =HYPERLINK(1)")
    write_items(tmp_path / "items.csv", counted(wrong, record("b", "pass", "pass", "timeout")))
    rows = list(csv.DictReader(StringIO((tmp_path / "items.csv").read_text(encoding="utf-8"))))
    assert [row["check"] for row in rows] == ["test_one", "test_two", "test_three"]
    assert (rows[1]["pass rate"], rows[1]["pass"], rows[1]["fail"]) == ("0.5000", "1", "1")
    assert (rows[1]["commonest wrong answer"], rows[1]["its count"]) == ("'=HYPERLINK(1)", "1")
    assert rows[2]["timeout"] == "1"


def test_names_of_feedback_are_names_that_every_system_has() -> None:
    names = FeedbackNames()
    students = ["CON", "a/b", "A:b", 'q"?*', "x" * 300, "..", "=1", "李", "nul.txt"]
    made = [names.of(student) for student in students]
    assert made[:4] == ["_CON.txt", "a_b.txt", "A_b-2.txt", "q___.txt"]
    assert max(len(name.encode()) for name in made) < 160
    assert made[5:] == ["_.txt", "_=1.txt", "李.txt", "_nul.txt.txt"]


def test_feedback_gives_no_numbers_of_a_private_check(tmp_path: Path) -> None:
    wrong = record("ada", "fail", "fail", "pass")
    write_feedback(
        tmp_path / "ada.txt", "ada", [wrong], ["mirror2.py was not graded"], {"ch17-02": frozenset({"test_two"})}
    )
    text = (tmp_path / "ada.txt").read_text(encoding="utf-8")
    assert "note: mirror2.py was not graded" in text
    one, _, two = text.partition("- two: fail")
    assert "expected:     4; got 8" in one
    assert "expected" not in two
    assert "likely cause: it was squared" in two


# The report


class Outline(HTMLParser):
    """What a page is made of, and every address in it."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: dict[str, int] = {}
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.referred: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        if tag not in ("meta", "rect", "line", "link", "img"):
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "src", "action", "data"):
                self.addresses.append(value or "")
            if name == "aria-labelledby":
                self.referred.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def page(*records: dict[str, Any], notes: dict[str, list[str]] | None = None) -> tuple[str, Outline]:
    about = About([EXERCISE], 5, "0.1", "kael grade 'my class' --seed 5", {EXERCISE.id: "c" * 64})
    rows = [Row(each["student"], [each], FeedbackNames().of(each["student"])) for each in records]
    stream = StringIO()
    write_report(stream, about, counted(*records), rows, notes or {})
    outline = Outline()
    outline.feed(stream.getvalue())
    assert outline.open == []
    return stream.getvalue(), outline


def test_the_report_fetches_nothing() -> None:
    text, outline = page(record("ada", "pass", "fail", "pass"))
    assert all(address.startswith(("#", "feedback/", "data:,")) for address in outline.addresses)
    assert "default-src 'none'" in text
    assert "script" not in outline.tags
    assert "url(" not in text
    assert "@import" not in text


def test_links_and_labels_of_the_report_lead_somewhere() -> None:
    _, outline = page(record("ada", "pass", "fail", "pass"))
    assert len(outline.ids) == len(set(outline.ids))
    assert {address[1:] for address in outline.addresses if address.startswith("#")} <= set(outline.ids)
    assert set(outline.referred) <= set(outline.ids)
    assert outline.tags["caption"] == outline.tags["table"]


def test_names_and_texts_in_the_report_are_never_markup() -> None:
    evil = "<script>alert(1)</script>"
    wrong = record(evil, "pass", "fail", "pass", text=f"likely cause: {evil}")
    text, outline = page(wrong, notes={evil: [evil], "": ["a <b>"]})
    assert "<script" not in text
    assert [words.strip() for words in outline.text].count(evil) == 4


def test_the_report_names_the_commonest_misconception_and_how_to_run_again() -> None:
    text, _ = page(record("ada", "pass", "fail", "pass"), record("bob", "pass", "fail", "pass"))
    assert 'it was squared <span class="quiet">(2 students)</span>' in text
    assert "kael grade &#x27;my class&#x27; --seed 5" in text


def test_the_report_of_a_class_that_handed_in_nothing_is_a_page() -> None:
    text, _ = page(record("ada", *["not started"] * 3))
    assert "Everything that was handed in was graded." in text


def test_a_wide_range_of_totals_is_drawn_in_few_bars() -> None:
    _, outline = page(*(record(str(k), "pass", "fail", "pass") for k in range(30)))
    assert outline.tags["rect"] == 1
