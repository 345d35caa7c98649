"""The command `kael`: its errors, its exit codes, and what it leaves unimported."""

import os
import subprocess
import sys

import pytest

import kael
from kael import cli, kernels
from kael.extras import MissingExtra


def fresh(*arguments: str, code: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *(["-c", code] if code else ["-m", "kael.cli"]), *arguments],
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip


def test_version(capsys):
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"kael {kael.__version__}\n"


def test_without_a_command_it_lists_all(capsys):
    assert cli.main([]) == 0
    shown = capsys.readouterr().out
    assert all(f"\n  {name} " in shown for name in cli.COMMANDS)


def test_an_unknown_command_is_refused_with_the_one_that_was_perhaps_meant(capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["docter"])
    assert stopped.value.code == 2
    assert (
        "there is no command 'docter' (did you mean `kael doctor`?); `kael --help` lists them"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    "arguments", [["train", "mnist"], ["train"], ["train", "digits", "--epochs", "0"], ["bench", "x"]]
)
def test_unknown_input_exits_with_2_and_says_what_is_wrong(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(arguments)
    assert stopped.value.code == 2
    assert capsys.readouterr().err.strip()


def test_every_command_can_be_imported_and_has_help(capsys):
    for name in cli.COMMANDS:
        with pytest.raises(SystemExit) as stopped:
            cli.main([name, "--help"])
        assert stopped.value.code == 0
        assert capsys.readouterr().out.startswith(f"usage: kael {name}")


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX closes the stream")
def test_a_closed_standard_output_is_no_error():
    command = f"'{sys.executable}' -m kael.cli ex list >&-"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_ctrl_c_is_one_line_and_130(monkeypatch, capsys):
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "run", interrupted)
    assert cli.main(["doctor"]) == 130
    assert capsys.readouterr().err == "\nkael doctor: stopped\n"


def test_a_missing_extra_is_one_line_and_1(monkeypatch, capsys):
    def missing(*_: object) -> int:
        raise MissingExtra("the digits: sklearn is not installed; run `pip install '.[train]'` in the clone")

    monkeypatch.setattr("kael.training.command.main", missing)
    assert cli.main(["train", "digits"]) == 1
    shown = capsys.readouterr().err
    assert shown == "kael train: the digits: sklearn is not installed; run `pip install '.[train]'` in the clone\n"


def test_a_missing_file_is_one_line_and_1(monkeypatch, capsys):
    def missing(*_: object) -> int:
        raise FileNotFoundError("no exercises here; run this from the top of a clone")

    monkeypatch.setattr("kael.exercises.command.main", missing)
    assert cli.main(["ex"]) == 1
    assert capsys.readouterr().err == "kael ex: no exercises here; run this from the top of a clone\n"


def test_a_reader_that_stops_reading_is_no_error():
    code = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-m', 'kael.cli', 'doctor'], stdout=subprocess.PIPE,"
        " stderr=subprocess.PIPE)\n"
        "child.stdout.close()\n"
        "print(child.stderr.read().decode(), child.wait())\n"
    )
    assert fresh(code=code).stdout.strip() == "1"


def test_the_entry_module_imports_only_argparse():
    code = "import sys, kael\nbefore = set(sys.modules)\nimport kael.cli\nprint(*sorted(set(sys.modules) - before))\n"
    new = set(fresh(code=code).stdout.split())
    assert {name for name in new if name.startswith("kael")} == {"kael.cli"}
    assert new <= {"kael.cli", "argparse", "gettext", "locale", "_locale"}


def test_import_kael_brings_little_beside_numpy():
    code = "import sys, numpy\nbefore = set(sys.modules)\nimport kael\nprint(*sorted(set(sys.modules) - before))\n"
    new = {name.partition(".")[0] for name in fresh(code=code).stdout.split()}
    heavy = {
        "argparse",
        "dataclasses",
        "inspect",
        "json",
        "subprocess",
        "tempfile",
        "matplotlib",
        "sklearn",
        "torch",
        "rich",
    }
    assert not new & (heavy | {"random", "tqdm", "scipy", "IPython", "unittest", "logging", "asyncio"})


def test_import_kael_loads_numpy_before_anything_of_its_own():
    """Deep in the engine's imports NumPy took a third longer, for frames of CPython 3.11 crossed a border there."""
    command = [sys.executable, "-X", "importtime", "-c", "import kael"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    loaded = [line.rpartition("|")[2] for line in done.stderr.splitlines() if line.startswith("import time:")]
    names = [name.strip() for name in loaded]
    depth = {name.strip(): len(name) - len(name.lstrip()) for name in loaded}
    assert names.index("numpy") < min(k for k, name in enumerate(names) if name.startswith("kael."))
    assert depth["numpy"] == depth["kael"] + 2


@pytest.mark.skipif(
    "KAEL_ENGINE" in os.environ or bool(kernels.missing_twins()),
    reason="finding sources, or missing twins, takes paths",
)
def test_import_kael_of_a_whole_build_does_without_pathlib():
    code = "import sys, numpy; before = set(sys.modules); import kael; print('pathlib' in set(sys.modules) - before)"
    assert fresh(code=code).stdout == "False\n"


@pytest.mark.parametrize("name", ["data", "models", "nn", "optim", "training", "tracing", "testing"])
def test_import_kael_is_enough_to_reach_the_rest(name):
    code = f"import kael; print(kael.{name}.__name__)"
    assert fresh(code=code).stdout == f"kael.{name}\n"


def test_an_unknown_attribute_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'kael' has no attribute 'jit'"):
        kael.jit
