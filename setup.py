"""Builds the Cython twins once per instruction set, and the engine from its own .py sources typed by .pxd files.

KAEL_BUILD=auto (default) builds everything when a compiler works and nothing when none does; cython insists; python
builds nothing. KAEL_DEBUG=1 turns Cython's bounds checks on. KAEL_BUILD_SETS=v3,v4 leaves the other instruction sets
out, for a quick build while working on a twin.
"""

import hashlib
import json
import os
import platform
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.errors import CCompilerError, CompileError, ExecError, LinkError

ROOT = Path(__file__).resolve().parent
EXERCISES = ROOT / "exercises"
PROOFS = ROOT / "tests" / "exercises"
ARCHIVE = Path("kael") / "exercises" / "solutions.zip"
MODE = os.environ.get("KAEL_BUILD", "auto")
DEBUG = os.environ.get("KAEL_DEBUG") == "1"
MSVC = sysconfig.get_platform().startswith("win")
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": DEBUG,
    "wraparound": False,
    "initializedcheck": DEBUG,
    "cdivision": True,
    "annotation_typing": False,
}
# The engine is Python that also runs uncompiled: there an index of -1 is the last element, and one too large raises.
ENGINE_DIRECTIVES = {**DIRECTIVES, "boundscheck": True, "wraparound": True, "cdivision": False, "nonecheck": True}
TWIN_FLAGS = ["/O2"] if MSVC else ["-O3", "-g0", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
ENGINE_FLAGS = ["/O1"] if MSVC else ["-O2", "-g0"]
SETS: dict[str, list[str]] = {"": []}
if platform.machine().lower() in {"x86_64", "amd64"}:
    SETS["_v3"] = ["/arch:AVX2"] if MSVC else ["-march=x86-64-v3"]
    SETS["_v4"] = ["/arch:AVX512"] if MSVC else ["-march=x86-64-v4"]
if "KAEL_BUILD_SETS" in os.environ:
    known = {suffix.strip("_") or "baseline" for suffix in SETS}
    if unknown := set(os.environ["KAEL_BUILD_SETS"].split(",")) - known:
        raise SystemExit(f"KAEL_BUILD_SETS: {', '.join(sorted(unknown))}: choose from {', '.join(sorted(known))}")
    chosen = {"" if name == "baseline" else f"_{name}" for name in os.environ["KAEL_BUILD_SETS"].split(",")}
    SETS = {suffix: flags for suffix, flags in SETS.items() if suffix in chosen}

# Loops over indices and memory gain nothing from wider vectors, and the library does not run chapters 15 to 18.
BASELINE_ONLY = {"ch07_broadcasting", "ch08_indexing", "ch11_memory", "ch27_transformer"}
BASELINE_ONLY |= {"ch15_graph", "ch16_rules", "ch17_engine", "ch18_define_by_run"}

PROBE = """\
#include <Python.h>
PyMODINIT_FUNC PyInit_probe(void);
PyMODINIT_FUNC PyInit_probe(void) { return NULL; }
"""


def digest(*parts: str) -> str:
    """A short hash of texts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def build_stamp() -> str:
    """The hash of all that a build depends on beside the sources; Cython compares file times alone."""
    import Cython
    import numpy

    versions = (sys.version, Cython.__version__, numpy.__version__)
    return digest(repr((DIRECTIVES, ENGINE_DIRECTIVES, TWIN_FLAGS, ENGINE_FLAGS, SETS, versions)))


def declarations(source: Path) -> list[Path]:
    """Every .pxd that a source may cimport: a twin those of the chapters, an engine module those of the engine."""
    folder = source.relative_to(ROOT).parts[0]
    return sorted(ROOT.glob(f"{folder}/**/*.pxd"))


def origin(source: Path, directives: dict[str, object]) -> dict[str, object]:
    """What a module is built from: its source, every .pxd it may cimport, the directives, and the hash of all that."""
    paths = [source, *declarations(source)]
    said = repr(sorted(directives.items()))
    return {
        "hash": digest(*[path.read_text(encoding="utf-8") for path in paths], said),
        "sources": [path.relative_to(ROOT).as_posix() for path in paths],
        "directives": said,
    }


def extension(name: str, source: Path, original: Path, flags: list[str], directives: dict[str, object]) -> Extension:
    """One module built from `source`; its declarations are found from the root of the tree."""
    import numpy

    ext = Extension(
        name,
        [source.as_posix()],
        include_dirs=[numpy.get_include()],
        extra_compile_args=flags,
        define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
        depends=[path.relative_to(ROOT).as_posix() for path in declarations(original)],
    )
    ext.cython_directives = directives  # an attribute: as a keyword it is ignored
    ext.cython_include_dirs = ["."]
    ext.cython_c_in_temp = True
    ext.kael_origin = origin(original, directives)
    return ext


def twins(stamp: str) -> list[Extension]:
    """One module per chapter and instruction set, from a copy of the same .pyx (each needs a C file of its own)."""
    found = []
    for pyx in sorted(ROOT.glob("chapters/ch*/kernels.pyx")):
        text = pyx.read_text(encoding="utf-8")
        sets: dict[str, list[str]] = {"": []} if pyx.parent.name in BASELINE_ONLY else SETS
        for suffix, flags in sets.items():
            copy = Path("build") / f"twins-{stamp}" / pyx.parent.name / f"kernels{suffix}.pyx"
            target = ROOT / copy
            if not target.exists() or target.read_text(encoding="utf-8") != text:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8")
            found.append(
                extension(f"chapters.{pyx.parent.name}.kernels{suffix}", copy, pyx, TWIN_FLAGS + flags, DIRECTIVES)
            )
    return found


def engine() -> list[Extension]:
    """Every .py of kael that has a .pxd beside it, and what only C can do."""
    written = sorted(ROOT.glob("kael/*.pyx"))
    sources = [pxd.with_suffix(".py") for pxd in sorted(ROOT.glob("kael/**/*.pxd"))]
    sources = [source for source in sources if source.exists() and source.with_suffix(".pyx") not in written] + written
    found = []
    for source in sources:
        relative = source.relative_to(ROOT)
        found.append(
            extension(".".join(relative.with_suffix("").parts), relative, source, ENGINE_FLAGS, ENGINE_DIRECTIVES)
        )
    return found


def drop_left_over(folder: Path, names: set[str]) -> None:
    """Delete twins that an earlier build left and this one does not make: the chooser would take them."""
    for path in folder.glob("chapters/ch*/kernels*"):
        name = ".".join([*path.relative_to(folder).parts[:-1], path.name.partition(".")[0]])
        if path.suffix in (".so", ".pyd") and name not in names:
            path.unlink()


class Build(build_ext):
    """setuptools' own build, which also writes down what each module was built from."""

    def run(self) -> None:
        super().run()
        folder = ROOT if self.inplace else Path(self.build_lib)
        drop_left_over(folder, {ext.name for ext in self.extensions})
        record = folder / "kael" / "_built.json"
        built = {ext.name: ext.kael_origin for ext in self.extensions}
        record.parent.mkdir(parents=True, exist_ok=True)
        record.write_text(json.dumps(built, indent=1, sort_keys=True) + "\n", encoding="utf-8")


class WithExercises(build_py):
    """Packs what a reader meets of each exercise, and the right answers, compressed: nobody reads one unasked."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        for source, target in self.tasks():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
        archive = Path(self.build_lib) / ARCHIVE
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            for source in solutions():
                entry = zipfile.ZipInfo(source.relative_to(PROOFS).as_posix())  # dated 1980: equal trees, equal wheels
                entry.compress_type = zipfile.ZIP_DEFLATED
                packed.writestr(entry, source.read_bytes())

    def tasks(self) -> list[tuple[Path, Path]]:
        """Each file of the exercises, and where it goes."""
        target = Path(self.build_lib) / "kael" / "exercises" / "tasks"
        return [(source, target / source.relative_to(EXERCISES)) for source in readers_files()]

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        carried = (
            []
            if self.editable_mode
            else [*(str(target) for _, target in self.tasks()), str(Path(self.build_lib) / ARCHIVE)]
        )
        return [*super().get_outputs(include_bytecode), *carried]

    def get_source_files(self) -> list[str]:
        """What the source archive has to hold."""
        carried = [*readers_files(), *solutions()]
        return [*super().get_source_files(), *(path.relative_to(ROOT).as_posix() for path in carried)]


def readers_files() -> list[Path]:
    """The folders of the exercises: tasks, stubs, visible checks, and the index."""
    return sorted(
        path
        for path in EXERCISES.rglob("*")
        if path.suffix in {".md", ".py", ".pyx", ".toml"} and not {"__pycache__", ".kael"} & set(path.parts)
    )


def solutions() -> list[Path]:
    """The right answers."""
    return sorted(
        path for kind in ("solution", "alt") for path in PROOFS.glob(f"*/*/{kind}/*") if path.suffix in {".py", ".pyx"}
    )


def compiler_works() -> bool:
    """Compile and link three lines against Python with the flags of the real build."""
    from setuptools import Distribution

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.c"
        source.write_text(PROBE, encoding="utf-8")
        probe = Extension("probe", [str(source)], extra_compile_args=TWIN_FLAGS)
        command = build_ext(Distribution({"ext_modules": [probe]}))
        command.build_lib = command.build_temp = folder
        try:
            command.ensure_finalized()
            command.run()
        except (CCompilerError, CompileError, LinkError, ExecError, OSError) as error:
            if MODE == "cython":
                raise
            print(f"kael: no working C compiler ({error}); installing without the compiled kernels", file=sys.stderr)
            return False
    return True


if MODE not in ("auto", "cython", "python"):
    raise SystemExit(f"KAEL_BUILD={MODE}: choose auto, cython or python")
if MODE != "python" and compiler_works():
    stamp = build_stamp()
    setup(
        ext_modules=[*twins(stamp), *engine()],
        cmdclass={"build_ext": Build, "build_py": WithExercises},
        options={
            "build": {"build_temp": f"build/temp-{stamp}"},
            "build_ext": {"parallel": os.cpu_count() or 1},
        },
    )
else:
    setup(cmdclass={"build_py": WithExercises})
