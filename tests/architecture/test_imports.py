"""Who may import whom: the contracts of pyproject.toml, the same for .pyx and .pxd files, and that each can fail."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LAYERS = [
    [name.strip() for name in re.split("[:|]", layer)]
    for layer in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ][0]["layers"]
]
IMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+c?import\s+\(?([\w, ]+)|c?import\s+([\w.]+))", re.MULTILINE)


def level(module: str) -> int | None:
    """The height of the layer that a module belongs to; None outside all layers."""
    for height, names in enumerate(reversed(LAYERS)):
        if any(module == name or module.startswith(name + ".") for name in names):
            return height
    return None


def imported(text: str) -> list[str]:
    """The modules that a Cython source imports or cimports."""
    found = []
    for package, names, module in IMPORT.findall(text):
        found.append(module or package)
        found += [f"{package}.{name.strip()}" for name in names.split(",") if package]
    return found


def violations(sources: dict[str, str]) -> list[str]:
    """What a set of Cython sources, by path, imports against the rules."""
    wrong = []
    for path, text in sources.items():
        here = path.rpartition(".")[0].replace("/", ".")
        for module in imported(text):
            top = module.partition(".")[0]
            mine, other = level(here), level(module)
            if top == "kael" and here.startswith("chapters."):
                wrong.append(f"{path} imports {module}: chapters import nothing of kael")
            elif "reference" in module.split(".") and here.startswith("chapters."):
                wrong.append(f"{path} imports {module}: a twin never imports a reference")
            elif top in ("kael", "chapters") and None not in (mine, other) and mine < other:
                wrong.append(f"{path} imports {module}, which lies above it")
    return wrong


def cython_sources() -> dict[str, str]:
    """Every .pyx and .pxd of the tree by its path."""
    paths = [*ROOT.glob("kael/**/*.p[yx][xd]"), *ROOT.glob("chapters/**/*.p[yx][xd]")]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sorted(paths)}


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter in a folder that holds a pyproject.toml and the two packages."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()", "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)


@pytest.fixture
def skeleton(tmp_path: Path) -> Path:
    """The tree with every module empty, to plant a violation in."""
    for package in ("kael", "chapters"):
        for path in (ROOT / package).rglob("*.py"):
            copy = tmp_path / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.touch()
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


class TestPythonSources:
    def test_the_contracts_are_kept(self):
        pytest.importorskip("importlinter")
        result = lint(ROOT)
        assert result.returncode == 0, result.stdout
        assert "3 kept, 0 broken" in result.stdout

    @pytest.mark.parametrize(
        ("module", "line", "contract"),
        [
            ("kael/tensors.py", "import kael.ops.shape", "Each layer imports only what lies below it"),
            ("kael/autograd/node.py", "from kael.nn import modules", "Each layer imports only what lies below it"),
            ("chapters/flat.py", "from kael import dtypes", "Each layer imports only what lies below it"),
            ("kael/ops/matmul.py", "from chapters.ch14_matmul import vectorized", "through their table alone"),
            ("chapters/ch14_matmul/reference.py", "import numpy", "References run on the standard library"),
        ],
    )
    def test_a_planted_violation_breaks_its_contract(self, skeleton, module, line, contract):
        pytest.importorskip("importlinter")
        (skeleton / module).write_text(line + "\n", encoding="utf-8")
        result = lint(skeleton)
        assert result.returncode == 1
        broken = [text for text in result.stdout.splitlines() if text.endswith("BROKEN")]
        assert len(broken) == 1
        assert contract in broken[0]

    def test_the_skeleton_alone_breaks_none(self, skeleton):
        pytest.importorskip("importlinter")
        assert lint(skeleton).returncode == 0


class TestCythonSources:
    def test_they_keep_the_layers(self):
        sources = cython_sources()
        assert len(sources) > 20
        assert violations(sources) == []

    @pytest.mark.parametrize(
        ("path", "line"),
        [
            ("chapters/ch14_matmul/kernels.pyx", "from kael.dtypes cimport DType"),
            ("chapters/ch14_matmul/kernels.pyx", "from kael import kernels"),
            ("chapters/ch14_matmul/kernels.pyx", "    from chapters.ch14_matmul.reference import matmul"),
            ("chapters/ch14_matmul/kernels.pyx", "from chapters.ch14_matmul import reference"),
            ("kael/tensors.pxd", "from kael.autograd.meta cimport AutogradMeta"),
            ("kael/autograd/node.pxd", "cimport kael.ops.dispatch"),
        ],
    )
    def test_a_planted_violation_is_found(self, path, line):
        text = cython_sources()[path] + "\n" + line + "\n"
        assert len(violations({path: text})) >= 1

    def test_what_lies_below_is_allowed(self):
        assert violations({"kael/ops/shape.pxd": "from kael.tensors cimport Tensor\ncimport cython\n"}) == []
        assert (
            violations({"chapters/ch17_engine/kernels.pyx": "from chapters.ch07_broadcasting.walk cimport x\n"}) == []
        )
