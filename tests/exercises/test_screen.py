"""How results look without colours at 60 columns, on narrow code pages, and in a terminal."""

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest

from kael.exercises.catalogue import catalogue, find
from kael.exercises.results import STATES, CheckResult, ExerciseResult
from kael.exercises.screen import SIGNS, Screen, in_short, without_math
from kael.exercises.session import Hints, Standing
from kael.exercises.state import Progress
from tests.exercises.workspace import ROOT

(EXERCISE,) = find("ch17-03", ROOT / "exercises")
FAILED = """\
called:       unbroadcast_at(grad of shape (2, 3, 4, 5), (3,), axis=1)
expected:     shape (3,); got shape (2, 3, 4, 5)
likely cause: not summed over the axes that were repeated
read:         17.2 and its trap about broadcasting, book/ch17_engine.md
run again:    kael ex check ch17-03"""
RESULT = ExerciseResult(
    EXERCISE,
    (
        CheckResult("test_bias_at_axis_1", "fail", FAILED, 6),
        CheckResult("test_axes_of_size_one", "pass", "", 4),
        CheckResult("test_nothing_was_repeated", "timeout", "not done after 10 s", 2),
    ),
    Path("ch17_engine/e03_unbroadcast/unbroadcast.py"),
    "7f3dd75440d4aaaa",
)
RESULT_AT_60 = """\
ch17-03 A bias in the middle: 4 of 12 points
checked ch17_engine/e03_unbroadcast/unbroadcast.py
(7f3dd75440d4)
[x] fail     bias at axis 1
[+] pass     axes of size one
[t] timeout  nothing was repeated

bias at axis 1: fail
called:       unbroadcast_at(grad of shape (2, 3, 4, 5),
              (3,), axis=1)
expected:     shape (3,); got shape (2, 3, 4, 5)
likely cause: not summed over the axes that were repeated
read:         17.2 and its trap about broadcasting,
              book/ch17_engine.md
run again:    kael ex check ch17-03
"""
STATUS_AT_60 = """\
[####################] 1 of 1 exercises, 12 of 12 points

ch17_engine           1 of  1 passed,  12 of  12 points

Checks on your own machine are on honour: they help you,
and prove nothing to others.
"""
LIST_AT_60 = """\
[+] pass           ch17-03  12/12  A bias in the middle
[ ] not started    ch17-03   0/12  A bias in the middle
                   that needs more than one line to be said
"""


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def screen(stream: io.StringIO) -> Screen:
    return Screen(stream, width=60)


def standing(state: str, score: int) -> Standing:
    return Standing(EXERCISE, Path("unbroadcast.py"), state, Progress(score=score))


class TestPlain:
    def test_a_result(self, screen: Screen, stream: io.StringIO) -> None:
        screen.result(RESULT)
        assert stream.getvalue() == RESULT_AT_60

    def test_the_status(self, screen: Screen, stream: io.StringIO) -> None:
        screen.status([standing("pass", 12)])
        assert stream.getvalue() == STATUS_AT_60

    def test_the_list(self, screen: Screen, stream: io.StringIO) -> None:
        longer = replace(EXERCISE, title="A bias in the middle that needs more than one line to be said")
        screen.listing([standing("pass", 12), replace(standing("not started", 0), exercise=longer)])
        assert stream.getvalue() == LIST_AT_60

    def test_hints_say_how_to_get_the_next(self, screen: Screen, stream: io.StringIO) -> None:
        screen.hints(EXERCISE, Hints(EXERCISE.hints[:2], False, 3, False))
        printed = stream.getvalue()
        assert "ch17-03 hint 2 of 3: where to look" in printed
        assert re.search(r"at: .*ch17_engine", printed)
        assert "kael ex hint ch17-03 --now" in printed

    def test_the_first_hint_says_it_too(self, screen: Screen, stream: io.StringIO) -> None:
        screen.hints(EXERCISE, Hints(EXERCISE.hints[:1], True, 3, False))
        assert "after another failed try, or at once" in " ".join(stream.getvalue().split())
        assert "kael ex hint ch17-03 --now" in stream.getvalue()

    def test_code_is_not_broken_over_two_lines(self, screen: Screen, stream: io.StringIO) -> None:
        screen.line(f"{'word ' * 10}and `unbroadcast_at(grad, shape, axis)` as well", indent=2)
        assert stream.getvalue().splitlines()[1].startswith("  `unbroadcast_at(grad, shape, axis)` as")

    def test_code_longer_than_a_line_is(self, screen: Screen, stream: io.StringIO) -> None:
        screen.line(f"`{'a + ' * 20}a`")
        assert max(map(len, stream.getvalue().splitlines())) < 60

    def test_after_a_pass_no_hint_asks_for_a_failed_try(self, screen: Screen, stream: io.StringIO) -> None:
        screen.hints(EXERCISE, Hints(EXERCISE.hints[:1], True, 3, True))
        screen.hints(EXERCISE, Hints(EXERCISE.hints, True, 3, True))
        printed = stream.getvalue()
        assert "`kael ex hint ch17-03` opens the next one" in printed
        assert "failed try" not in printed
        assert "--give-up" not in printed

    def test_no_line_is_longer_than_the_terminal_but_for_a_path(self, screen: Screen, stream: io.StringIO) -> None:
        screen.task(EXERCISE)
        screen.result(RESULT)
        screen.hints(EXERCISE, Hints(EXERCISE.hints, False, 3, False))
        long = [line for line in stream.getvalue().splitlines() if len(line) > 60]
        assert [line for line in long if str(ROOT) not in line] == []

    def test_what_is_not_there_leads_to_the_doctor(self, screen: Screen, stream: io.StringIO) -> None:
        screen.result(replace(RESULT, sha256=""))
        assert re.search(r"\[!\] missing .*`kael ex doctor`", stream.getvalue().replace("\n", " "))

    def test_it_is_ascii_for_any_code_page(self, screen: Screen, stream: io.StringIO) -> None:
        screen.result(RESULT)
        screen.status([standing(state, 0) for state in SIGNS])
        assert stream.getvalue().isascii()

    def test_a_narrow_code_page_loses_a_sign_and_not_the_run(self) -> None:
        raw = io.BytesIO()
        narrow = io.TextIOWrapper(raw, encoding="cp1252", errors="replace")
        Screen(narrow, width=60).line("3×8, ∂f")
        narrow.flush()
        assert raw.getvalue().strip() == "3×8, ?f".encode("cp1252")


class TestSigns:
    def test_every_state_has_one(self) -> None:
        assert set(STATES) <= set(SIGNS)

    def test_a_pass_has_one_of_its_own(self) -> None:
        assert [state for state, sign in SIGNS.items() if sign == "+"] == ["pass", "changed", "ok"]


class TestTerminal:
    """With rich; the words are the same, and colours and links are added."""

    @pytest.fixture(autouse=True)
    def colours(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("rich")
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setenv("TERM", "xterm-256color")

    def test_the_words_are_those_of_the_plain_one(self) -> None:
        stream = Terminal()
        Screen(stream, width=60).result(RESULT)
        words = re.sub(r"\x1b(\[[\d;]*m|\]8;[^\x1b]*\x1b\\)", "", stream.getvalue())
        assert words == RESULT_AT_60

    def test_files_are_links(self, tmp_path: Path) -> None:
        stream = Terminal()
        Screen(stream, width=200).result(replace(RESULT, file=tmp_path / "a b.py"))
        assert f";{(tmp_path / 'a b.py').as_uri()}\x1b\\" in stream.getvalue()

    @pytest.mark.parametrize("why", ["NO_COLOR", "--plain"])
    def test_colours_can_be_refused(self, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
        if why == "NO_COLOR":
            monkeypatch.setenv("NO_COLOR", "1")
        stream = Terminal()
        Screen(stream, plain=why == "--plain", width=60).result(RESULT)
        assert stream.getvalue() == RESULT_AT_60


class TestTaskInShort:
    def test_what_a_colon_announces_is_part_of_it(self) -> None:
        text, code = in_short(EXERCISE)
        assert text.endswith("Write the way back:")
        assert "unbroadcast_at(grad, shape, axis)" in code

    def test_formulas_are_spelled_as_text(self) -> None:
        told = " ".join(in_short(find("ch07-03", ROOT / "exercises")[0]))
        assert "square error of N examples" in told
        assert without_math(r"$-\infty$ and $k \bmod 8$, but `$N$`") == "-inf and k mod 8, but `$N$`"

    def test_no_task_shows_the_marks_of_a_formula(self) -> None:
        told = [part for exercise in catalogue() for part in in_short(exercise) if not part.startswith("```")]
        assert [part for part in told if "$" in part or "\\" in part] == []

    def test_every_task_has_one(self) -> None:
        for exercise in find("ch", ROOT / "exercises"):
            assert 0 < sum(len(part) for part in in_short(exercise)) < 1500
            assert not in_short(exercise)[-1].endswith(":")
