"""The README says what is true: its example, its paths, its commands."""

import doctest
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PLAIN = [block for block in re.findall(r"```sh\n(.*?)```", README, re.S) if block.startswith("python -m venv")]


def test_the_example_prints_what_it_shows():
    (example,) = re.findall(r"```pycon\n(.*?)```", README, re.S)
    test = doctest.DocTestParser().get_doctest(example, {}, "README", "README.md", 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test)
    assert (runner.failures, runner.tries > 5) == (0, True)


def test_every_path_exists():
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert len(links) > 8
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_kernels_are_as_many_as_it_says():
    setup = (ROOT / "setup.py").read_text(encoding="utf-8")
    once = set(re.findall(r'"(ch\d\d_\w+)"', " ".join(re.findall(r"^BASELINE_ONLY .*", setup, re.M))))
    chapters = {path.parent.name for path in ROOT.glob("chapters/ch*/kernels.pyx")}
    sets = 1 + len(re.findall(r'^    SETS\["_v\d"\] = ', setup, re.M))
    pattern = r"kernels of (\d+) chapters, (\d+) of them once for each of (\d+) instruction sets"
    (said,) = re.findall(pattern, " ".join(README.split()))
    assert [int(number) for number in said] == [len(chapters), len(chapters - once), sets]


def test_the_extras_that_it_installs_are_there():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {extra for extras in re.findall(r"\.\[([a-z,]+)\]", README) for extra in extras.split(",")}
    assert {"exercises", "notebooks", "train"} <= named <= set(project["optional-dependencies"])


def test_nobody_is_told_to_take_the_name_from_an_index():
    texts = [path for path in [ROOT / "README.md", *ROOT.glob("book/**/*.md")] if "_build" not in path.parts]
    assert [path.name for path in texts if re.search(r"pip install kael\b", path.read_text(encoding="utf-8"))] == []


@pytest.mark.skipif("KAEL_TEST_INSTALLS" not in os.environ, reason="takes minutes; set KAEL_TEST_INSTALLS=1")
@pytest.mark.parametrize("block", PLAIN, ids=["test", "book"])
def test_the_plain_commands_run_as_written(block, tmp_path):
    if "[book]" in block and os.environ["KAEL_TEST_INSTALLS"] != "all":
        pytest.skip("builds the whole book once more; set KAEL_TEST_INSTALLS=all")
    clone = tmp_path / "kael"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
    scripts = "Scripts" if sys.platform == "win32" else "bin"
    # The commands as written; a build of one instruction set is enough to show that they work.
    environment = os.environ | {"KAEL_BUILD_SETS": "baseline"}
    for line in block.strip().splitlines():
        words = [word.strip("\"'") for word in re.findall(r"\"[^\"]*\"|'[^']*'|\S+", line)]
        if words[0] == "python":
            words[0] = sys.executable
        else:
            words[0] = str(clone / words[0].replace("/bin/", f"/{scripts}/"))
        if words[-1] == "pytest":
            words += ["-q", "-x", "tests/autograd"]
        done = subprocess.run(
            words, cwd=clone, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
        )
        assert done.returncode == 0, f"{line}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    # An editable install compiles in the tree.
    assert {path.suffix for path in clone.glob("chapters/ch12_elementwise/kernels.*")} & {".so", ".pyd"}
    shutil.rmtree(clone, ignore_errors=True)
