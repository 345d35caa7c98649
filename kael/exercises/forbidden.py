"""Functions that an exercise rules out: whoever calls one all the same is told so by an error."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from kael.exercises import LibraryCalled

__all__ = ["Factor", "forbidden", "now"]

_RULED_OUT: list[str] = []


@contextmanager
def forbidden(*names: str) -> Iterator[None]:
    """Rule out functions of modules, such as ``"math.exp"``, while an answer runs.

    It holds in the answer's process too where that is another one.

    Raises
    ------
    LibraryCalled
        In the answer, when it calls one of them.

    Examples
    --------
    >>> import math
    >>> with forbidden("math.exp"):
    ...     math.exp(1.0)
    Traceback (most recent call last):
    ...
    kael.exercises.LibraryCalled: math.exp
    """
    before = list(_RULED_OUT)
    kept = []
    for name in names:
        module, _, function = name.rpartition(".")
        owner = importlib.import_module(module)
        kept.append((owner, function, getattr(owner, function)))
        setattr(owner, function, _refusing(name))
    _RULED_OUT.extend(names)
    try:
        yield
    finally:
        _RULED_OUT[:] = before
        for owner, function, original in kept:
            setattr(owner, function, original)


def now() -> list[str]:
    """What is ruled out at the moment."""
    return list(_RULED_OUT)


def _refusing(name: str) -> Any:
    def refuse(*arguments: Any, **named: Any) -> Any:
        raise LibraryCalled(name)

    return refuse


class Factor(np.ndarray[Any, Any]):
    """A matrix that does not let NumPy multiply it as a whole.

    Examples
    --------
    >>> a = np.ones((2, 2)).view(Factor)
    >>> float(a[0, 0] * a[0, 1])
    1.0
    >>> a @ a
    Traceback (most recent call last):
    ...
    kael.exercises.LibraryCalled: numpy.matmul
    """

    def __array_ufunc__(self, ufunc: Any, method: str, *operands: Any, **options: Any) -> Any:
        """Every function of elements but the product of matrices."""
        if ufunc is np.matmul:
            raise LibraryCalled("numpy.matmul")
        plain = (x.view(np.ndarray) if isinstance(x, Factor) else x for x in operands)
        return getattr(ufunc, method)(*plain, **options)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        """Every function of arrays but those that are products of matrices."""
        if function.__name__ in ("dot", "einsum", "inner", "tensordot", "vdot"):
            raise LibraryCalled(f"numpy.{function.__name__}")
        return super().__array_function__(function, types, arguments, options)

    def dot(self, *arguments: Any, **options: Any) -> Any:
        """No product either."""
        raise LibraryCalled("numpy.ndarray.dot")
