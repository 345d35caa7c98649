"""Building a reader's Cython file in a scratch folder, with the compiler's complaints at the reader's own lines."""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Iterator
from importlib.machinery import ExtensionFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

from kael.exercises import NotAvailable, NotStarted, fence
from kael.exercises.sources import read_source

__all__ = ["CACHE", "BuildFailed", "build", "forget", "load_twin", "missing", "share"]

CACHE = "KAEL_EXERCISE_TWINS"
"""Names the folder that keeps built files; a new one for each process when it is not set."""

SHARED = "kael_shared_views"
"""The module that `share` builds, and the folder that it lies in."""

SETUP = """\
import sys

import numpy
from setuptools import Extension, setup

name, source, *flags = sys.argv[1:]
sys.argv = ["setup.py", "-q", "build_ext", "--inplace"]
setup(ext_modules=[Extension(name, [source], include_dirs=[numpy.get_include()], extra_compile_args=flags)])
"""
WINDOWS = sys.platform == "win32"
FLAGS = ["/O2"] if WINDOWS else ["-O2", "-g0", "-ffp-contract=off", "-w"]
READING = threading.Lock()
PROBE = "#include <Python.h>\nPyMODINIT_FUNC PyInit_probe(void);\nPyMODINIT_FUNC PyInit_probe(void) { return NULL; }\n"


class BuildFailed(Exception):
    """A Cython file does not compile; the message says where and why."""


def load_twin(path: Path, text: str | None = None) -> ModuleType:
    """Build a Cython file, unless that text has been built already, and import it.

    Parameters
    ----------
    path : Path
        The file.
    text : str, optional
        What it holds, where that has been read already.

    Raises
    ------
    NotStarted
        While the file still raises it.
    NotAvailable
        Where Cython or a C compiler is missing.
    BuildFailed
        Where the file does not compile.
    """
    text = read_source(path) if text is None else text
    if "raise NotStarted" in text:
        raise NotStarted
    built = _library(_folder(path, text, _cache()), path.stem)
    if built is None:
        with fence.lifted():
            if missing.cache_info().currsize and missing():
                raise NotAvailable(missing())
            try:
                built = build(path)
            except BuildFailed:  # asked only now, for finding out takes about as long as building
                if missing():
                    raise NotAvailable(missing()) from None
                raise
    return _imported(built, path.stem)


@functools.cache
def _imported(library: Path, name: str) -> ModuleType:
    """An extension module can be run once in a process, so it is kept."""
    shared = _library(library.parent.parent / SHARED, SHARED)
    if shared is not None and name != SHARED and SHARED not in sys.modules:
        sys.modules[SHARED] = _imported(shared, SHARED)
    loader = ExtensionFileLoader(name, str(library))
    spec = spec_from_loader(name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


@functools.cache
def missing() -> str:
    """What is needed to build a Cython file and is not here, with what to do about it; empty when nothing is."""
    for package in ("Cython", "setuptools") if WINDOWS else ("Cython",):
        if find_spec(package) is None:
            from kael.extras import install_command

            return f"it needs {package}; run `{install_command('exercises')}` in the clone"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        (Path(folder) / "probe.c").write_text(PROBE, encoding="utf-8")
        if not _compile(Path(folder), "probe", "probe.c")[0]:
            return "it needs a C compiler, gcc, clang or the Build Tools of Visual Studio; install one and run again"
    return ""


def build(path: Path, cache: Path | None = None) -> Path:
    """The library made from a Cython file, kept in a folder of built files.

    Raises
    ------
    BuildFailed
        Where it does not compile.
    """
    text = read_source(path)
    cache = cache or _cache()
    folder = _folder(path, text, cache)
    built = _library(folder, path.stem)
    if built is not None:
        return built
    refused = folder / "refused.txt"
    if refused.exists():  # by Cython, and each check asks again
        raise BuildFailed(refused.read_text(encoding="utf-8"))
    shared = [f"--shared={SHARED}"] if share(cache) else []
    with _making(folder) as made:
        (made / path.name).write_text(text, encoding="utf-8")
        ran = _cython("-3", "--line-directives", *shared, path.name, "-o", f"{path.stem}.c", folder=made)
        if ran.returncode:
            complaints = _complaints(ran.stdout + ran.stderr, path, text)
            (made / refused.name).write_text(complaints, encoding="utf-8")
        else:
            done, output = _compile(made, path.stem, f"{path.stem}.c")
            if not done or _library(made, path.stem) is None:
                raise BuildFailed(_c_complaints(output, path, text))
    built = _library(folder, path.stem)
    if built is None:
        raise BuildFailed(refused.read_text(encoding="utf-8"))
    return built


def share(cache: Path) -> Path | None:
    """Build, once for a folder of built files, what Cython would else compile into each of them: its memoryviews.

    What is built in that folder afterwards takes a third of the time. None where Cython is too old for it (before 3.2)
    or nothing can be built.
    """
    folder = cache / SHARED
    if not folder.exists():
        with _making(folder) as made:
            if _cython(f"--generate-shared={SHARED}.c", folder=made).returncode == 0:
                _compile(made, SHARED, f"{SHARED}.c")
    return _library(folder, SHARED)


def forget(cache: Path, most: int) -> None:
    """Remove the oldest files of a folder of built files, so that at most so many stay; what is in use stays too."""
    if cache.is_dir():
        built = [folder for folder in cache.iterdir() if folder.is_dir() and folder.name != SHARED]
        for folder in sorted(built, key=lambda folder: folder.stat().st_mtime)[: max(0, len(built) - most)]:
            shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _making(folder: Path) -> Iterator[Path]:
    """A folder to build in, which takes its name when all is there: who looks meanwhile sees none of it."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
    try:
        yield made
        with contextlib.suppress(OSError):  # another process has been faster
            made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _cython(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cython", *arguments],
        cwd=folder, capture_output=True, encoding="utf-8", errors="replace", check=False,
    )  # fmt: skip


@functools.cache
def _own_folder() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="kael-twins-", ignore_cleanup_errors=True)
    atexit.register(folder.cleanup)
    return Path(folder.name)


def _cache() -> Path:
    return Path(os.environ[CACHE]) if CACHE in os.environ else _own_folder()


def _folder(path: Path, text: str, cache: Path) -> Path:
    """Where a file with this text is built."""
    return cache / hashlib.sha256(f"{path.stem}\0{text}".encode()).hexdigest()[:16]


def _library(folder: Path, name: str) -> Path | None:
    found = folder / f"{name}{_built_with()['EXT_SUFFIX']}"
    return found if found.exists() else None


def _compile(folder: Path, name: str, source: str) -> tuple[bool, str]:
    """Compile one C file beside itself; whether that went well, and what was said."""
    said = ""
    for command in [[sys.executable, "-c", SETUP, name, source, *FLAGS]] if WINDOWS else _commands(name, source):
        try:
            ran = subprocess.run(
                command, cwd=folder, capture_output=True, encoding="utf-8", errors="replace", check=False
            )
        except OSError as error:
            return False, f"error: {command[0]} cannot be run: {error}"
        said += ran.stdout + ran.stderr
        if ran.returncode:
            return False, said
    return True, said


@functools.cache
def _built_with() -> dict[str, str]:
    """What Python was built with.

    One thread reads it at a time: up to Python 3.11, whoever asks while another reads it first is told half of it.
    """
    with READING:
        return {key: str(value) for key, value in sysconfig.get_config_vars().items()}


def _commands(name: str, source: str) -> list[list[str]]:
    """How the compiler that Python was built with, or the one that CC names, makes a library of one C file.

    What setuptools would call, without the half second that it takes to find that out.
    """
    import numpy

    known = _built_with()
    compiler, linker = known["CC"], known["LDSHARED"]
    if chosen := os.environ.get("CC"):
        linker = linker.replace(compiler, chosen, 1) if linker.startswith(compiler) else linker
        compiler = chosen
    flags = [known["CFLAGS"], os.environ.get("CFLAGS", ""), known["CCSHARED"]]
    folders = dict.fromkeys((numpy.get_include(), *map(sysconfig.get_path, ("include", "platinclude"))))
    included = [f"-I{folder}" for folder in folders]
    made = [f"{name}.o", "-o", f"{name}{known['EXT_SUFFIX']}"]
    return [
        [*shlex.split(" ".join([compiler, *flags])), *included, *FLAGS, "-c", source, "-o", made[0]],
        [*shlex.split(linker), *shlex.split(os.environ.get("LDFLAGS", "")), *made],
    ]


def _complaints(output: str, path: Path, text: str) -> str:
    """Cython's errors, each at its line of the reader's file."""
    lines = text.splitlines()
    found = re.findall(rf"^{re.escape(path.name)}:(\d+):(\d+): (.*)$", output, re.MULTILINE)
    said = [
        f"{path.name}, line {line}, column {column}: {message}\n    {lines[int(line) - 1].strip()}"
        for line, column, message in found
    ]
    return "\n".join(said) or output.strip()


def _c_complaints(output: str, path: Path, text: str) -> str:
    """What the C compiler or the linker refused: at the reader's line where it is known, else in the tool's words."""
    lines = text.splitlines()
    pattern = rf"{re.escape(path.name)}[:(](\d+)(?:[:,]\d+)*\)?\s*:\s*(?:fatal )?error\s?(?:C\d+)?: (.*)$"
    said = [
        f"{path.name}, line {line}: {message}\n    {lines[int(line) - 1].strip()}"
        for line, message in re.findall(pattern, output, re.MULTILINE)
        if 0 < int(line) <= len(lines)
    ]
    if not said:
        said = [line.strip() for line in output.splitlines() if re.search(r"error|undefined", line, re.IGNORECASE)]
    unique = list(dict.fromkeys(said))[:5]
    return f"the C compiler refuses what Cython made of {path.name}:\n" + "\n".join(unique or [output.strip()[-2000:]])
