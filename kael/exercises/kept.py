"""What an answer may have changed in its process, put back after each check, and what it must leave alone."""

from __future__ import annotations

import builtins
import contextlib
import decimal
import gc
import locale
import os
import random
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from kael.autograd import is_grad_enabled, set_grad_enabled

__all__ = ["Guarded", "Tampered", "kept"]

GUARDED = ("__main__", "builtins", "math", "operator", "numpy", "pytest", "_pytest.outcomes", "kael", "chapters")
"""Modules, with those below kael and chapters, whose functions and classes checks rely on."""

CLOSE = ("kael.testing", "chapters.flat")
"""Modules of which everything is looked after, also what cannot be called."""
CLASSES = (*CLOSE, "kael.exercises", "__main__")
"""Modules whose classes are looked after method by method."""


class Tampered(Exception):
    """An answer replaced something that the checks rely on."""


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Put back at the end what code can change for whoever runs after it in the same process.

    Folder, environment, import path and modules, streams, signal handlers, random numbers, NumPy's settings, warnings,
    recursion limit, decimals, garbage collection, hooks and whether gradients are recorded.
    """
    folder = os.getcwd()  # noqa: PTH109
    environment = dict(os.environ)
    kept_lists: list[Any] = [sys.path, sys.meta_path, sys.path_hooks, sys.argv, warnings.filters]
    lists = [(target, list(target)) for target in kept_lists]
    modules = dict(sys.modules)
    named = {
        name: getattr(sys, name)
        for name in (
            "stdin",
            "stdout",
            "stderr",
            "__stdin__",
            "__stdout__",
            "__stderr__",
            "excepthook",
            "unraisablehook",
        )
    }
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    numbers, legacy = random.getstate(), np.random.get_state()
    errors, printing = np.geterr(), np.get_printoptions()
    limit, switch, collecting = sys.getrecursionlimit(), sys.getswitchinterval(), gc.isenabled()
    decimals, hook, recorded = decimal.getcontext().copy(), threading.excepthook, is_grad_enabled()
    conventions = locale.setlocale(locale.LC_ALL)
    trace, profile = sys.gettrace(), sys.getprofile()
    try:
        yield
    finally:
        if sys.gettrace() is not trace:  # a debugger's stays
            sys.settrace(trace)
        if sys.getprofile() is not profile:
            sys.setprofile(profile)
        sys.setrecursionlimit(limit)
        sys.setswitchinterval(switch)
        with contextlib.suppress(OSError):
            os.chdir(folder)
        if dict(os.environ) != environment:
            os.environ.clear()
            os.environ.update(environment)
        for target, content in lists:
            if list(target) != content:
                target[:] = content
        for name, module in modules.items():
            if sys.modules.get(name) is not module:
                sys.modules[name] = module
        for name, value in named.items():
            setattr(sys, name, value)
        for number, handler in handlers.items():
            if handler is not None and signal.getsignal(number) is not handler:
                signal.signal(number, handler)
        random.setstate(numbers)
        np.random.set_state(legacy)
        np.seterr(**errors)
        np.set_printoptions(**printing)
        (gc.enable if collecting else gc.disable)()
        decimal.setcontext(decimals)
        threading.excepthook = hook
        set_grad_enabled(recorded)
        if locale.setlocale(locale.LC_ALL) != conventions:
            locale.setlocale(locale.LC_ALL, conventions)


class Guarded:
    """The functions and classes that checks rely on, as they were before any answer ran.

    Of some modules everything is looked after, of the others what can be called.
    """

    def __init__(self) -> None:
        self.names: dict[str, tuple[ModuleType, dict[str, Any]]] = {}
        self.codes: dict[str, tuple[FunctionType, Any]] = {}
        self.classes: dict[str, tuple[type, dict[str, Any]]] = {}
        self.tables: dict[str, tuple[dict[Any, Any], dict[Any, Any]]] = {}
        for name, module in list(sys.modules.items()):
            if isinstance(module, ModuleType) and (name in GUARDED or name.partition(".")[0] in ("kael", "chapters")):
                self.add(name, module)

    def add(self, name: str, module: ModuleType) -> None:
        """Look after one more module."""
        close = name.startswith(CLOSE)
        entries = {key: value for key, value in vars(module).items() if callable(value) or close}
        self.names[name] = (module, entries)
        for key, value in entries.items():
            if getattr(value, "__module__", None) == name:
                if isinstance(value, FunctionType):
                    self.codes[f"{name}.{key}"] = (value, value.__code__)
                elif isinstance(value, type) and name.startswith(CLASSES):
                    self.classes[f"{name}.{key}"] = (value, dict(vars(value)))
            elif close and type(value) is dict and key.isupper():
                self.tables[f"{name}.{key}"] = (value, dict(value))

    def changed(self) -> list[str]:
        """What is not what it was, put back on the way."""
        found = []
        for name, (module, before) in self.names.items():
            now = vars(module)
            for key, value in before.items():
                if now.get(key) is not value:
                    found.append(f"{name}.{key}")
                    now[key] = value
            if name.startswith(CLOSE):
                for key in now.keys() & _BUILTINS - before.keys():
                    found.append(f"{name}.{key}")
                    del now[key]
        for name, (function, code) in self.codes.items():
            if function.__code__ is not code:
                found.append(name)
                function.__code__ = code
        for name, (kind, attributes) in self.classes.items():
            for key, value in attributes.items():
                if vars(kind).get(key) is not value:
                    found.append(f"{name}.{key}")
                    setattr(kind, key, value)
        for name, (table, content) in self.tables.items():
            if table != content:
                found.append(name)
                table.clear()
                table.update(content)
        return found


_BUILTINS = frozenset(vars(builtins))
