"""What both processes know by name: functions of the libraries, and the classes of the chapters."""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

import numpy as np

from kael.exercises.isolation.wire import Garbled

__all__ = ["chapters_class", "class_name", "found_class", "global_name", "is_leaf", "slots_of"]

LIBRARIES = ("chapters", "kael", "numpy", "math", "operator", "builtins", "itertools", "functools")


def class_name(kind: type) -> str:
    """Where a class is found."""
    return f"{kind.__module__}.{kind.__qualname__}"


_CHAPTERS: dict[type, type | None] = {}


def chapters_class(kind: type) -> type | None:
    """The class of the chapters' plain Python that a class is, or is made from; None for any other."""
    if kind not in _CHAPTERS:
        found = next((base for base in kind.__mro__ if str(base.__module__).startswith("chapters.")), None)
        try:
            _CHAPTERS[kind] = None if found is None else found_class(class_name(found))
        except Garbled:
            _CHAPTERS[kind] = None
    return _CHAPTERS[kind]


def found_class(name: Any) -> type:
    """A class of the chapters by its name.

    Raises
    ------
    Garbled
        When that is none whose objects are only fields.
    """
    module, _, short = name.rpartition(".") if isinstance(name, str) else ("", "", "")
    if module.startswith("chapters.") and module.replace(".", "").isidentifier() and "kernels" not in module:
        try:
            found = getattr(importlib.import_module(module), short, None)
        except ImportError:
            found = None
        if (
            isinstance(found, type)
            and found.__module__ == module
            and not issubclass(found, int | float | str | dict | set | BaseException | type)
        ):
            return found
    raise Garbled(f"an object of class {name!r:.80}")


_SLOTS: dict[type, tuple[str, ...]] = {}


def slots_of(kind: type) -> tuple[str, ...]:
    """The slots of a class and of those that it is made from."""
    if kind not in _SLOTS:
        found: list[str] = []
        for part in kind.__mro__:
            slots = vars(part).get("__slots__", ())
            found += [slots] if isinstance(slots, str) else list(slots)
        _SLOTS[kind] = tuple(name for name in found if name not in ("__weakref__", "__dict__"))
    return _SLOTS[kind]


def global_name(value: Any) -> list[str] | None:
    """Module and name of a function or class of a library; None where it is no such thing."""
    if isinstance(value, np.ufunc):
        return ["numpy", value.__name__]
    if not isinstance(value, type | types.FunctionType | types.BuiltinFunctionType):
        return None
    module, name = getattr(value, "__module__", None), value.__qualname__
    if not isinstance(module, str) or module.partition(".")[0] not in LIBRARIES:
        return None
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return [module, name] if found is value else None


def is_leaf(value: Any) -> bool:
    """Whether a value is a tensor of kael that no operation made."""
    tensors = sys.modules.get("kael.tensors")
    return tensors is not None and type(value) is tensors.Tensor and value.grad_fn is None
