"""The tree behaves unbuilt, with a twin missing, and with a twin that is broken."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
SWITCHES = ("KAEL_KERNELS", "KAEL_ENGINE", "KAEL_CPU", "PYTHONPATH", "PYTHONSAFEPATH")


@pytest.fixture(scope="module")
def unbuilt(tmp_path_factory):
    """The sources alone, as a fresh clone has them."""
    tree = tmp_path_factory.mktemp("clone")
    skipped = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", "_built.json")
    for folder in ("kael", "chapters"):
        shutil.copytree(ROOT / folder, tree / folder, ignore=skipped)
    return tree


def run(tree, code, **switches):
    environment = {name: value for name, value in os.environ.items() if name not in SWITCHES}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=tree,
        env=environment | switches,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_the_unbuilt_tree_runs_on_numpy(unbuilt):
    done = run(
        unbuilt, "import kael; print(kael.kernels.rung_of(kael.kernels.chapter('ch12')), kael.tensor([1.0]) + 1)"
    )
    assert done.stdout.split() == ["numpy", "tensor([2.])"], done.stderr


def test_the_unbuilt_tree_is_silent_where_nobody_reads(unbuilt):
    assert run(unbuilt, "import kael").stderr == ""


def test_the_first_table_prints_unbuilt(unbuilt):
    done = run(unbuilt, "import runpy; runpy.run_module('kael', run_name='__main__')")
    assert "5.0" in done.stdout, done.stderr


def test_insisting_on_twins_that_are_not_built_raises(unbuilt):
    done = run(unbuilt, "import kael", KAEL_KERNELS="cython")
    assert "its Cython twin is not built; run `pip install .` in the clone" in done.stderr


def test_a_twin_that_does_not_load_raises(unbuilt):
    broken = unbuilt / "chapters" / "ch14_matmul" / f"kernels{SUFFIX}"
    broken.write_bytes(b"no library")
    try:
        done = run(unbuilt, "import kael")
    finally:
        broken.unlink()
    assert done.returncode == 1
    assert "ImportError" in done.stderr
    assert "ch14_matmul" in done.stderr


def test_a_twin_that_lacks_a_kernel_raises(unbuilt):
    lacking = unbuilt / "chapters" / "ch14_matmul" / "kernels.py"
    lacking.write_text("__all__ = ['matmul']\n", encoding="utf-8")
    try:
        done = run(unbuilt, "import kael")
    finally:
        lacking.unlink()
    assert "has no attribute 'matmul'" in done.stderr


@pytest.mark.parametrize(
    ("switch", "value", "text"),
    [
        ("KAEL_KERNELS", "fast", "'fast' is not a rung; choose auto, cython, numpy or python"),
        ("KAEL_KERNELS", "ch99=python", "no chapter 'ch99'"),
        ("KAEL_CPU", "v9", "KAEL_CPU=v9: this processor and build have "),
    ],
)
def test_an_unknown_setting_says_what_there_is(unbuilt, switch, value, text):
    assert text in run(unbuilt, "import kael", **{switch: value}).stderr


def test_one_chapter_runs_on_another_rung(unbuilt):
    code = "import kael; print([kael.kernels.rung_of(kael.kernels.chapter(c)) for c in ('ch12', 'ch14')])"
    assert run(unbuilt, code, KAEL_KERNELS="ch14=python").stdout.strip() == "['numpy', 'python']"
