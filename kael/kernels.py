"""Imports, per chapter, whichever rung of its kernels is built; nothing else in kael knows that rungs exist.

``KAEL_KERNELS`` chooses: ``auto`` (each chapter's twin where built, else its NumPy rung), ``cython``, ``numpy``,
``python``, or single chapters as in ``ch14=python,ch12=cython``. ``KAEL_CPU=baseline|v3|v4`` forces an instruction
set. Both are read once, at import.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

from kael.table import table

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["available", "chapter", "chapters", "instruction_set", "instruction_sets", "rung_of", "table", "use"]

RUNGS = {"cython": "kernels", "numpy": "vectorized", "python": "reference"}
LIBRARY = (
    "ch07_broadcasting", "ch08_indexing", "ch11_memory", "ch12_elementwise", "ch13_reductions", "ch14_matmul",
    "ch22_layers", "ch23_optimizers", "ch25_convolution", "ch26_attention",
)  # fmt: skip


def _open(name: str, kernel: Any, rung: str) -> Any:
    """No door: the library calls the kernel itself."""
    return kernel


_door: Callable[[str, Any, str], Any] = _open
_loaded: dict[str, ModuleType] = {}
_modes: dict[str, str] = {}


def instruction_sets() -> tuple[str, ...]:
    """Names of the instruction sets this processor has, best first; only ``baseline`` where nothing is compiled."""
    try:
        processor = importlib.import_module("kael.processor")
    except ModuleNotFoundError as error:
        if error.name != "kael.processor":
            raise
        return ("baseline",)
    sets: tuple[str, ...] = processor.instruction_sets()
    return sets


def _allowed_sets() -> tuple[str, ...]:
    have = instruction_sets()
    wanted = os.environ.get("KAEL_CPU")
    if wanted is None:
        return have
    if wanted not in have:
        raise RuntimeError(f"KAEL_CPU={wanted}: this processor and build have {', '.join(have)}")
    # A chapter whose loops gain nothing from wider vectors is built for the baseline alone.
    return (wanted, "baseline") if wanted != "baseline" else (wanted,)


_SETS = _allowed_sets()


def chapters() -> tuple[str, ...]:
    """Names of all chapter folders that hold kernels, in order."""
    return tuple(sorted(path.parent.name for path in chapters_folder().glob("ch*/reference.py")))


def chapters_folder() -> Path:
    """Where the chapters are."""
    from pathlib import Path  # here, so that `import kael` does not pay for it

    import chapters as package

    return Path(next(iter(package.__path__)))


def full_name(short: str) -> str:
    """The folder of a chapter given as ``ch14`` or in full.

    Raises
    ------
    ValueError
        When no chapter or more than one begins so.
    """
    found = [name for name in chapters() if name == short or name.split("_")[0] == short]
    if len(found) != 1:
        raise ValueError(f"kernels: no chapter {short!r}; there are {', '.join(chapters())}")
    return found[0]


def _twin(name: str) -> ModuleType | None:
    for known in _SETS:
        module = f"chapters.{name}.kernels" + ("" if known == "baseline" else f"_{known}")
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
        except ImportError as error:
            raise ImportError(
                f"{name}: its twin {module} is there but does not load ({error}); build it again with `pip install .` "
                "in the clone, or do without it by KAEL_KERNELS=numpy (then `kael doctor` says more)"
            ) from error
    return None


def has_rung(name: str, rung: str) -> bool:
    """Whether a chapter has this rung, of those that are not compiled."""
    from importlib.util import find_spec  # here, so that `import kael` does not pay for it

    return find_spec(f"chapters.{name}.{RUNGS[rung]}") is not None


def load(name: str, rung: str) -> ModuleType:
    """The module of a chapter's rung, or in mode ``auto`` the best that is built.

    Only "not built" is forgiven, and only in mode ``auto``: a twin that is there and fails to load raises.
    """
    if rung in ("auto", "cython"):
        twin = _twin(name)
        if twin is not None:
            return twin
        if rung == "cython" and has_rung(name, "numpy"):
            raise ImportError(
                f"{name}: its Cython twin is not built; run `pip install .` in the clone where there is a C compiler"
            )
    lower = "numpy" if rung != "python" and has_rung(name, "numpy") else "python"
    return importlib.import_module(f"chapters.{name}.{RUNGS[lower]}")


def _parse(setting: str) -> tuple[str, dict[str, str]]:
    """The mode for all chapters and those of single ones, from the value of ``KAEL_KERNELS``."""
    general, single = "auto", {}
    for part in setting.split(","):
        short, equals, mode = part.partition("=")
        mode = mode if equals else short
        if mode not in ("auto", *RUNGS):
            raise ValueError(f"KAEL_KERNELS={setting}: {mode!r} is not a rung; choose auto, cython, numpy or python")
        if equals:
            single[full_name(short)] = mode
        else:
            general = mode
    return general, single


_GENERAL, _SINGLE = _parse(os.environ.get("KAEL_KERNELS", "auto"))


def bind(name: str, module: ModuleType) -> None:
    """Put every public kernel of a chapter's rung into the table, behind the door that `wrap` has set."""
    _loaded[name] = module
    rung = rung_of(module)
    for kernel in module.__all__:
        setattr(table, kernel, _door(kernel, getattr(module, kernel), rung))


def wrap(door: Callable[[str, Any, str], Any]) -> None:
    """Bind every kernel of the library anew, as what `door` makes of its name, the kernel and the rung."""
    global _door
    _door = door
    for name in LIBRARY:
        bind(name, _loaded[name])


def chapter(name: str) -> ModuleType:
    """The module in use for a chapter (``ch17`` or its full name), loaded on first use."""
    if name not in _loaded:  # which a full name of the library's is, without a look into folders
        name = full_name(name)
    if name not in _loaded:
        _loaded[name] = load(name, mode_of(name))
    return _loaded[name]


def mode_of(name: str) -> str:
    """What ``KAEL_KERNELS`` says of a chapter: ``auto``, ``cython``, ``numpy`` or ``python``."""
    return _SINGLE.get(name, _GENERAL)


def has_twin(name: str) -> bool:
    """Whether a chapter has a twin to build."""
    return (chapters_folder() / name / "kernels.pyx").is_file()


def missing_twins() -> tuple[str, ...]:
    """The library's chapters that run on a lower rung only because their twin is not built."""
    lower = [name for name, module in _loaded.items() if rung_of(module) != "cython" and mode_of(name) == "auto"]
    return tuple([name for name in lower if has_twin(name)])


def rung_of(module: ModuleType) -> str:
    """Which rung a chapter's module stands on: ``cython``, ``numpy`` or ``python``."""
    last = module.__name__.rpartition(".")[2]
    return "cython" if last.startswith("kernels") else {"vectorized": "numpy", "reference": "python"}[last]


def instruction_set(module: ModuleType) -> str:
    """The instruction set a twin was compiled for."""
    return module.__name__.rpartition(".")[2].partition("_")[2] or "baseline"


def available(name: str) -> tuple[str, ...]:
    """The rungs that a chapter has here, highest first."""
    name = full_name(name)
    found = ["python"]
    if has_rung(name, "numpy"):
        found.insert(0, "numpy")
    if _twin(name) is not None:
        found.insert(0, "cython")
    return tuple(found)


@contextmanager
def use(name: str, rung: str) -> Iterator[ModuleType]:
    """Run one chapter on another rung for the length of a ``with`` block.

    Parameters
    ----------
    name : str
        A chapter, as ``ch14`` or ``ch14_matmul``.
    rung : {"auto", "cython", "numpy", "python"}
        The rung to run on.

    Examples
    --------
    >>> import kael
    >>> with kael.kernels.use("ch12", "python") as module:
    ...     print(module.__name__, kael.tensor([1.0, 2.0]) + 1)
    chapters.ch12_elementwise.reference tensor([2., 3.])
    """
    if rung not in ("auto", *RUNGS):
        raise ValueError(f"kernels.use: {rung!r} is not a rung; choose auto, cython, numpy or python")
    name = full_name(name)
    before = chapter(name)
    module = load(name, rung)
    install = bind if name in LIBRARY else _loaded.__setitem__
    install(name, module)
    try:
        yield module
    finally:
        install(name, before)


for _name in LIBRARY:
    bind(_name, load(_name, mode_of(_name)))
