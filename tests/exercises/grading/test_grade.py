"""A class graded from the shell: from submissions to grades, interrupted, killed, continued, and on a cluster."""

import csv
import errno
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kael.exercises.catalogue import find, proof_of
from kael.exercises.grading import checks, command, pool
from kael.exercises.grading.command import main
from kael.exercises.grading.proving import Proof
from kael.exercises.grading.store import Store
from kael.exercises.grading.student import Record, Task, grade_student
from tests.exercises.grading.submissions import GROUPS, differences, generate
from tests.exercises.workspace import ROOT

EXERCISES = [exercise for name in ("ch17-02", "ch17-03") for exercise in find(name, ROOT / "exercises")]
ONLY = [word for exercise in EXERCISES for word in ("--only", exercise.id)]
FINAL = ("grades.csv", "items.csv", "report.html")


@pytest.fixture(autouse=True)
def in_the_clone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def student(folder: Path, name: str, **answers: str) -> None:
    """A submission: for each exercise the name of a file in its proof, such as ``solution/mirror.py``."""
    for exercise in EXERCISES:
        source = answers.get(exercise.folder.name.partition("_")[2], "")
        target = folder / name / exercise.place / exercise.file
        target.parent.mkdir(parents=True, exist_ok=True)
        if source:
            shutil.copy(proof_of(exercise) / source, target)


def grades(out: Path) -> dict[str, dict[str, str]]:
    with (out / "grades.csv").open(encoding="utf-8", newline="") as stream:
        return {row["student"]: row for row in csv.DictReader(stream)}


def grade(*arguments: str | Path) -> int:
    return main([*map(str, arguments), *ONLY])


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """Three students."""
    student(tmp_path / "class", "Ünal, ada", mirror="solution/mirror.py", unbroadcast="solution/unbroadcast.py")
    student(tmp_path / "class", "=bob", mirror="solution/mirror.py")
    student(tmp_path / "class", "eve")
    (tmp_path / "class" / "eve" / EXERCISES[0].place / EXERCISES[0].file).write_text(
        "import os\nos._exit(0)\n", encoding="utf-8"
    )
    return tmp_path / "class"


def test_a_class_is_graded_and_told_about(few: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert grade(few, "--seed", "3", "--out", tmp_path / "out", "--json") == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["students"], summary["graded"], summary["seed"]) == (3, 3, 3)
    rows = grades(tmp_path / "out")
    assert {name: row["total"] for name, row in rows.items()} == {"'=bob": "12", "Ünal, ada": "24", "eve": "0"}
    assert rows["eve"]["state"] in ("1 fail, 1 not started", "1 crash, 1 not started")
    feedback = (tmp_path / "out" / "feedback" / "Ünal, ada.txt").read_text(encoding="utf-8")
    assert feedback.startswith("Ünal, ada: 24 of 24 points")
    assert (tmp_path / "out" / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_an_installation_says_that_it_lacks_the_hidden_checks(
    few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(checks, "proof_of", lambda exercise: tmp_path / "nowhere" / exercise.id)
    monkeypatch.setattr(command, "prove", lambda left, *rest: {each.id: Proof() for each in left})
    monkeypatch.setattr(command, "on_this_machine", lambda tasks, jobs: ((task, []) for task in tasks))
    assert grade(few, "--out", tmp_path / "out") == 0
    assert "note: the checks that students have not got are in the clone alone" in capsys.readouterr().out
    assert "are in the clone alone" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such accounts")
def test_no_answer_runs_where_the_account_for_answers_cannot_be_used(
    few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KAEL_ANSWER_ACCOUNT", "nobody-of-that-name")
    assert grade(few, "--out", tmp_path / "out") == 1
    said = capsys.readouterr().err
    assert said == (
        "kael grade: KAEL_ANSWER_ACCOUNT: there is no account nobody-of-that-name on this machine; no answer was run\n"
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such accounts")
def test_an_account_for_answers_is_never_given_up_for_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAEL_ANSWER_ACCOUNT", "somebody")
    exercise = EXERCISES[0]
    known = checks.gather([exercise], [exercise])[exercise.id]
    task = Task("ada", {exercise.id: b"x = 1"}, 1, {exercise.id: known.more}, {exercise.id: known.sha256},
                frozenset([exercise.id]))  # fmt: skip
    with pytest.raises(RuntimeError, match="so never with their checks"):
        grade_student(task)


def test_an_answer_that_spoils_its_process_costs_no_points_for_the_others(few: Path, tmp_path: Path) -> None:
    student(few, "bad", unbroadcast="solution/unbroadcast.py")
    mirror = few / "bad" / EXERCISES[0].place / EXERCISES[0].file
    mirror.write_text("import sys\nsys.path.clear()\nsys.meta_path.clear()\n", encoding="utf-8")
    assert grade(few, "--out", tmp_path / "out") == 0
    row = grades(tmp_path / "out")["bad"]
    assert (row["ch17-02"], row["ch17-03"]) == ("0", str(EXERCISES[1].points))


def test_what_is_graded_is_graded_once(few: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grade(few, "--out", tmp_path / "out")
    before = {name: (tmp_path / "out" / name).read_bytes() for name in FINAL}
    student(few, "new", mirror="solution/mirror.py")
    (few / "=bob" / EXERCISES[1].place / EXERCISES[1].file).write_text("def (", encoding="utf-8")
    capsys.readouterr()
    grade(few, "--out", tmp_path / "out", "--json")
    assert json.loads(capsys.readouterr().out)["graded"] == 2
    assert grades(tmp_path / "out")["'=bob"]["state"] == "1 pass, 1 fail"
    shutil.rmtree(few / "new")
    (few / "=bob" / EXERCISES[1].place / EXERCISES[1].file).unlink()
    grade(few, "--out", tmp_path / "out")
    assert {name: (tmp_path / "out" / name).read_bytes() for name in FINAL} == before


@pytest.mark.parametrize("kind", ["find the bug", command.MEASURED])
def test_the_same_bytes_are_run_once_unless_time_is_measured(
    kind: str, few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor are they where the first run lost its process, as that may have had other reasons."""
    of_this_kind = [replace(each, kind=kind) for each in command.catalogue()]
    monkeypatch.setattr(command, "catalogue", lambda: of_this_kind)
    monkeypatch.setattr(command, "find", lambda name: [each for each in of_this_kind if each.id.startswith(name)])
    shutil.copytree(few / "eve", few / "fay")
    sent: list[tuple[str, list[str]]] = []

    def graded(tasks: Iterator[Task], jobs: int) -> Iterator[tuple[Task, list[Record]]]:
        for task in tasks:
            sent.append((task.student, list(task.answers)))
            yield task, grade_student(task)

    monkeypatch.setattr(command, "on_this_machine", graded)
    monkeypatch.setattr(command, "prove", lambda left, *rest: {each.id: Proof() for each in left})
    assert grade(few, "--seed", "3", "--out", tmp_path / "out") == 0
    both = ["ch17-02", "ch17-03"]
    again = [] if kind != command.MEASURED else ["ch17-02"]
    assert dict(sent) == {"=bob": both, "Ünal, ada": [*again, "ch17-03"], "eve": both, "fay": both}
    assert {name: row["ch17-02"] for name, row in grades(tmp_path / "out").items()} == {
        "'=bob": "12", "Ünal, ada": "12", "eve": "0", "fay": "0"
    }  # fmt: skip


def test_private_checks_are_graded_and_their_numbers_kept_back(few: Path, tmp_path: Path) -> None:
    private = tmp_path / "private" / "ch17-02"
    private.mkdir(parents=True)
    (private / "check_term.py").write_text(
        "from kael.testing import assert_equal\n\n"
        "def test_of_this_term(answer, numbers, because):\n"
        "    got = 4321 if hasattr(answer, 'MISTAKEN') else 1234\n"
        "    assert_equal(got, 1234, because=because('the question of this term'))\n",
        encoding="utf-8",
    )
    mirror = few / "Ünal, ada" / EXERCISES[0].place / EXERCISES[0].file
    mirror.write_text(mirror.read_text(encoding="utf-8") + "\nMISTAKEN = True\n", encoding="utf-8")
    assert grade(few, "--out", tmp_path / "out", "--checks", tmp_path / "private") == 0
    assert 0 < int(grades(tmp_path / "out")["Ünal, ada"]["ch17-02"]) < EXERCISES[0].points
    feedback = (tmp_path / "out" / "feedback" / "Ünal, ada.txt").read_text(encoding="utf-8")
    assert "- of this term: fail" in feedback
    assert "1234" not in feedback
    results = (tmp_path / "out" / "results.jsonl").read_text(encoding="utf-8")
    assert "expected:     1234; got 4321" in results


def test_a_private_check_that_rejects_the_solution_stops_before_anybody_is_graded(
    few: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    private = tmp_path / "private" / "ch17-02"
    private.mkdir(parents=True)
    (private / "check_term.py").write_text("def test_too_much(answer):\n    assert 1 == 2, 'one is two'\n", "utf-8")
    assert grade(few, "--out", tmp_path / "out", "--checks", tmp_path / "private") == 1
    said = capsys.readouterr().err
    assert "your checks of ch17-02 reject kael's own solution; correct them first" in said
    assert "test_too_much: one is two" in said
    assert (tmp_path / "out" / "results.jsonl").read_bytes() == b""


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("ch99-01/check_x.py", "def test_x(answer): pass", "belongs to no exercise"),
        ("check_x.py", "def test_x(answer): pass", "belongs to no exercise"),
        ("ch17-02/test_x.py", "def test_x(answer): pass", "is not named check_"),
        ("ch17-02/check_x.py", "def test_x(answer:", "cannot be read as Python"),
        ("ch17-02/check_x.py", "x = 1", "holds no function named test_"),
        ("ch17-02/check_x.py", "def test_running_example(answer): pass", "has two checks named test_running_example"),
        ("ch17-02/notes.txt", "", "no check_*.py in it"),
    ],
)
def test_private_checks_that_would_not_run_are_refused(
    name: str, text: str, said: str, few: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "private" / name
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit):
        grade(few, "--out", tmp_path / "out", "--checks", tmp_path / "private")
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "nowhere is not there"),
        (["README.md"], "neither a folder nor a zip"),
        ([".", "--only", "ch99"], "no exercise 'ch99'"),
        ([".", "--jobs", "0"], "at least 1"),
        ([".", "--seed", "-1"], "from 0 up"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: list[str], said: str, capfd: pytest.CaptureFixture[str]) -> None:
    from kael.cli import main as kael

    code = 0
    try:
        code = kael(["grade", *arguments])
    except SystemExit as error:
        code = int(error.code or 0)
    assert code != 0
    assert said in capfd.readouterr().err


def test_a_folder_without_submissions_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "class").mkdir()
    assert grade(tmp_path / "class", "--out", tmp_path / "out") == 1
    assert "no submission found" in capsys.readouterr().err


class FullDisk(Store):
    """Results on a disk that is full after the first student."""

    def append(self, records: Sequence[Record]) -> None:
        if self.lines:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.file))
        super().append(records)


def test_a_full_disk_stops_and_what_is_written_is_gone_on_with(
    few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(command, "Store", FullDisk)
        assert grade(few, "--out", tmp_path / "out", "--jobs", "1") == 1
    said = capsys.readouterr().err
    assert os.strerror(errno.ENOSPC) in said
    assert "1 of 3 students are graded and kept" in said
    assert "To go on once that is mended: kael grade" in said
    assert grade(few, "--out", tmp_path / "out", "--json") == 0
    assert json.loads(capsys.readouterr().out)["graded"] == 2


def test_progress_is_a_bar_in_a_terminal_and_lines_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    with command._Progress(40, plain=False) as shown:
        for done in range(41):
            shown.show(done)
    assert capsys.readouterr().err.splitlines() == [f"{done} of 40 students" for done in range(4, 41, 4)]
    tqdm = pytest.importorskip("tqdm")
    stream = io.StringIO()
    with command._Progress(40, plain=False) as shown:
        shown.bar = tqdm.tqdm(total=40, unit="student", file=stream)
        shown.show(0)
        shown.show(40)
    assert "40/40" in stream.getvalue()


def started(few: Path, out: Path, **environment: str) -> subprocess.Popen[str]:
    """`kael grade` with one process, in a group of its own."""
    group: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    words = [str(few), *ONLY, "--jobs", "1", "--seed", "3", "--out", str(out)]
    command = [sys.executable, "-m", "kael.cli", "grade", *words]
    group["env"] = {**os.environ, **environment}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", **group)


def wait_for_lines(file: Path, count: int) -> None:
    deadline = time.monotonic() + 60
    while not file.exists() or file.read_bytes().count(b"\n") < count:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def without_command(path: Path) -> bytes:
    """A final file, without the folder that it names."""
    return path.read_bytes().replace(os.fsencode(path.parent), b"OUT")


def test_a_run_that_was_killed_goes_on_and_ends_as_if_it_had_not_been(few: Path, tmp_path: Path) -> None:
    for name in ("x1", "x2", "x3"):
        student(few, name, mirror="solution/mirror.py")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert grade(few, "--seed", "3", "--out", whole) == 0
    run = started(few, killed)
    wait_for_lines(killed / "results.jsonl", 3)
    run.kill()
    run.communicate()
    with (killed / "results.jsonl").open("ab") as stream:
        stream.write(b'{"student": "x3", "exercise": "ch17-')
    assert not (killed / "grades.csv").exists()
    assert grade(few, "--out", killed) == 0
    for name in (*FINAL, "feedback/eve.txt"):
        assert without_command(killed / name) == without_command(whole / name), name


def endless(few: Path, tmp_path: Path) -> tuple[subprocess.Popen[str], int]:
    """A run that is in the middle of an answer that never ends, and the process of that answer."""
    mirror = few / "eve" / EXERCISES[0].place / EXERCISES[0].file
    mirror.write_text("import os\nopen('mark', 'w').write(f'{os.getpid()}.')\nwhile True: pass\n", encoding="utf-8")
    (tmp_path / "scratch").mkdir()
    run = started(few, tmp_path / "out", TMPDIR=str(tmp_path / "scratch"))
    while True:
        assert run.poll() is None
        for folder, _, names in os.walk(tmp_path / "scratch"):  # passes over folders that go while it looks
            if "mark" in names and (said := Path(folder, "mark").read_text(encoding="utf-8")).endswith("."):
                return run, int(said[:-1])
        time.sleep(0.05)


def ended(pid: int) -> bool:
    """Whether a process goes; a busy machine may take its time."""
    for _ in range(400):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(os.name == "nt", reason="a signal of a terminal")
def test_a_run_says_how_far_it_is_and_nothing_else(few: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "kael", "grade", str(few), *ONLY, "--seed", "3", "--jobs", "2"]
    ran = subprocess.run([*command, "--out", str(tmp_path / "out")], cwd=ROOT, capture_output=True, check=True)
    said = ran.stderr.decode().splitlines()
    assert said == [
        "checking the checks: kael's own solutions have to pass",
        *(f"{n} of 3 students" for n in (1, 2, 3)),
    ]


def test_ctrl_c_stops_soon_says_how_to_go_on_and_leaves_nothing_running(few: Path, tmp_path: Path) -> None:
    run, answer = endless(few, tmp_path)
    asked = time.monotonic()
    os.killpg(run.pid, signal.SIGINT)
    _, said = run.communicate(timeout=30)
    assert time.monotonic() - asked < 8  # it does not wait for the check's time limit
    assert run.returncode == 130
    assert "stopped; 1 of 3 students are graded" in said
    assert f"To go on: kael grade {few}" in said
    assert ended(answer)


@pytest.mark.skipif(os.name == "nt", reason="there the time limit of the check ends it")
def test_kill_9_leaves_nothing_running(few: Path, tmp_path: Path) -> None:
    run, answer = endless(few, tmp_path)
    run.kill()
    run.communicate()
    assert ended(answer)


# The processes


def fake(student: str) -> Task:
    return Task(student, {}, 0, {}, {})


def grade_or_die(task: Task) -> list[Record]:
    if task.student == "dies":
        os._exit(9)
    if task.student == "fails":
        raise ValueError("no")
    return [{"student": task.student}]


def test_a_process_that_is_lost_costs_nobody_else() -> None:
    tasks = [fake(name) for name in ("a", "dies", "b", "fails", "c")]
    got = {task.student: answer for task, answer in pool.on_this_machine(tasks, 2, grade_or_die)}
    assert [got[name] for name in "abc"] == [[{"student": name}] for name in "abc"]
    assert str(got["fails"]) == "ValueError: no"
    assert "was lost, twice" in str(got["dies"])


def test_the_next_task_is_made_when_a_process_is_free() -> None:
    made = []

    def tasks() -> Iterator[Task]:
        for number in range(6):
            made.append(number)
            yield fake(str(number))

    stream = pool.on_this_machine(tasks(), 1, grade_or_die)
    next(stream)
    assert len(made) <= 2
    stream.close()


def test_a_cluster_grades_as_one_machine_does(few: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    here, there = tmp_path / "here", tmp_path / "there"
    grade(few, "--seed", "3", "--out", here)
    with distributed.LocalCluster(
        processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None
    ) as cluster:
        assert grade(few, "--seed", "3", "--out", there, "--dask", cluster.scheduler_address) == 0
    for name in ("grades.csv", "items.csv"):
        assert (there / name).read_bytes() == (here / name).read_bytes()


def test_without_distributed_the_extra_is_named(
    few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from kael.cli import main as kael

    monkeypatch.setitem(sys.modules, "distributed", None)
    assert kael(["grade", str(few), *ONLY, "--out", str(tmp_path / "out"), "--dask", "tcp://127.0.0.1:9"]) == 1
    assert "pip install '.[cluster]'" in capsys.readouterr().err


def test_generated_submissions_earn_what_is_expected_of_them(tmp_path: Path) -> None:
    generate(tmp_path, find("ch17-03", ROOT / "exercises"), 24, seed=5)
    places = [str(tmp_path / group) for group in GROUPS]
    assert main([*places, "--only", "ch17-03", "--seed", "5", "--out", str(tmp_path / "out")]) == 0
    assert differences(tmp_path, tmp_path / "out") == []
