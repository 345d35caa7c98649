"""Hints open one by one; solutions after a pass or on giving up; both name what comes next."""

import re
import shutil
import zipfile
from pathlib import Path

import pytest

from kael.exercises import Refused, solutions
from kael.exercises.catalogue import Exercise, catalogue, find, proof_of
from kael.exercises.hints import TIERS, may_open, open_next, where_to_read
from kael.exercises.session import Session
from kael.exercises.solutions import solution_of
from kael.exercises.state import Progress
from kael.exercises.workspace import Workspace, initialize
from tests.exercises.workspace import ROOT

EXERCISES = catalogue(ROOT / "exercises")
(EXERCISE,) = find("ch17-03", ROOT / "exercises")


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(initialize(tmp_path / "mine").workspace, pytest.fail)


class TestOrder:
    def test_the_first_opens_at_once(self) -> None:
        progress = Progress()
        assert open_next(EXERCISE, progress)
        assert progress.hints == 1

    def test_the_next_opens_after_another_failed_try(self) -> None:
        progress = Progress(hints=1, tries=2, tries_at_hint=2)
        assert not open_next(EXERCISE, progress)
        progress.tries += 1
        assert open_next(EXERCISE, progress)
        assert not open_next(EXERCISE, progress)
        assert progress.hints == 2

    def test_or_at_once_when_asked_for(self) -> None:
        progress = Progress(hints=1)
        assert open_next(EXERCISE, progress, at_once=True)
        assert progress.hints == 2

    def test_nothing_follows_the_last(self) -> None:
        progress = Progress(hints=3, tries=9)
        assert not open_next(EXERCISE, progress, at_once=True)
        assert progress.hints == 3

    @pytest.mark.parametrize("progress", [Progress(hints=1, passed="today"), Progress(hints=1, given_up="today")])
    def test_after_a_pass_there_is_nothing_to_wait_for(self, progress: Progress) -> None:
        assert may_open(EXERCISE, progress)

    def test_they_cost_no_points(self, session: Session) -> None:
        (before,) = [each.points for each in session.standings() if each.exercise.id == "ch17-03"]
        for _ in range(3):
            session.hint(EXERCISE, at_once=True)
        (after,) = [each.points for each in session.standings() if each.exercise.id == "ch17-03"]
        assert before == after == EXERCISE.points

    def test_what_was_opened_stays_open(self, session: Session) -> None:
        assert session.hint(EXERCISE).new
        again = session.hint(EXERCISE)
        assert (again.opened, again.new, again.all) == (EXERCISE.hints[:1], False, 3)

    def test_every_exercise_has_one_for_each_tier(self) -> None:
        assert {len(exercise.hints) for exercise in EXERCISES} == {len(TIERS)}


class TestWhereToRead:
    @pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
    def test_every_exercise_leads_to_a_section_of_the_book(self, exercise: Exercise, tmp_path: Path) -> None:
        shutil.copytree(ROOT / "book", tmp_path / "book", ignore=shutil.ignore_patterns("_*", "decisions"))
        assert re.search(r"\.md, line \d+$", where_to_read(exercise, tmp_path).text)

    def test_a_built_page_is_linked_at_its_section(self, tmp_path: Path) -> None:
        page = tmp_path / "book" / "_build" / "html" / "ch17_engine.html"
        page.parent.mkdir(parents=True)
        page.write_text(
            '<section id="first">\n<h2>17.1 A</h2></section>\n'
            '<section class="x" id="accumulation">\n<span id="sec"></span><h2>17.2 Accumulation</h2>',
            encoding="utf-8",
        )
        assert where_to_read(EXERCISE, tmp_path).uri == f"{page.as_uri()}#accumulation"

    def test_without_the_book_it_says_how_to_get_it(self, tmp_path: Path) -> None:
        place = where_to_read(EXERCISE, tmp_path)
        assert (place.text, place.uri) == ("`kael book` in the clone, page ch17_engine", "")


class TestSolution:
    def test_before_a_pass_is_refused_with_two_ways_on(self, session: Session) -> None:
        with pytest.raises(Refused, match=r"kael ex hint ch17-03.*--give-up.*records that"):
            session.solution(EXERCISE)

    def test_giving_up_is_recorded(self, session: Session) -> None:
        session.solution(EXERCISE, give_up=True)
        assert session.store.read().of("ch17-03").given_up
        session.solution(EXERCISE)

    def test_giving_up_after_a_pass_is_none(self, session: Session) -> None:
        with session.store.change() as state:
            state.of("ch17-03").passed = "today"
        session.solution(EXERCISE, give_up=True)
        assert not session.store.read().of("ch17-03").given_up

    def test_an_exercise_given_up_is_not_the_next(self, session: Session) -> None:
        session.solution(EXERCISES[0], give_up=True)
        following = session.next()
        assert following is not None
        assert following.exercise.id == EXERCISES[1].id

    def test_an_installation_has_it_in_its_archive(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        archive = tmp_path / "solutions.zip"
        proof = proof_of(EXERCISE)
        with zipfile.ZipFile(archive, "w") as packed:
            for kind in ("solution", "alt"):
                for path in (proof / kind).glob("*.py"):
                    packed.write(path, f"{EXERCISE.place}/{kind}/{path.name}")
        cloned = solution_of(EXERCISE)
        monkeypatch.setattr(solutions, "proof_of", lambda exercise: tmp_path / "nowhere")
        assert solution_of(EXERCISE, archive) == cloned
        assert cloned.others

    def test_without_either_it_says_so(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(solutions, "proof_of", lambda exercise: tmp_path / "nowhere")
        with pytest.raises(Refused, match="came without the solution of ch17-03"):
            solution_of(EXERCISE, tmp_path / "solutions.zip")


class TestDifference:
    def test_is_from_the_stub_before_a_pass(self, session: Session) -> None:
        file = session.workspace.answer(EXERCISE)
        file.write_text(file.read_text(encoding="utf-8").replace("raise NotStarted", "return grad"), encoding="utf-8")
        against, lines = session.difference(EXERCISE)
        assert against == "the stub"
        assert "-    return grad" in lines

    def test_is_from_the_solution_after_giving_up(self, session: Session) -> None:
        session.solution(EXERCISE, give_up=True)
        against, lines = session.difference(EXERCISE)
        assert against == "the solution"
        assert any("reduce_sum_axis" in line for line in lines)

    def test_does_not_mind_line_ends_and_bad_bytes(self, session: Session) -> None:
        file = session.workspace.answer(EXERCISE)
        file.write_bytes(EXERCISE.answer.read_bytes().replace(b"\n", b"\r\n") + b"# \xff\r\n")
        _, lines = session.difference(EXERCISE)
        assert [line for line in lines[2:] if line[0] in "+-"] == ["-# \ufffd"]


def test_a_workspace_shows_no_solution(session: Session) -> None:
    workspace: Workspace = session.workspace
    secret = (proof_of(EXERCISE) / "solution" / EXERCISE.file).read_text(encoding="utf-8")
    line = max(secret.splitlines(), key=len)
    assert all(line not in path.read_text(encoding="utf-8") for path in workspace.root.rglob("*") if path.is_file())
