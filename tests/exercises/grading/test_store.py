"""Results on disk: nothing that was written is lost, and nothing stale is used."""

import errno
import json
import multiprocessing
import os
from pathlib import Path
from typing import Any

import pytest

from kael.exercises.grading import store as module
from kael.exercises.grading.store import Store, rewritten


def record(student: str = "ada", exercise: str = "ch17-02", **changed: Any) -> dict[str, Any]:
    made = {"student": student, "exercise": exercise, "sha256": "aa", "reason": "", "seed": 7, "checks": "cc",
            "state": "pass", "score": 3, "points": 3, "results": []}  # fmt: skip
    return {**made, **changed}


def has(store: Store, student: str = "ada", **changed: str) -> bool:
    return store.has(student, "ch17-02", **{"sha256": "aa", "reason": "", "checks": "cc", **changed})


def test_what_was_appended_is_there_for_the_next_run(tmp_path: Path) -> None:
    with Store(tmp_path, 7) as store:
        store.append([record(), record("Zoë, =1")])
    with Store(tmp_path) as store:
        assert has(store)
        assert has(store, "Zoë, =1")
        assert store.get("Zoë, =1", "ch17-02") == record("Zoë, =1")


def test_a_file_is_no_folder_for_results(tmp_path: Path) -> None:
    (tmp_path / "report").write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError, match="report is a file; give a folder with --out"):
        Store(tmp_path / "report", 7)


@pytest.mark.parametrize("changed", [{"sha256": "bb"}, {"checks": "dd"}, {"reason": "too large"}])
def test_another_answer_or_other_checks_are_not_known(changed: dict[str, str], tmp_path: Path) -> None:
    with Store(tmp_path, 7) as store:
        store.append([record()])
        assert not has(store, **changed)


def test_another_seed_is_not_known(tmp_path: Path) -> None:
    with Store(tmp_path, 7) as store:
        store.append([record()])
    with Store(tmp_path, 8) as store:
        assert not has(store)


def test_the_last_record_counts(tmp_path: Path) -> None:
    with Store(tmp_path, 7) as store:
        store.append([record(score=0)])
        store.append([record(score=2)])
        found = store.get("ada", "ch17-02")
    assert found is not None
    assert found["score"] == 2


@pytest.mark.parametrize("end", [b'{"student": "bob", "exer', b"\xff\xfe", b"\x00" * 40])
def test_a_half_written_last_line_is_cut_off(end: bytes, tmp_path: Path) -> None:
    with Store(tmp_path, 7) as store:
        store.append([record()])
    whole = (tmp_path / "results.jsonl").read_bytes()
    (tmp_path / "results.jsonl").write_bytes(whole + end)
    with Store(tmp_path) as store:
        assert has(store)
        store.append([record("bob")])
    lines = (tmp_path / "results.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["student"] for line in lines] == ["ada", "bob"]


def test_a_damaged_line_in_the_middle_is_left_out_and_counted(tmp_path: Path) -> None:
    with Store(tmp_path, 7) as store:
        store.append([record()])
    data = (tmp_path / "results.jsonl").read_bytes()
    (tmp_path / "results.jsonl").write_bytes(b"no json\n" + data)
    with Store(tmp_path) as store:
        assert has(store)
        assert store.get("ada", "ch17-02") == record()
        assert store.damaged == 1


class FullDisk:
    """A stream on a disk that has room for ten more bytes."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.room = 10

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, data: memoryview) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written: int = self.stream.write(data[: self.room])
        self.room -= written
        return written


def test_a_full_disk_leaves_what_was_written_valid(tmp_path: Path) -> None:
    with Store(tmp_path, 7) as store:
        store.append([record()])
        before = (tmp_path / "results.jsonl").read_bytes()
        store._stream = FullDisk(store._stream)  # type: ignore[assignment]
        with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
            store.append([record("bob")])
        assert (tmp_path / "results.jsonl").read_bytes() == before
        assert not has(store, "bob")


def test_a_table_that_cannot_be_finished_leaves_the_old_one(tmp_path: Path) -> None:
    table = tmp_path / "grades.csv"
    table.write_text("old", encoding="utf-8")
    with pytest.raises(OSError, match="full"), rewritten(table) as stream:
        stream.write("half")
        raise OSError("full")
    assert table.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["grades.csv"]


def test_the_seed_is_drawn_once_and_kept(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        drawn = store.seed
    with Store(tmp_path) as store:
        assert store.seed == drawn


def test_a_damaged_seed_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"se', encoding="utf-8")
    with pytest.raises(FileExistsError, match="is damaged; give the seed with --seed, or --fresh"):
        Store(tmp_path)
    with Store(tmp_path, 5) as store:
        assert store.seed == 5


def test_fresh_puts_earlier_results_aside(tmp_path: Path) -> None:
    with Store(tmp_path, 7) as store:
        store.append([record()])
    with Store(tmp_path, fresh=True) as store:
        assert not store.lines
        assert store.seed != 7
    assert (tmp_path / "results.old.jsonl").read_text(encoding="utf-8").startswith('{"student": "ada"')


def test_a_folder_with_somebody_s_grades_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "grades.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError, match="give another folder with --out"):
        Store(tmp_path)
    assert (tmp_path / "grades.csv").read_text(encoding="utf-8") == "mine"


def _second(folder: Path, answer: Any) -> None:
    try:
        with Store(folder):
            answer.put("taken")
    except BlockingIOError as error:
        answer.put(str(error))


def test_two_runs_never_write_to_one_folder(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    answer = context.SimpleQueue()
    with Store(tmp_path, 7):
        other = context.Process(target=_second, args=(tmp_path, answer))
        other.start()
        other.join()
        assert answer.get().startswith("another `kael grade` is writing to")
    with Store(tmp_path, 7):
        pass


def test_every_student_is_brought_to_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = []
    with Store(tmp_path, 7) as store:
        monkeypatch.setattr(module.os, "fsync", synced.append)
        store.append([record()])
        store.append([record("bob")])
    assert len(synced) == 2
