"""Installs with and without a compiler, each in an environment of its own; they take minutes and run when asked for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(
    "KAEL_TEST_INSTALLS" not in os.environ, reason="takes minutes; set KAEL_TEST_INSTALLS=1"
)

SHOW = (
    "import kael; from kael import kernels; "
    "print(kernels.rung_of(kernels.chapter('ch12')), kael.tensors.__file__.rpartition('.')[2], kael.tensor([1.0]) + 1)"
)


@pytest.fixture
def clone(tmp_path):
    subprocess.run(["git", "clone", "-q", str(ROOT), str(tmp_path / "clone")], check=True)
    return tmp_path / "clone"


def install(clone, *arguments, **switches):
    """The finished pip command and the environment's interpreter."""
    folder = clone.parent / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KAEL_")}
    done = subprocess.run(
        [str(python), "-m", "pip", "install", "-q", *(arguments or ["."])],
        cwd=clone,
        env=environment | {"KAEL_BUILD_SETS": "baseline"} | switches,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return done, python


def shown(python, folder):
    return subprocess.run(
        [str(python), "-c", SHOW], cwd=folder, capture_output=True, text=True, encoding="utf-8", check=True
    ).stdout.split()


def test_with_a_compiler_twins_and_engine_are_compiled(clone, tmp_path):
    done, python = install(clone)
    assert done.returncode == 0, done.stderr
    assert shown(python, tmp_path) == ["cython", "so" if sys.platform != "win32" else "pyd", "tensor([2.])"]


def test_without_a_compiler_it_installs_and_runs_on_numpy(clone, tmp_path):
    done, python = install(clone, CC="/nonexistent/cc")
    assert done.returncode == 0, done.stderr
    assert shown(python, tmp_path) == ["numpy", "py", "tensor([2.])"]


def test_asked_to_leave_the_twins_out_it_does(clone, tmp_path):
    done, python = install(clone, KAEL_BUILD="python")
    assert done.returncode == 0, done.stderr
    assert shown(python, tmp_path) == ["numpy", "py", "tensor([2.])"]


def test_insisting_on_twins_without_a_compiler_fails(clone):
    done, _ = install(clone, CC="/nonexistent/cc", KAEL_BUILD="cython")
    assert done.returncode != 0


def test_broken_code_in_a_twin_fails_the_install(clone):
    twin = clone / "chapters" / "ch11_memory" / "kernels.pyx"
    twin.write_text(twin.read_text(encoding="utf-8") + "\ncdef int broken(:\n", encoding="utf-8")
    done, _ = install(clone)
    assert done.returncode != 0
    assert "ch11_memory" in done.stdout + done.stderr
