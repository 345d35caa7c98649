"""``kael doctor``: what works here, and one command for each thing that does not."""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import kael
from kael import blas, kernels
from kael.config import (
    BUILD,
    CLEAN,
    ROOT,
    aligned,
    built_modules,
    cache_line,
    chapter_states,
    chapter_table,
    engine_line,
    engine_modules,
    source_state,
    threads_line,
)
from kael.extras import extras, install_command

__all__ = ["Compiler", "find_compiler", "main"]

PROBE = """\
#include <Python.h>
PyMODINIT_FUNC PyInit_probe(void);
PyMODINIT_FUNC PyInit_probe(void) { return NULL; }
"""
COMPILER_COMMANDS = {
    "apt-get": "sudo apt-get install gcc python3-dev",
    "dnf": "sudo dnf install gcc python3-devel",
    "pacman": "sudo pacman -S gcc",
    "apk": "sudo apk add gcc musl-dev python3-dev",
    "zypper": "sudo zypper install gcc python3-devel",
    "xcode-select": "xcode-select --install",
    "winget": "winget install Microsoft.VisualStudio.2022.BuildTools",
}


class Compiler(NamedTuple):
    """A C compiler, or why there is none.

    Attributes
    ----------
    works : bool
        It compiled and linked an extension module of three lines.
    said : str
        Its version and place, or what went wrong.
    """

    works: bool
    said: str


def compiler_command() -> list[str]:
    """The command by which Python builds extension modules: ``CC``, else what Python was built with, else ``cc``."""
    named = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    return str(named).split()


def find_compiler() -> Compiler:
    """Try the compiler on three lines against Python's headers, as the build does."""
    if os.name == "nt":
        return find_visual_studio()
    command = compiler_command()
    found = shutil.which(command[0])
    if found is None:
        return Compiler(False, f"{command[0]} is not installed")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout.split("\n")[0]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.c"
        source.write_text(PROBE, encoding="utf-8")
        include = f"-I{sysconfig.get_paths()['include']}"
        undefined = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
        line = [*command, "-shared", "-fPIC", include, *undefined, str(source), "-o", str(source.with_suffix(".so"))]
        tried = subprocess.run(line, capture_output=True, text=True, check=False)
    if tried.returncode:
        fault = next((line for line in tried.stderr.splitlines() if "error" in line), tried.stderr.strip())
        return Compiler(False, f"{version} ({found}) cannot build an extension module: {fault}")
    return Compiler(True, f"{version} ({found})")


def find_visual_studio() -> Compiler:
    """Whether Microsoft's build tools are there, as setuptools looks for them."""
    programs = os.environ.get("PROGRAMFILES(X86)", r"C:\Program Files (x86)")
    finder = Path(programs) / "Microsoft Visual Studio" / "Installer" / "vswhere.exe"
    if not finder.is_file():
        return Compiler(False, "Microsoft's C++ build tools are not installed")
    wanted = ["-latest", "-products", "*", "-requires", "Microsoft.VisualStudio.Component.VC.Tools.x86.x64"]
    line = [str(finder), *wanted, "-property", "installationPath"]
    place = subprocess.run(line, capture_output=True, text=True, check=False).stdout.strip()
    return Compiler(bool(place), place or "Microsoft's build tools are there without the C++ compiler")


def compiler_install() -> str:
    """The command that installs a C compiler on this system."""
    for tool, command in COMPILER_COMMANDS.items():
        if shutil.which(tool):
            return command
    return "install a C compiler with your system's package manager"


def broken_twins() -> dict[str, str]:
    """Every built twin that this processor could run and that does not load, with the error."""
    found = {}
    for name in kernels.chapters():
        for known in kernels.instruction_sets():
            module = f"chapters.{name}.kernels" + ("" if known == "baseline" else f"_{known}")
            try:
                importlib.import_module(module)
            except ModuleNotFoundError as error:
                if error.name != module:
                    found[module] = str(error)
            except ImportError as error:
                found[module] = str(error)
    return found


def version_of(package: str) -> str | None:
    """The version of an installed package, None where it is not there."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def packages() -> tuple[list[tuple[str, ...]], list[str]]:
    """Versions of NumPy, Cython and every extra's packages, and the commands for the extras that are not whole."""
    wanted = {"numpy": ["needed to run"], "cython": ["builds the twins, brought by pip where it is missing"]}
    commands = []
    for extra, names in extras().items():
        missing = [name for name in names if version_of(name) is None]
        if missing:
            commands.append(f"{', '.join(missing)} missing: {install_command(extra)}")
        for name in names:
            wanted.setdefault(name, []).append(f"[{extra}]")
    return [(name, version_of(name) or "missing", " ".join(uses)) for name, uses in wanted.items()], commands


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``kael doctor``; returns 0 where kael is usable, 1 where something is broken."""
    argparse.ArgumentParser(
        prog="kael doctor", description="Say what works here, and what to do about what does not."
    ).parse_args(arguments)
    compiler = find_compiler()
    states = chapter_states()
    _, plain = engine_modules()
    broken = broken_twins()
    rows, missing = packages()
    facts = [
        ("kael", f"{kael.__version__} in {ROOT}"),
        ("Python", f"{platform.python_version()} ({sys.executable})"),
        ("system", f"{platform.system()} {platform.machine()}"),
        ("processor", f"has {', '.join(kernels.instruction_sets())}"),
        ("compiler", compiler.said),
        ("engine", engine_line()),
        ("cache", cache_line()),
        ("threads", threads_line()),
        ("products", blas.said()),
        ("kernels", f"KAEL_KERNELS={os.environ.get('KAEL_KERNELS', 'auto')}"),
    ]
    print(aligned(facts))
    print(f"\n{chapter_table(states)}\n\n{aligned(rows)}")

    todo = [] if compiler.works else [f"no working C compiler: {compiler_install()}"]
    leftover = [state.name for state in states if state.todo == CLEAN]
    stale = [module for module in built_modules() if source_state(module) == "out of step"]
    unbuilt = [state.name for state in states if state.todo == BUILD and state.rung in ("numpy", "python")]
    if plain and os.environ.get("KAEL_ENGINE") != "python":
        unbuilt.append("the engine")
    for what, names, command in (
        ("left over from an earlier build", leftover, f"{CLEAN} && {BUILD}"),
        ("built from other sources than those here", stale, BUILD),
        ("not built", unbuilt, BUILD),
    ):
        if names:
            todo.append(f"{what}: {', '.join(names)}: {command}")
    todo += missing
    faults = [f"{module} is broken ({error}): {BUILD} --force-reinstall" for module, error in broken.items()]
    faults += [f"{state.name} does not load ({state.why}): {BUILD}" for state in states if state.rung == "broken"]
    if faults or todo:
        print("\nTo do, in the clone:")
        print("\n".join(f"- {line}" for line in [*faults, *todo]))
    print("\nkael is broken here" if faults else "\nkael is usable here")
    return 1 if faults else 0
