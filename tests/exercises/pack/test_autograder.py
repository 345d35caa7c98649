"""The autograders grade what was handed in, and their file is whole at every moment."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kael.exercises.catalogue import Exercise, find, proof_of
from kael.exercises.pack import autograder, classroom50, gradescope
from kael.exercises.pack.bundle import Grading, bundle
from kael.exercises.pack.files import below, deliver
from kael.exercises.results import Results
from tests.exercises.workspace import ROOT

CHAPTER = find("ch17", ROOT / "exercises")
MIRROR, UNBROADCAST = CHAPTER[1:3]
SCHEMAS = Path(__file__).parents[1] / "formats" / "schemas"


def solution(exercise: Exercise) -> Path:
    return proof_of(exercise) / "solution" / exercise.file


def wrong(exercise: Exercise) -> Path:
    return min(path for path in (proof_of(exercise) / "wrong").iterdir() if path.suffix == ".py")


def valid(text: str, schema: str) -> dict:
    """A file of results, after a look at its schema where that can be had."""
    said = json.loads(text)
    try:
        import jsonschema
    except ModuleNotFoundError:
        return said
    asked = json.loads((SCHEMAS / f"{schema}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(asked).validate(said)
    return said


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of two exercises, delivered."""
    folder = tmp_path_factory.mktemp("bundle") / "source"
    deliver(bundle([MIRROR, UNBROADCAST], Grading(3)), folder)
    return folder


def handed_in(folder: Path) -> Path:
    """One right answer and one wrong one, as files side by side."""
    shutil.copy(solution(UNBROADCAST), folder)
    shutil.copy(wrong(MIRROR), folder / MIRROR.file)
    return folder


@pytest.fixture
def submission(tmp_path: Path) -> Path:
    """The same for one test."""
    folder = tmp_path / "submission"
    folder.mkdir()
    return handed_in(folder)


class TestGather:
    def gathered(self, submission: Path, tmp_path: Path) -> tuple[list[str], dict[str, str]]:
        root = tmp_path / "root"
        notes = autograder.gather(CHAPTER[:3], submission, root)
        return notes, {p.relative_to(root).as_posix(): p.read_text(encoding="utf-8") for p in root.rglob("*.py")}

    @pytest.mark.parametrize(
        "place", ["unbroadcast.py", "e03_unbroadcast/unbroadcast.py", "a/b/ch17_engine/e03_unbroadcast/unbroadcast.py"]
    )
    def test_an_answer_is_found_however_deep(self, tmp_path: Path, place: str) -> None:
        (tmp_path / "in" / place).parent.mkdir(parents=True)
        (tmp_path / "in" / place).write_text("mine", encoding="utf-8")
        _, files = self.gathered(tmp_path / "in", tmp_path)
        assert files == {"ch17_engine/e03_unbroadcast/unbroadcast.py": "mine"}

    def test_what_is_missing_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "in").mkdir()
        notes, files = self.gathered(tmp_path / "in", tmp_path)
        assert files == {}
        assert notes[-1] == "ch17-03: no unbroadcast.py was handed in; it belongs into ch17_engine/e03_unbroadcast"

    def test_the_file_in_its_folder_comes_before_a_stray_one(self, tmp_path: Path) -> None:
        (tmp_path / "in" / "e03_unbroadcast").mkdir(parents=True)
        (tmp_path / "in" / "unbroadcast.py").write_text("stray", encoding="utf-8")
        (tmp_path / "in" / "e03_unbroadcast" / "unbroadcast.py").write_text("mine", encoding="utf-8")
        _, files = self.gathered(tmp_path / "in", tmp_path)
        assert files["ch17_engine/e03_unbroadcast/unbroadcast.py"] == "mine"

    def test_between_two_that_differ_nobody_guesses(self, tmp_path: Path) -> None:
        for name in ("old", "new"):
            (tmp_path / "in" / name).mkdir(parents=True)
            (tmp_path / "in" / name / "unbroadcast.py").write_text(name, encoding="utf-8")
        notes, files = self.gathered(tmp_path / "in", tmp_path)
        assert files == {}
        assert [note for note in notes if "two different files for one exercise" in note]
        assert not [note for note in notes if "ch17-03: no unbroadcast.py" in note]

    def test_a_name_that_several_exercises_have_needs_its_folder(self, tmp_path: Path) -> None:
        predictions = [*find("ch07-01", ROOT / "exercises"), *find("ch17-01", ROOT / "exercises")]
        (tmp_path / "predict.py").write_text("whose?", encoding="utf-8")
        assert (
            "predict.py could answer ch07-01, ch17-01" in autograder.gather(predictions, tmp_path, tmp_path / "root")[0]
        )


@pytest.fixture(scope="module")
def graded(made: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, list[str]]:
    """What came of the submission, and Gradescope's file at each moment."""
    folder = handed_in(tmp_path_factory.mktemp("graded"))
    files: list[str] = []
    results = autograder.grade(
        made, folder, lambda results, notes: files.append(autograder.gradescope.render(results, notes=notes))
    )
    return results, files


class TestGrade:
    def test_the_file_is_whole_at_every_moment_and_points_only_grow(self, graded: tuple[Results, list[str]]) -> None:
        results, files = graded
        said = [valid(file, "gradescope") for file in files]
        assert len(said) > len([check for result in results.exercises for check in result.checks])
        scores = [each["score"] for each in said]
        assert scores == sorted(scores)
        assert scores[-1] == results.score
        totals = {sum(test["max_score"] for test in each["tests"]) for each in said}
        assert totals == {MIRROR.points + UNBROADCAST.points}
        assert [result.state for result in results.exercises] == ["fail", "pass"]

    def test_hidden_checks_run_with_the_seed_of_the_pack(self, graded: tuple[Results, list[str]]) -> None:
        results, _ = graded
        assert {result.seed for result in results.exercises} == {3}
        assert "test_shapes_drawn_at_random" in [check.name for check in results.exercises[1].checks]

    def test_an_answer_that_ends_the_run_scores_nothing_and_the_other_is_graded(
        self, made: Path, submission: Path
    ) -> None:
        (submission / MIRROR.file).write_text("import os\nos._exit(0)\n", encoding="utf-8")
        results = autograder.grade(made, submission, lambda results, notes: None)
        assert [(result.state, result.score) for result in results.exercises] == [
            ("crash", 0), ("pass", UNBROADCAST.points),
        ]  # fmt: skip

    def test_when_the_time_is_over_the_rest_is_not_run_and_says_so(self, submission: Path, tmp_path: Path) -> None:
        deliver(bundle([MIRROR, UNBROADCAST], Grading(3, minutes=1e-9)), tmp_path / "short")
        results = autograder.grade(tmp_path / "short", submission, lambda results, notes: None)
        assert {result.state for result in results.exercises} == {"not run"}
        assert "minutes for grading were over before this check" in results.exercises[0].checks[0].text

    def test_a_crash_of_the_autograder_leaves_what_was_known(
        self, made: Path, submission: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:  # fmt: skip
        whole = autograder.check

        def breaks(exercises, root, *, report, **options):
            if exercises[0].id == UNBROADCAST.id:
                raise OSError("the disk is full")
            whole(exercises, root, report=report, **options)

        monkeypatch.setattr(autograder, "check", breaks)
        out = tmp_path / "results" / "results.json"
        asked = ["gradescope", "--bundle", str(made), "--submission", str(submission), "--out", str(out)]
        assert autograder.main(asked) == 1
        said = valid(out.read_text(encoding="utf-8"), "gradescope")
        assert said["tests"][0]["extra_data"]["state"] == "fail"
        assert {test["extra_data"]["state"] for test in said["tests"][-UNBROADCAST.checks :]} == {"not run"}
        assert "the disk is full" in capsys.readouterr().err

    def test_classroom_50_gets_its_result_and_a_page(self, made: Path, submission: Path, tmp_path: Path) -> None:
        out = tmp_path / "result.json"
        asked = ["classroom50", "--bundle", str(made), "--submission", str(submission), "--out", str(out)]
        assert autograder.main(asked) == 0
        said = valid(out.read_text(encoding="utf-8"), "classroom50")
        assert (said["score"], said["max-score"]) == (
            sum(test["score"] for test in said["tests"]), MIRROR.points + UNBROADCAST.points,
        )  # fmt: skip
        page = (tmp_path / "release-body.md").read_text(encoding="utf-8")
        assert page.startswith(f"**{said['score']} of {said['max-score']} points**")


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """Stands in for the environment that the scripts build: this interpreter, with this kael."""
    folder = tmp_path / "environment"
    python = folder / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    return folder


@pytest.mark.skipif(sys.platform == "win32", reason="the services run Linux")
class TestScripts:
    def run(self, *command: str | Path, cwd: Path, **switches: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(part) for part in command], cwd=cwd, env={**os.environ, **switches}, capture_output=True, text=True,
            encoding="utf-8", check=False,
        )  # fmt: skip

    def test_run_autograder_writes_gradescope_s_file(self, environment: Path, submission: Path, tmp_path: Path) -> None:
        deliver(gradescope.autograder([MIRROR, UNBROADCAST], Grading(3)), tmp_path / "source")
        done = self.run(tmp_path / "source" / "run_autograder", cwd=tmp_path, KAEL_AUTOGRADER=str(tmp_path))
        said = valid((tmp_path / "results" / "results.json").read_text(encoding="utf-8"), "gradescope")
        assert done.returncode == 0, done.stderr
        assert UNBROADCAST.points <= said["score"] < UNBROADCAST.points + MIRROR.points

    def test_run_autograder_without_its_environment_still_leaves_a_file(self, submission: Path, tmp_path: Path) -> None:
        deliver(gradescope.autograder([MIRROR], Grading(3)), tmp_path / "source")
        done = self.run(tmp_path / "source" / "run_autograder", cwd=tmp_path, KAEL_AUTOGRADER=str(tmp_path))
        said = valid((tmp_path / "results" / "results.json").read_text(encoding="utf-8"), "gradescope")
        assert done.returncode != 0
        assert (said["score"], said["tests"]) == (0, [])
        assert "did not start; tell your instructor" in said["output"]

    def test_classroom_50_runs_the_script_in_the_checkout(
        self, environment: Path, submission: Path, tmp_path: Path
    ) -> None:
        deliver(below("room", classroom50.autograder([MIRROR, UNBROADCAST], Grading(3), "engine")), tmp_path / "config")
        script = tmp_path / "config" / "room" / "engine" / "autograder.py"
        done = self.run(
            sys.executable, script, cwd=submission, KAEL_ENVIRONMENT=str(environment), CLASSROOM="room", OWNER="ada"
        )
        said = valid((submission / "result.json").read_text(encoding="utf-8"), "classroom50")
        assert done.returncode == 0, done.stderr
        assert (said["classroom"], said["owner"]) == ("room", "ada")

    @pytest.mark.skipif("KAEL_TEST_INSTALLS" not in os.environ, reason="takes minutes; set KAEL_TEST_INSTALLS=1")
    def test_setup_builds_an_environment_from_the_archive(self, submission: Path, tmp_path: Path) -> None:
        deliver(gradescope.autograder([MIRROR, UNBROADCAST], Grading(3)), tmp_path / "source")
        switches = {"KAEL_AUTOGRADER": str(tmp_path), "KAEL_PYTHON": sys.executable, "KAEL_BUILD_SETS": "baseline"}
        done = self.run("bash", tmp_path / "source" / "setup.sh", cwd=tmp_path, **switches)
        assert done.returncode == 0, done.stderr
        done = self.run(tmp_path / "source" / "run_autograder", cwd=tmp_path, **switches)
        assert done.returncode == 0, done.stderr
        assert valid((tmp_path / "results" / "results.json").read_text(encoding="utf-8"), "gradescope")["score"] > 0

    @pytest.mark.skipif("KAEL_TEST_INSTALLS" not in os.environ, reason="takes minutes; set KAEL_TEST_INSTALLS=1")
    def test_classroom_50_builds_its_environment_from_the_archive(self, submission: Path, tmp_path: Path) -> None:
        deliver(classroom50.autograder([MIRROR, UNBROADCAST], Grading(3), "engine"), tmp_path / "config")
        switches = {"KAEL_ENVIRONMENT": str(tmp_path / "made"), "KAEL_BUILD_SETS": "baseline"}
        script = tmp_path / "config" / "engine" / "autograder.py"
        done = self.run(sys.executable, script, cwd=submission, **switches)
        assert done.returncode == 0, done.stderr
        assert valid((submission / "result.json").read_text(encoding="utf-8"), "classroom50")["score"] > 0
