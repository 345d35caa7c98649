"""What runs here: the rung and file of each chapter, whether it was built from the source that is here, the engine."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import kael
from kael import blas, kernels
from kael.allocator import cache_info
from kael.threads import get_num_threads

__all__ = ["Chapter", "chapter_states", "engine_modules", "show_config", "source_state"]

ROOT = Path(kael.__file__).resolve().parent.parent
IN_CLONE = (ROOT / "pyproject.toml").is_file()
BUILD = "pip install -e ." if IN_CLONE else "pip install ."
CLEAN = "git clean -fqX chapters kael"
TWINS = {
    "in step": ("the best that is built", ""),
    "out of step": ("built from another source than the one here", BUILD),
    "not recorded": ("left over from an earlier build", CLEAN),
}


class Chapter(NamedTuple):
    """The rung that a chapter runs on.

    Attributes
    ----------
    name : str
        The chapter's folder.
    rung : str
        ``cython`` with the instruction set, ``numpy``, ``python``, or ``broken``.
    file : str
        The file of the module in use.
    why : str
        Why this rung.
    hash : str
        What a twin was built from, empty on other rungs.
    todo : str
        What to run to stand better, empty where nothing is missing.
    """

    name: str
    rung: str
    file: str
    why: str
    hash: str = ""
    todo: str = ""


def built_modules() -> dict[str, Any]:
    """What the last build wrote down of each module: its hash, sources and directives; nothing where none was made."""
    record = ROOT / "kael" / "_built.json"
    modules: dict[str, Any] = json.loads(record.read_text(encoding="utf-8")) if record.is_file() else {}
    return modules


def source_state(module: str) -> str:
    """Whether a built module is ``in step`` with the sources that are here, ``out of step``, or ``not recorded``."""
    entry = built_modules().get(module)
    if entry is None:
        return "not recorded"
    paths = [ROOT / name for name in entry["sources"]]
    if not all(path.is_file() for path in paths):
        return "out of step"
    texts = [path.read_text(encoding="utf-8") for path in paths]
    return "in step" if digest(*texts, entry["directives"]) == entry["hash"] else "out of step"


def digest(*parts: str) -> str:
    """The short hash of texts that setup.py writes down for a build."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def chapter_state(name: str) -> Chapter:
    """The rung of one chapter, loaded if it was not."""
    try:
        module = kernels.chapter(name)
    except ImportError as error:
        return Chapter(name, "broken", "", str(error), todo=BUILD)
    rung = kernels.rung_of(module)
    file = Path(str(module.__file__)).name
    mode = kernels.mode_of(name)
    if rung == "cython":
        entry = built_modules().get(module.__name__, {})
        why, todo = TWINS[source_state(module.__name__)]
        rung = f"cython ({kernels.instruction_set(module)})"
        return Chapter(name, rung, file, why, entry.get("hash", "not recorded"), todo)
    if mode not in ("auto", rung):
        return Chapter(name, rung, file, f"the chapter has no rung {mode}")
    if mode == rung:
        return Chapter(name, rung, file, "asked for by KAEL_KERNELS")
    if kernels.has_twin(name):
        return Chapter(name, rung, file, "its twin is not built", todo=BUILD)
    return Chapter(name, rung, file, "the chapter has no twin")


def chapter_states() -> list[Chapter]:
    """The rung of every chapter that holds kernels."""
    return [chapter_state(name) for name in kernels.chapters()]


def engine_modules() -> tuple[list[str], list[str]]:
    """The engine's modules that run compiled, and those that run as plain Python though they could be compiled."""
    names = [".".join(pxd.relative_to(ROOT).with_suffix("").parts) for pxd in sorted(ROOT.glob("kael/**/*.pxd"))]
    loaded = {name: str(sys.modules[name].__file__) for name in names if name in sys.modules}
    compiled = [name for name, file in loaded.items() if not file.endswith(".py")]
    return compiled, [name for name in loaded if name not in compiled]


def engine_line() -> str:
    """How the engine runs, in a sentence."""
    compiled, plain = engine_modules()
    if not plain:
        return f"compiled ({len(compiled)} modules)"
    if os.environ.get("KAEL_ENGINE") == "python":
        return "plain Python, asked for by KAEL_ENGINE"
    if not compiled:
        return f"plain Python: it is not compiled; run `{BUILD}` in the clone"
    return f"{len(compiled)} modules compiled, {len(plain)} plain Python: {', '.join(plain)}"


def cache_line() -> str:
    """What is held of the memory of large results at most, in a sentence."""
    if kernels.rung_of(kernels.chapter("ch11")) != "cython":
        return "none, for ch11 does not run on its twin"
    limit = cache_info().limit
    whose = (
        "set by KAEL_CACHE_BYTES" if "KAEL_CACHE_BYTES" in os.environ else "the default; KAEL_CACHE_BYTES sets another"
    )
    return f"{f'at most {limit:,} bytes of large freed results' if limit else 'off'}, {whose}"


def threads_line() -> str:
    """How many threads work on one large call, in a sentence."""
    count = get_num_threads()
    whose = "set by KAEL_NUM_THREADS" if os.environ.get("KAEL_NUM_THREADS") == str(count) else "set by the program"
    if count == 1 and "KAEL_NUM_THREADS" not in os.environ:
        whose = "the default; KAEL_NUM_THREADS sets another"
    return f"{count} for a large call, {whose}"


def show_config() -> None:
    """Print the mode, the cache's limit, the threads, and per chapter its rung, file, and what a twin was built from.

    Examples
    --------
    >>> import kael
    >>> kael.show_config()  # doctest: +ELLIPSIS
    kael 0.1.0, engine ..., KAEL_KERNELS=...
    """
    setting = os.environ.get("KAEL_KERNELS", "auto")
    print(f"kael {kael.__version__}, engine {engine_line()}, KAEL_KERNELS={setting}")
    print(f"cache: {cache_line()}")
    print(f"threads: {threads_line()}")
    print(f"products: {blas.said()}")
    print(chapter_table(chapter_states()))


def chapter_table(states: list[Chapter]) -> str:
    """The chapters as aligned lines."""
    return aligned([(state.name, state.rung, state.file, state.hash or "-", remark(state)) for state in states])


def remark(state: Chapter) -> str:
    """Why a chapter runs on its rung, and what to run to stand better."""
    return f"{state.why}; run `{state.todo}` in the clone" if state.todo else state.why


def aligned(rows: Sequence[tuple[str, ...]]) -> str:
    """Rows of text with their columns under each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)
