"""Notebooks for nbgrader: their form, what students see of them, and what runs inside."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kael.exercises import Refused
from kael.exercises.catalogue import Exercise, catalogue, find, proof_of
from kael.exercises.formats import cells, nbgrader
from kael.exercises.pack import instructor
from kael.exercises.pack.bundle import Grading
from kael.exercises.pack.files import deliver
from tests.exercises.test_leaks import shows, telling_lines
from tests.exercises.workspace import ROOT

EXERCISES = catalogue(ROOT / "exercises")
(UNBROADCAST,) = find("ch17-03", ROOT / "exercises")
SCHEMAS = Path(__file__).parent / "schemas"
SOLUTION = re.compile(r"### BEGIN SOLUTION\n.*?### END SOLUTION", re.DOTALL)
HIDDEN = re.compile(r"### BEGIN HIDDEN TESTS\n.*?### END HIDDEN TESTS", re.DOTALL)


def solution(exercise: Exercise) -> str:
    return (proof_of(exercise) / "solution" / exercise.file).read_text(encoding="utf-8")


def hidden(exercise: Exercise) -> dict[str, str]:
    files = sorted((proof_of(exercise) / "hidden").glob("check_*.py"))
    return {file.name: file.read_text(encoding="utf-8") for file in files}


def notebook(exercise: Exercise) -> dict[str, Any]:
    return json.loads(nbgrader.render(exercise, solution(exercise), hidden(exercise), seed=3))


def sources(made: dict[str, Any]) -> list[str]:
    return ["".join(cell["source"]) for cell in made["cells"]]


def for_students(source: str) -> str:
    """A cell as nbgrader leaves it for students."""
    return HIDDEN.sub("", SOLUTION.sub("", source))


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
class TestForm:
    def test_points_of_the_cells_are_those_of_the_exercise(self, exercise: Exercise) -> None:
        said = [cell["metadata"]["nbgrader"] for cell in notebook(exercise)["cells"]]
        assert sum(each.get("points", 0) for each in said) == exercise.points
        assert all(("points" in each) == each["grade"] for each in said)

    def test_it_is_a_notebook(self, exercise: Exercise) -> None:
        nbformat = pytest.importorskip("nbformat")
        nbformat.validate(nbformat.from_dict(notebook(exercise)))

    def test_metadata_keep_to_the_schema_and_no_name_stands_twice(self, exercise: Exercise) -> None:
        said = [cell["metadata"]["nbgrader"] for cell in notebook(exercise)["cells"]]
        names = [each["grade_id"] for each in said]
        assert len(set(names)) == len(names)
        jsonschema = pytest.importorskip("jsonschema")
        asked = json.loads((SCHEMAS / "nbgrader.schema.json").read_text(encoding="utf-8"))
        for each in said:
            jsonschema.Draft202012Validator(asked).validate(each)

    def test_students_see_no_solution_and_no_hidden_check(self, exercise: Exercise) -> None:
        seen = [for_students(source) for source in sources(notebook(exercise))]
        for secrets in telling_lines(exercise):
            assert [text for text in seen if shows(text, secrets)] == []
        assert [text for text in seen for name in hidden(exercise) if name in text] == []


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A notebook in which nothing has run."""
    monkeypatch.setattr(cells, "_KEPT", {})
    yield


def run(made: dict[str, Any], change: Any = lambda source: source) -> dict[str, str]:
    """What each graded cell ends in; empty for a pass."""
    ends = {}
    for cell, source in zip(made["cells"], sources(made), strict=True):
        source = change(source)
        if cell["cell_type"] == "markdown" or source.startswith("%load_ext"):
            continue
        if source.startswith("%%answer"):
            first, _, rest = source.partition("\n")
            cells.answer(first.removeprefix("%%answer "), rest)
            continue
        try:
            exec(source, {"checked": cells.checked})
            ends[cell["metadata"]["nbgrader"]["grade_id"]] = ""
        except cells.NotPassed as error:
            ends[cell["metadata"]["nbgrader"]["grade_id"]] = str(error)
    return ends


@pytest.mark.usefixtures("fresh")
class TestCells:
    def test_the_instructors_notebook_passes_and_says_nothing(self, capfd: pytest.CaptureFixture[str]) -> None:
        ends = run(notebook(UNBROADCAST))
        assert set(ends.values()) == {""}
        assert len(ends) == UNBROADCAST.checks + 1
        assert capfd.readouterr() == ("", "")

    def test_the_students_notebook_is_not_started(self) -> None:
        vars(cells._of("ch17-03"))["results"] = {}  # what came of another answer is forgotten
        ends = run(notebook(UNBROADCAST), for_students)
        assert [end.partition(":")[0] for end in ends.values()] == ["not started"] * UNBROADCAST.checks + [""]

    def test_lines_that_nbgrader_puts_there_are_no_part_of_the_answer(self) -> None:
        put = "# YOUR CODE HERE\nraise NotImplementedError()"
        ends = run(notebook(UNBROADCAST), lambda source: SOLUTION.sub(put, source))
        assert {end.partition(":")[0] for end in ends.values()} == {"not started"}

    def test_a_wrong_answer_is_told_why(self) -> None:
        wrong = (proof_of(UNBROADCAST) / "wrong" / "averages.py").read_text(encoding="utf-8")
        ends = run(notebook(UNBROADCAST), lambda source: re.sub(r"(?s)^(%%answer .*?\n).*", rf"\1{wrong}", source))
        said = UNBROADCAST.misconceptions["mean_for_sum"]
        assert said in ends["ch17-03-test_bias_at_axis_1"]
        assert ends["ch17-03-test_operand_that_does_not_fit"] == ""

    def test_a_check_that_is_not_there_says_what_to_do(self) -> None:
        with pytest.raises(Refused, match="has no check 'test_nothing'; make the notebook again"):
            cells.checked("ch17-03", "test_nothing")


@pytest.mark.slow
def test_nbgrader_itself_grades_a_right_answer_and_a_stub(tmp_path: Path) -> None:
    gradebook = pytest.importorskip("nbgrader.api")
    made = {
        path: data for path, data in instructor.pack([UNBROADCAST], Grading(3)).items() if path.startswith("nbgrader/")
    }
    deliver(made, tmp_path)
    course = tmp_path / "nbgrader"

    def command(*arguments: str) -> None:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # it calls alembic by name
        done = subprocess.run(
            [sys.executable, "-m", "nbgrader", *arguments], cwd=course, capture_output=True, text=True, check=False,
            env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    command("generate_assignment", "ch17_engine")
    for who in ("right", "stub"):
        folder = course / "submitted" / who / "ch17_engine"
        folder.mkdir(parents=True)
        text = (course / "release" / "ch17_engine" / "e03_unbroadcast.ipynb").read_text(encoding="utf-8")
        handed_in = json.loads(text)
        if who == "right":
            place = next(c for c in handed_in["cells"] if c["metadata"]["nbgrader"]["solution"])
            place["source"] = f"%%answer ch17-03\n{solution(UNBROADCAST)}"
        (folder / "e03_unbroadcast.ipynb").write_text(json.dumps(handed_in), encoding="utf-8")
    command("autograde", "ch17_engine")
    with gradebook.Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        scores = {each.student.id: each.score for each in book.assignment_submissions("ch17_engine")}
    assert scores == {"right": UNBROADCAST.points, "stub": 0}
