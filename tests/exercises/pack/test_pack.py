"""What students get gives nothing away, what instructors get is complete, and both are the same whenever made."""

import io
import json
import os
import shutil
import subprocess
import tomllib
import zipfile
from pathlib import Path

import pytest

from kael.exercises import Refused, catalogue, workspace
from kael.exercises.catalogue import find, proof_of
from kael.exercises.command import main
from kael.exercises.pack import instructor, student
from kael.exercises.pack.bundle import Grading
from kael.exercises.pack.files import deliver, zipped
from tests.exercises.test_leaks import shows, telling_lines
from tests.exercises.workspace import ROOT, pytest_command

EXERCISES = catalogue.catalogue(ROOT / "exercises")
CHAPTER = find("ch17", ROOT / "exercises")
HANDOUT = student.handout(EXERCISES)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """kael as an installation has it: the tasks, without proofs and source."""
    tasks = tmp_path / "site-packages" / "kael" / "exercises" / "tasks"
    shutil.copytree(ROOT / "exercises", tasks, ignore=shutil.ignore_patterns("__pycache__"))
    for module in (catalogue, workspace):
        monkeypatch.setattr(module, "folder_of_exercises", lambda: tasks)


@pytest.fixture(scope="module")
def made() -> dict[str, bytes]:
    """An instructor's pack of one chapter."""
    return instructor.pack(CHAPTER, Grading(5))


class TestHandout:
    def test_nothing_in_it_shows_a_solution(self) -> None:
        texts = {path: data.decode("utf-8") for path, data in HANDOUT.items()}
        for exercise in EXERCISES:
            for secrets in telling_lines(exercise):
                assert [path for path, text in texts.items() if shows(text, secrets)] == []

    def test_no_path_leads_to_a_proof(self) -> None:
        kinds = {"hidden", "wrong", "solution", "solutions", "alt", "slow", "crash", "checks"}
        assert [path for path in HANDOUT if kinds & set(path.split("/"))] == []
        assert [path for path in HANDOUT if Path(path).name.startswith("check_")] == []

    def test_it_holds_the_chosen_exercises_alone(self) -> None:
        made = student.handout(CHAPTER[1:3])
        places = {path.rpartition("/")[0] for path in made} - {"", ".kael"}
        assert places == {exercise.place for exercise in CHAPTER[1:3]}
        listed = tomllib.loads(made["index.toml"].decode())["exercise"]
        assert [entry["id"] for entry in listed] == ["ch17-02", "ch17-03"]
        assert [entry["requires"] for entry in listed] == [[], []]

    def test_the_index_of_all_says_what_the_index_says(self) -> None:
        given = tomllib.loads((ROOT / "exercises" / "index.toml").read_text(encoding="utf-8"))
        assert tomllib.loads(HANDOUT["index.toml"].decode()) == given

    def test_the_sheet_has_every_task(self) -> None:
        sheet = HANDOUT["TASKS.md"].decode()
        for exercise in EXERCISES:
            last = (exercise.folder / "README.md").read_text(encoding="utf-8").strip().splitlines()[-1]
            assert f"\n## {exercise.id} " in sheet and last in sheet

    def test_it_is_a_workspace_of_its_exercises(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        deliver(student.handout(CHAPTER), tmp_path / "handout")
        assert main(["list", "--json", "--dir", str(tmp_path / "handout")]) == 0
        said = json.loads(capsys.readouterr().out)
        assert [(each["id"], each["state"]) for each in said] == [(each.id, "not started") for each in CHAPTER]
        assert main(["check", "--dir", str(tmp_path / "handout"), "--plain"]) == 1
        assert f"{CHAPTER[0].id} {CHAPTER[0].title}: 0 of" in capsys.readouterr().out

    def test_init_and_update_bring_back_what_was_in_it_and_no_more(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        given = student.handout(CHAPTER[1:3])
        deliver(given, tmp_path)
        (tmp_path / "index.toml").unlink()
        (tmp_path / CHAPTER[1].place / CHAPTER[1].file).unlink()
        (tmp_path / CHAPTER[2].place / CHAPTER[2].visible.name).unlink()
        assert main(["update", "--dir", str(tmp_path)]) == 0
        assert main(["init", str(tmp_path)]) == 0
        files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
        assert {path for path in files if not path.startswith(".kael/")} == {
            path for path in given if not path.startswith(".kael/")
        }
        for path in ("README.md", "index.toml", f"{CHAPTER[1].place}/{CHAPTER[1].file}"):
            assert (tmp_path / path).read_bytes() == given[path]

    def test_plain_pytest_runs_in_it(self, tmp_path: Path) -> None:
        deliver(student.handout(CHAPTER[:1]), tmp_path / "handout")
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            pytest_command("-q", CHAPTER[0].place), cwd=tmp_path / "handout", env=environment,
            capture_output=True, text=True, encoding="utf-8", check=False,
        )  # fmt: skip
        assert f"not started:  {CHAPTER[0].id}" in done.stdout

    @pytest.mark.usefixtures("installed")
    def test_an_installation_makes_it_too(self) -> None:
        assert student.handout(catalogue.catalogue()) == HANDOUT


class TestInstructorsPack:
    def test_every_misconception_is_in_the_key_and_most_have_an_answer(self, made: dict[str, bytes]) -> None:
        key = made["answer_key.md"].decode()
        for exercise in CHAPTER:
            for text in exercise.misconceptions.values():
                assert text.replace("|", "&#124;") in key
        assert key.count("none here") < key.count("`test_")

    def test_right_and_wrong_answers_and_hidden_checks_are_there(self, made: dict[str, bytes]) -> None:
        for exercise in CHAPTER:
            proof = proof_of(exercise)
            solution = (proof / "solution" / exercise.file).read_bytes()
            assert made[f"solutions/{exercise.place}/solution/{exercise.file}"] == solution
            wrong = {path.name for path in (proof / "wrong").iterdir() if path.suffix in {".py", ".pyx"}}
            prefix = f"wrong/{exercise.place}/"
            assert {path.removeprefix(prefix) for path in made if path.startswith(prefix)} == wrong
            for check in (proof / "hidden").glob("check_*.py"):
                assert made[f"checks/{exercise.place}/{check.name}"] == check.read_bytes()

    def test_the_handout_in_it_is_the_students(self, made: dict[str, bytes]) -> None:
        given = student.handout(CHAPTER)
        assert {
            path.removeprefix("handout/"): data for path, data in made.items() if path.startswith("handout/")
        } == given
        with zipfile.ZipFile(io.BytesIO(made["handout.zip"])) as archive:
            assert {name: archive.read(name) for name in archive.namelist()} == given

    def test_every_file_that_the_readme_names_is_there(self, made: dict[str, bytes]) -> None:
        said = made["README.md"].decode()
        assert f"generate_assignment {CHAPTER[0].place.partition('/')[0]}`" in said
        for name in ("handout.zip", "table.md", "answer_key.md", "gradescope/autograder.zip"):
            assert f"`{name}`" in said and name in made
        for folder in ("handout", "solutions", "wrong", "checks", "classroom50"):
            assert f"`{folder}/`" in said and any(path.startswith(f"{folder}/") for path in made)
        assert "use 5" in said

    def test_autograders_hold_neither_solutions_nor_wrong_answers(self, made: dict[str, bytes]) -> None:
        with zipfile.ZipFile(io.BytesIO(made["gradescope/autograder.zip"])) as archive:
            names = archive.namelist()
        names += [path for path in made if path.startswith("classroom50/")]
        assert [name for name in names if {"solution", "alt", "wrong"} & set(name.split("/"))] == []
        assert any("/hidden/check_" in name for name in names)

    def test_checks_of_one_s_own_go_into_the_autograders(self, tmp_path: Path) -> None:
        (tmp_path / "ch17-03").mkdir()
        own = "def test_of_my_own(answer):\n    assert answer\n"
        (tmp_path / "ch17-03" / "check_own.py").write_text(own, encoding="utf-8")
        made = instructor.pack(CHAPTER[2:3], Grading(checks=tmp_path))
        with zipfile.ZipFile(io.BytesIO(made["gradescope/autograder.zip"])) as archive:
            assert archive.read(f"tests/exercises/{CHAPTER[2].place}/hidden/check_own.py").decode() == own
        assert "test_of_my_own" in made["nbgrader/source/ch17_engine/e03_unbroadcast.ipynb"].decode()

    def test_checks_that_cannot_be_used_are_refused(self, tmp_path: Path) -> None:
        (tmp_path / "ch17-03").mkdir()
        (tmp_path / "ch17-03" / "check_own.py").write_text("def broken(:\n", encoding="utf-8")
        with pytest.raises(Refused, match="cannot be read as Python"):
            instructor.pack(CHAPTER[2:3], Grading(checks=tmp_path))

    @pytest.mark.usefixtures("installed")
    def test_an_installation_says_that_it_takes_a_clone(self) -> None:
        with pytest.raises(Refused, match="an installation does not bring; `cd` into a clone"):
            instructor.pack(catalogue.catalogue(), Grading())


class TestFiles:
    def test_the_same_input_makes_the_same_bytes(self, made: dict[str, bytes]) -> None:
        assert zipped(instructor.pack(CHAPTER, Grading(5))) == zipped(made)

    def test_scripts_can_be_run(self) -> None:
        with zipfile.ZipFile(io.BytesIO(zipped({"run": b"#!/bin/sh\n", "read": b""}))) as archive:
            assert {e.filename: e.external_attr >> 16 for e in archive.infolist()} == {
                "run": 0o100755,
                "read": 0o100644,
            }

    def test_a_folder_with_files_is_left_alone(self, tmp_path: Path) -> None:
        (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
        with pytest.raises(Refused, match=r"is there and not empty; name a new folder, or a file ending in \.zip"):
            deliver({"README.md": b"new"}, tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]

    def test_an_archive_is_replaced(self, tmp_path: Path) -> None:
        target = tmp_path / "new" / "handout.zip"
        for text in (b"old", b"new"):
            deliver({"README.md": text}, target)
        with zipfile.ZipFile(target) as archive:
            assert archive.read("README.md") == b"new"


class TestCommand:
    def test_a_chapter_for_students(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["pack", "--student", str(tmp_path / "out"), "ch17"]) == 0
        assert f"{len(CHAPTER)} exercises" in capsys.readouterr().out
        assert (tmp_path / "out" / "ch17_engine" / "e03_unbroadcast" / "unbroadcast.py").is_file()

    def test_a_program_is_told_the_files(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["pack", "--instructor", str(tmp_path / "all.zip"), "ch17-03", "--json"]) == 0
        said = json.loads(capsys.readouterr().out)
        assert said["exercises"] == ["ch17-03"]
        with zipfile.ZipFile(tmp_path / "all.zip") as archive:
            assert archive.namelist() == said["files"]

    def test_what_cannot_be_done_is_one_line(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
        assert main(["pack", "--student", str(tmp_path)]) == 2
        assert capsys.readouterr().err.startswith("kael ex: ")
