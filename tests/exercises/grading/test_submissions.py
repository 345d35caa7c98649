"""Whose submission is where, and which of its files are answers."""

import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from kael.exercises.catalogue import catalogue
from kael.exercises.grading import answers as answers_module
from kael.exercises.grading.answers import LARGEST, Answers, find_answers
from kael.exercises.grading.submissions import Submission, find_submissions, plain_name
from tests.exercises.workspace import ROOT

EVERY = catalogue(ROOT / "exercises")
CHAPTER = [exercise for exercise in EVERY if exercise.id.startswith("ch17")]
MIRROR = "ch17_engine/e02_mirror/mirror.py"


def write(path: Path, text: str = "answer = 1\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def zipped(path: Path, entries: dict[str, str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in entries.items():
            archive.writestr(name, text)
    return path


def students(*places: Path) -> list[str]:
    return [submission.student for submission in find_submissions(places, EVERY).submissions]


def answers(place: Path, exercises: object = CHAPTER) -> Answers:
    (submission,) = find_submissions([place], EVERY).submissions
    return find_answers(submission, exercises, EVERY)  # type: ignore[arg-type]


# Whose


def test_a_folder_with_the_layout_of_exercises_is_one_submission(tmp_path: Path) -> None:
    write(tmp_path / "ada" / MIRROR)
    assert students(tmp_path / "ada") == ["ada"]


def test_a_workspace_in_a_folder_exercises_is_one_submission(tmp_path: Path) -> None:
    write(tmp_path / "ada" / "exercises" / MIRROR)
    assert students(tmp_path / "ada") == ["ada"]


def test_a_folder_with_answers_right_in_it_is_one_submission(tmp_path: Path) -> None:
    write(tmp_path / "ada" / "mirror.py")
    assert students(tmp_path / "ada") == ["ada"]


def test_folders_and_zips_in_a_folder_are_one_submission_each(tmp_path: Path) -> None:
    write(tmp_path / "ada" / "mirror.py")
    zipped(tmp_path / "bob.zip", {"mirror.py": ""})
    (tmp_path / "nothing").mkdir()
    assert students(tmp_path) == ["ada", "bob", "nothing"]


def test_a_stray_answer_does_not_make_a_class_one_submission(tmp_path: Path) -> None:
    for name in ("ada/mirror.py", "bob/mirror.py", "mirror.py"):
        write(tmp_path / name)
    found = find_submissions([tmp_path], EVERY)
    assert [submission.student for submission in found.submissions] == ["ada", "bob"]
    assert len(found.notes) == 1
    assert "mirror.py: no student's name" in found.notes[0]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["smithjohn_1234_991_mirror.py", "smithjohn_1234_992_unbroadcast-1.py"], ["smithjohn_1234"]),
        (["smithjohn_LATE_1234_991_mirror.py", "doejane_77_993_mirror.py"], ["doejane_77", "smithjohn_1234"]),
        (["hw3_jdoe_attempt_2026-10-01-10-00-00_mirror.py"], ["hw3_jdoe_attempt_2026-10-01-10-00-00"]),
        (["Zoë Ünal-mirror.py", "Zoë Ünal-unbroadcast.py"], ["Zoë Ünal"]),
        (["smithjohn_1234_991_week3.zip"], ["smithjohn_1234"]),
    ],
)
def test_a_flat_upload_is_told_apart_by_what_stands_before_the_names(
    files: list[str], expected: list[str], tmp_path: Path
) -> None:
    for name in files:
        zipped(tmp_path / name, {"mirror.py": ""}) if name.endswith("zip") else write(tmp_path / name)
    assert students(tmp_path) == expected


def test_moodle_s_folders_lose_what_moodle_put_behind_the_name(tmp_path: Path) -> None:
    write(tmp_path / "Jane Doe_12345_assignsubmission_file_" / "mirror.py")
    assert students(tmp_path) == ["Jane Doe_12345"]


def test_equal_names_in_two_folders_stay_apart(tmp_path: Path) -> None:
    for group in ("monday", "friday"):
        write(tmp_path / group / "ada, a." / "mirror.py")
    write(tmp_path / "friday" / "bob" / "mirror.py")
    assert students(tmp_path / "monday", tmp_path / "friday") == ["bob", "friday/ada, a.", "monday/ada, a."]


def test_a_folder_and_a_zip_of_one_name_stay_apart(tmp_path: Path) -> None:
    write(tmp_path / "ada" / "mirror.py")
    zipped(tmp_path / "ada.zip", {"mirror.py": ""})
    assert students(tmp_path) == ["ada", "ada.zip"]


def test_a_place_given_twice_counts_once(tmp_path: Path) -> None:
    write(tmp_path / "ada" / "mirror.py")
    assert students(tmp_path, tmp_path) == ["ada"]


def test_the_folder_for_the_results_is_no_student(tmp_path: Path) -> None:
    write(tmp_path / "ada" / "mirror.py")
    (tmp_path / "grades").mkdir()
    found = find_submissions([tmp_path], EVERY, leave_out=[tmp_path / "grades"])
    assert [submission.student for submission in found.submissions] == ["ada"]


def test_what_systems_leave_behind_is_no_student(tmp_path: Path) -> None:
    for name in ("__MACOSX", ".DS_Store", ".git", "ada"):
        (tmp_path / name).mkdir()
    assert students(tmp_path) == ["ada"]


@pytest.mark.skipif(not hasattr(os, "symlink") or os.name == "nt", reason="links need a right on Windows")
def test_a_link_among_the_submissions_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere" / "mirror.py")
    write(tmp_path / "class" / "ada" / "mirror.py")
    (tmp_path / "class" / "eve").symlink_to(tmp_path / "elsewhere")
    found = find_submissions([tmp_path / "class"], EVERY)
    assert [submission.student for submission in found.submissions] == ["ada"]
    assert "eve: a link" in found.notes[0]


def test_an_archive_that_is_not_read_is_named(tmp_path: Path) -> None:
    write(tmp_path / "ada.tar.gz")
    assert "ada.tar.gz: an archive of a kind that is not read" in find_submissions([tmp_path], EVERY).notes[0]


def test_a_name_in_bytes_that_are_not_utf_8_can_be_printed(tmp_path: Path) -> None:
    try:
        os.mkdir(os.fsencode(tmp_path) + b"/Ren\xe9")
    except OSError:
        pytest.skip("this file system takes UTF-8 only")
    (name,) = students(tmp_path)
    assert name.encode("utf-8").decode() == "Ren\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Zoe\u0308", "Zoë"),
        ("a\nb\x1b[31m", "a b [31m"),
        ("evil\u202etxt", "evil txt"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\x07", "(no name)"),
    ],
)
def test_a_name_is_printed_as_it_is_written_and_does_nothing_else(name: str, shown: str) -> None:
    assert plain_name(name) == shown


def test_a_place_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="is not there; give the folder"):
        students(tmp_path / "nowhere")


def test_a_file_that_is_no_zip_says_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="neither a folder nor a zip"):
        students(write(tmp_path / "mirror.py"))


# Which files


@pytest.mark.parametrize(
    "place",
    [
        MIRROR,
        f"exercises/{MIRROR}",
        f"homework 3/ada/{MIRROR}",
        "mirror.py",
        "some/where/deep/mirror.py",
        "ch17-02/mirror.py",
        "Mirror.PY",
        "mirror (1).py",
        "mirror-1.py",
    ],
)
@pytest.mark.parametrize("pack", [False, True], ids=["folder", "zip"])
def test_an_answer_is_found_wherever_it_lies(place: str, pack: bool, tmp_path: Path) -> None:
    if pack:
        zipped(tmp_path / "ada.zip", {place: "answer = 1\n"})
        found = find_answers(Submission("ada", tmp_path / "ada.zip"), CHAPTER, EVERY)
    else:
        write(tmp_path / "ada" / place)
        found = find_answers(Submission("ada", tmp_path / "ada"), CHAPTER, EVERY)
    assert found.files == {"ch17-02": b"answer = 1\n"}
    assert found.where == {"ch17-02": place}


def test_a_zip_in_a_student_s_folder_is_read(tmp_path: Path) -> None:
    zipped(tmp_path / "class" / "ada" / "week3.zip", {"mirror.py": "x"})
    assert answers(tmp_path / "class").where == {"ch17-02": "week3.zip/mirror.py"}


def test_a_name_that_several_exercises_share_is_told_by_its_folder(tmp_path: Path) -> None:
    write(tmp_path / "ada" / "ch16_rules" / "e01_predict" / "predict.py", "sixteen")
    write(tmp_path / "ada" / "ch17_engine" / "predict.py", "seventeen")
    found = answers(tmp_path / "ada", [exercise for exercise in EVERY if exercise.id in ("ch16-01", "ch17-01")])
    assert found.files == {"ch16-01": b"sixteen", "ch17-01": b"seventeen"}


def test_a_shared_name_without_a_folder_is_not_guessed(tmp_path: Path) -> None:
    write(tmp_path / "ada" / "predict.py")
    found = answers(tmp_path / "ada", [exercise for exercise in EVERY if exercise.id in ("ch16-01", "ch17-01")])
    assert not found.files
    assert any("predict.py could answer ch16-01, ch17-01" in note for note in found.notes)


def test_another_chapter_s_file_of_the_same_name_is_not_taken(tmp_path: Path) -> None:
    write(tmp_path / "ada" / "ch16_rules" / "e01_predict" / "predict.py")
    assert not answers(tmp_path / "ada").files


def test_two_different_files_for_one_exercise_are_named_and_not_graded(tmp_path: Path) -> None:
    write(tmp_path / "ada" / "old" / "mirror.py", "1")
    write(tmp_path / "ada" / "ch17" / "mirror.py", "2")
    write(tmp_path / "ada" / "ch17" / "again" / "mirror.py", "3")
    found = answers(tmp_path / "ada")
    assert not found.files
    assert found.refused["ch17-02"].startswith(
        "two different files for one exercise: ch17/again/mirror.py, ch17/mirror.py"
    )


def test_two_equal_files_for_one_exercise_are_one_answer(tmp_path: Path) -> None:
    write(tmp_path / "class" / "ada" / "a" / "mirror.py")
    write(tmp_path / "class" / "ada" / "b" / "mirror.py")
    assert list(answers(tmp_path / "class").files) == ["ch17-02"]


def test_the_file_in_its_own_place_is_taken_and_the_other_named(tmp_path: Path) -> None:
    write(tmp_path / "ada" / MIRROR, "in place")
    write(tmp_path / "ada" / "mirror.py", "beside")
    found = answers(tmp_path / "ada")
    assert found.files == {"ch17-02": b"in place"}
    assert found.notes == [f"ch17-02: {MIRROR} was graded; mirror.py was not"]


def test_another_name_is_not_graded_but_named(tmp_path: Path) -> None:
    write(tmp_path / "ada" / "ch17_engine" / "e02_mirror" / "my_mirror_final.py")
    found = answers(tmp_path / "ada")
    assert not found.files
    assert "my_mirror_final.py looks like mirror.py but has another name" in found.notes[0]


def test_history_tools_and_proofs_are_passed_over(tmp_path: Path) -> None:
    for folder in (".kael/history", "__MACOSX", ".git", "venv/lib", "__pycache__", "tests/exercises", "build/lib"):
        write(tmp_path / "ada" / folder / MIRROR)
    write(tmp_path / "ada" / MIRROR, "mine")
    found = answers(tmp_path / "ada")
    assert (found.files, found.notes) == ({"ch17-02": b"mine"}, [])


def test_an_entry_that_leaves_the_zip_is_refused(tmp_path: Path) -> None:
    for name in ("../mirror.py", "/mirror.py", "C:\\mirror.py", "a/../../mirror.py"):
        path = zipped(tmp_path / "ada.zip", {name: "x"})
        found = answers(path)
        assert not found.files
        assert "points outside of the zip; refused" in found.notes[0]


def test_a_link_in_a_zip_is_refused(tmp_path: Path) -> None:
    entry = zipfile.ZipInfo("mirror.py")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "ada.zip", "w") as archive:
        archive.writestr(entry, "/etc/passwd")
    found = answers(tmp_path / "ada.zip")
    assert (found.files, found.notes[0]) == ({}, "mirror.py: a link, refused")


@pytest.mark.skipif(os.name == "nt", reason="links need a right on Windows")
def test_a_link_in_a_folder_is_refused(tmp_path: Path) -> None:
    secret = write(tmp_path / "secret.py")
    (tmp_path / "ada" / "ch17_engine" / "e02_mirror").mkdir(parents=True)
    (tmp_path / "ada" / MIRROR).symlink_to(secret)
    (tmp_path / "ada" / "ch17_engine" / "more").symlink_to(tmp_path)
    found = answers(tmp_path / "ada")
    assert not found.files
    assert sum("a link to somewhere else, not followed" in note for note in found.notes) == 2


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "ada" / "mirror.py", " " * (LARGEST + 1))
    assert "an answer may have 1,000,000" in answers(tmp_path / "ada").refused["ch17-02"]


def test_a_zip_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers_module, "LARGEST_ZIP", 50)
    found = answers(zipped(tmp_path / "ada.zip", {"mirror.py": "x"}))
    assert not found.files
    assert "a zip may have 50, so it was not read" in found.notes[0]


def test_a_zip_that_lies_about_a_size_is_read_no_further_than_an_answer_may_be(tmp_path: Path) -> None:
    path = zipped(tmp_path / "ada.zip", {"mirror.py": " " * (3 * LARGEST)})
    data = path.read_bytes().replace((3 * LARGEST).to_bytes(4, "little"), (50).to_bytes(4, "little"))
    path.write_bytes(data)
    assert "ch17-02" in answers(path).refused


@pytest.mark.parametrize(
    "spoil",
    [lambda data: b"", lambda data: b"no zip at all", lambda data: data[: len(data) // 2]],
    ids=["empty", "text", "cut off"],
)
def test_a_broken_zip_is_named(spoil: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = zipped(tmp_path / "ada.zip", {"mirror.py": "x" * 5000})
    path.write_bytes(spoil(path.read_bytes()))
    found = answers(path)
    assert not found.files
    assert "ada.zip cannot be read as a zip" in found.notes[0]


def test_a_damaged_entry_is_named(tmp_path: Path) -> None:
    path = zipped(tmp_path / "ada.zip", {"mirror.py": "".join(map(str, range(5000)))})
    data = bytearray(path.read_bytes())
    data[100:200] = bytes(100)
    path.write_bytes(bytes(data))
    assert "mirror.py cannot be read" in answers(path).refused["ch17-02"]


def test_an_empty_submission_says_so(tmp_path: Path) -> None:
    (tmp_path / "ada").mkdir()
    assert answers(tmp_path).notes == ["nothing that could be an answer was found"]
