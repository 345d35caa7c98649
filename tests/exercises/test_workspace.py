"""A reader's folder: made, found, mended; no file that is there is touched."""

from pathlib import Path

import pytest

from kael.exercises import Refused
from kael.exercises.catalogue import catalogue
from kael.exercises.workspace import Workspace, chosen, find_workspace, initialize, provided, without_mark
from tests.exercises.workspace import ROOT


@pytest.fixture(autouse=True)
def no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KAEL_WORKSPACE", raising=False)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return initialize(tmp_path / "mine").workspace


class TestInit:
    def test_brings_every_stub_task_and_check(self, workspace: Workspace) -> None:
        for exercise in catalogue():
            assert workspace.answer(exercise).read_bytes() == exercise.answer.read_bytes()
            assert (workspace.root / exercise.place / exercise.visible.name).is_file()
            assert (workspace.root / exercise.place / "README.md").is_file()
        assert catalogue(workspace.root)[0].id == catalogue()[0].id

    def test_touches_no_file_that_is_there(self, tmp_path: Path) -> None:
        exercise = catalogue()[0]
        mine = tmp_path / "mine" / exercise.place / exercise.file
        mine.parent.mkdir(parents=True)
        mine.write_bytes(b"mine = True\r\n")
        made = initialize(tmp_path / "mine")
        assert mine.read_bytes() == b"mine = True\r\n"
        assert made.kept == 1
        assert len(made.new) == len(provided()) - 1

    def test_adds_what_is_missing(self, workspace: Workspace) -> None:
        first, second = catalogue()[:2]
        workspace.answer(first).write_text("mine = True\n", encoding="utf-8")
        (workspace.root / second.place / "README.md").unlink()
        assert initialize(workspace.root).new == [f"{second.place}/README.md"]
        assert workspace.answer(first).read_text(encoding="utf-8") == "mine = True\n"

    def test_of_a_clone_s_exercises_is_refused(self) -> None:
        with pytest.raises(Refused, match="part of kael; name another folder"):
            initialize(ROOT / "exercises")

    def test_inside_a_workspace_is_refused(self, workspace: Workspace) -> None:
        with pytest.raises(Refused, match=r"lies inside the workspace .*adds what it lacks"):
            initialize(workspace.root / "ch17_engine")

    def test_notes_what_kael_wrote_and_not_what_the_reader_did(self, workspace: Workspace) -> None:
        exercise = catalogue()[0]
        name = f"{exercise.place}/{exercise.file}"
        workspace.answer(exercise).write_text("mine = True\n", encoding="utf-8")
        before = workspace.delivered()[name]
        (workspace.mark / "delivered.json").unlink()
        initialize(workspace.root)
        assert name not in workspace.delivered()
        workspace.answer(exercise).unlink()
        initialize(workspace.root)
        assert workspace.delivered()[name] == before


class TestFind:
    def test_the_nearest_folder_above(self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(workspace.root / "ch17_engine")
        assert find_workspace() == workspace

    def test_the_variable(self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("KAEL_WORKSPACE", str(workspace.root))
        assert find_workspace() == workspace

    def test_nowhere_says_init(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        with pytest.raises(Refused, match="`kael ex init` makes one"):
            find_workspace()

    def test_a_clone_s_exercises_are_no_workspace(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(ROOT / "exercises" / "ch17_engine")
        with pytest.raises(Refused, match="part of kael; `kael ex init"):
            find_workspace()

    def test_a_named_folder_that_is_none(self, tmp_path: Path) -> None:
        with pytest.raises(Refused, match="is no workspace; `kael ex init"):
            find_workspace(str(tmp_path))

    def test_a_workspace_that_lost_its_mark(self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        (workspace.mark / "delivered.json").unlink()
        workspace.mark.rmdir()
        monkeypatch.chdir(workspace.root / "ch17_engine")
        with pytest.raises(Refused, match=r"has lost its \.kael folder"):
            find_workspace()
        assert without_mark(Path.cwd()) == workspace.root
        monkeypatch.chdir(ROOT / "exercises" / "ch17_engine")
        assert without_mark(Path.cwd()) is None

    def test_a_path_with_a_blank_can_be_typed(self, tmp_path: Path) -> None:
        folder = tmp_path / "two words"
        with pytest.raises(Refused, match=f'`kael ex init "{folder.as_posix()}"` makes it one'):
            find_workspace(folder.as_posix())


class TestChosen:
    @pytest.mark.parametrize(
        "name", ["ch17-03", "CH17-03", "ch17_engine/e03_unbroadcast", "e03_unbroadcast", "a bias in the middle"]
    )
    def test_one_by_its_names(self, name: str) -> None:
        assert [exercise.id for exercise in chosen([name])] == ["ch17-03"]

    @pytest.mark.parametrize("name", ["ch17_engine/e03_unbroadcast/", "./ch17_engine/e03_unbroadcast/unbroadcast.py"])
    def test_one_by_a_path(self, name: str, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(workspace.root)
        assert [exercise.id for exercise in chosen([name], workspace)] == ["ch17-03"]

    def test_a_chapter_means_all_of_it_in_order(self) -> None:
        ids = [exercise.id for exercise in chosen(["ch17", "ch16-01"])]
        assert ids == ["ch16-01", *(exercise.id for exercise in catalogue() if exercise.id.startswith("ch17"))]

    @pytest.mark.parametrize(
        ("name", "meant"),
        [("17-3", "ch17-03"), ("ch17-3", "ch17-03"), ("unbrodcast", "ch17-03"), ("ch17_e3", "ch17-03")],
    )
    def test_a_slip_gets_a_question(self, name: str, meant: str) -> None:
        with pytest.raises(Refused, match=f"no exercise '{name}' \\(did you mean {meant}"):
            chosen([name])

    def test_what_a_handout_leaves_out_is_refused(self, workspace: Workspace) -> None:
        (workspace.mark / "handout.json").write_text('["ch17-02", "ch17-03"]', encoding="utf-8")
        assert [exercise.id for exercise in chosen(["ch17"], workspace)] == ["ch17-02", "ch17-03"]
        with pytest.raises(Refused, match="ch15-01: not in this handout; `kael ex list` shows what is"):
            chosen(["ch15-01"], workspace)

    @pytest.mark.parametrize("name", ["", ".", "zzzz"])
    def test_what_means_nothing_is_refused(self, name: str) -> None:
        with pytest.raises(Refused, match="`kael ex list` shows them"):
            chosen([name])
