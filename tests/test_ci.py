"""The lanes of continuous integration: what runs beside what, what is printed, and what an interrupt leaves."""

import importlib.util
import os
import re
import signal
import subprocess
import sys
import time
from itertools import permutations
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="stages are pieces of bash")


def load(name):
    """A module of the folder .ci."""
    spec = importlib.util.spec_from_file_location(f"ci_{name}", ROOT / ".ci" / f"{name}.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


stages = load("stages")
Stage = stages.Stage
# Until a file is there; a minute at most.
AWAIT = "await() { for _ in $(seq 600); do if test -e $1; then return; fi; sleep 0.1; done; exit 1; }\n"


@pytest.fixture
def tree(tmp_path):
    """A repository with one file."""
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "file.txt").write_text("one\n", encoding="utf-8")
    author = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "."], [*author, "commit", "-qm", "One"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return folder


@pytest.fixture
def run(tree, tmp_path):
    """Runs stages in two lanes; returns what became of each."""

    def run(*chosen, count=2):
        work = tmp_path / "work"
        work.mkdir()
        lanes = stages.Lanes(chosen, count, work, tree)
        lanes.run()
        return lanes

    return run


def failed(lanes, *chosen):
    return [stage.key for stage in chosen if lanes.failed(stage)]


def test_two_stages_run_beside_each_other(run):
    one = Stage("one", "One", f"{AWAIT} touch $WORK/a; await $WORK/b")
    two = Stage("two", "Two", f"{AWAIT} touch $WORK/b; await $WORK/a")
    assert failed(run(one, two), one, two) == []


def test_no_third_runs_beside_two(run):
    many = [
        Stage(f"s{k}", f"S{k}", "touch $WORK/on$$; sleep 0.3; ls $WORK/on* | wc -l; rm $WORK/on$$") for k in range(5)
    ]
    lanes = run(*many)
    counts = [int(lanes.log(stage).read_text(encoding="utf-8")) for stage in many]
    assert max(counts) <= 2


def test_a_stage_waits_for_what_it_takes_from_another(run):
    made = Stage("made", "Made", "sleep 0.3; cp file.txt product.txt")
    takes = Stage("takes", "Takes", "cat $WORK/made/product.txt", after=("made",))
    assert failed(run(takes, made), takes, made) == []


def test_a_stage_that_measures_has_the_machine_to_itself(run):
    others = [Stage(f"s{k}", f"S{k}", "touch $WORK/on$$; sleep 0.3; rm $WORK/on$$") for k in range(3)]
    script = "for _ in 1 2 3; do if ls $WORK/on*; then exit 1; fi; sleep 0.1; done"
    measures = Stage("measures", "Measures", script, alone=True)
    assert failed(run(others[0], measures, *others[1:]), measures, *others) == []


def test_each_has_a_clone_of_its_own(run, tree):
    one, two = (Stage(key, key, f"echo {key} >> file.txt; cat file.txt") for key in ("one", "two"))
    lanes = run(one, two)
    assert lanes.log(one).read_text(encoding="utf-8") == "one\none\n"
    assert lanes.log(two).read_text(encoding="utf-8") == "one\ntwo\n"
    assert (tree / "file.txt").read_text(encoding="utf-8") == "one\n"


def test_output_is_printed_whole(run, capsys):
    chatty = [Stage(key, key, f"for k in 1 2 3; do echo {key}$k; sleep 0.1; done") for key in ("a", "b")]
    run(*chatty)
    said = capsys.readouterr().out
    for key in ("a", "b"):
        assert re.search(rf"^=== {key}\n{key}1\n{key}2\n{key}3\n--- \d+ s, \d+ s of processors$", said, re.MULTILINE)


def test_the_first_command_that_fails_ends_a_stage_and_not_the_run(run):
    fails = Stage("fails", "Fails", "false; echo went on")
    takes = Stage("takes", "Takes", "echo ran", after=("fails",))
    lanes = run(fails, takes, count=1)
    assert failed(lanes, fails, takes) == ["fails"]
    assert "went on" not in lanes.log(fails).read_text(encoding="utf-8")


def test_the_summary_says_what_failed_and_why(run):
    chosen = [Stage("good", "Good", "echo fine"), Stage("bad", "Bad", "echo the cause; exit 3")]
    said = stages.summary(chosen, run(*chosen), 65.0)
    assert "FAILED: Bad, which ended with\nthe cause\n" in said
    assert re.search(r"^ +\d+ s +\d+ s  Good$", said, re.MULTILINE)
    assert re.search(r"^ +\d+ s +\d+ s  Bad  FAILED$", said, re.MULTILINE)
    assert re.fullmatch(r"    65 s +\d+ s  in all, 2 at a time", said.splitlines()[-1])
    assert "fine" not in said


def test_the_work_of_a_stage_is_counted_with_that_of_its_processes(run):
    busy = "import time\nwhile time.process_time() < 1.0: pass"
    works, sleeps = Stage("works", "Works", f"({sys.executable} -c '{busy}')"), Stage("sleeps", "Sleeps", "sleep 1.5")
    lanes = run(works, sleeps)
    assert 0.9 <= lanes.ended["works"].worked < 3.0  # the system counts in ticks, and rounds them to floats
    assert lanes.ended["sleeps"].worked < 0.8
    assert lanes.ended["sleeps"].elapsed >= 1.5


MAIN = """\
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
from stages import Stage, main

apart = "import os, time; os.setsid(); open(os.environ['WORK'] + '/begun%d' % os.getpid(), 'w'); time.sleep(600)"
script = f'echo begun; {sys.executable} -c "{apart}" & touch $WORK/begun$$; sleep 600; echo went on'
sys.exit(main(["--lanes", "2"], [Stage(f"s{k}", f"S{k}", script) for k in range(3)], Path(sys.argv[2])))
"""


def alive(group):
    """Whether a group of processes has a member."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_both_lanes_with_all_they_started_and_shows_what_they_said(tree, how):
    command = [sys.executable, "-B", "-c", MAIN, str(ROOT / ".ci"), str(tree)]
    lanes = subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8")
    begun = tree / "build" / "ci"
    deadline = time.monotonic() + 60
    while len(list(begun.glob("begun*"))) < 4:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(0.5)  # each goes from its mark to its sleep
    lanes.send_signal(how)
    said, _ = lanes.communicate(timeout=60)
    assert lanes.returncode == 130
    assert said.count(", interrupted\nbegun\n---") == 2
    assert "went on" not in said
    assert re.search("- +-    S2  NOT RUN$", said, re.MULTILINE)
    deadline = time.monotonic() + 60
    groups = [int(path.name.removeprefix("begun")) for path in begun.glob("begun*")]
    while any(map(alive, groups)):  # until the system has noticed that they are gone
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_named_stage_brings_what_it_needs():
    assert [stage.key for stage in stages.chosen(["browser"], stages.STAGES)] == ["wheel", "book", "browser"]


def test_an_unknown_stage_is_refused_with_those_there_are():
    with pytest.raises(SystemExit, match=r"there is no stage 'boook'; choose from wheel, suite, "):
        stages.chosen(["boook"], stages.STAGES)


def test_the_entry_passes_its_words_on():
    command = ["bash", str(ROOT / ".ci" / "run"), "--help"]
    said = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
    assert "wheel, suite, lint" in " ".join(said.split())


def test_of_every_two_chapters_each_is_on_numpy_while_the_other_is_on_its_twin():
    for count in (2, 8, 9, 15):
        chapters = tuple(f"ch{k:02}" for k in range(count))
        runs = [set(re.findall(r"ch\d\d(?==numpy)", mixture)) for mixture in load("mixed_rungs").mixtures(chapters)]
        assert len(runs) <= max(3, count)
        assert all(any(low in run and twin not in run for run in runs) for low, twin in permutations(chapters, 2))
