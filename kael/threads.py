"""How many threads work on one large call, and how it is divided among them (decision 0013).

``KAEL_NUM_THREADS`` sets the number, 1 where it is not set; it is read once, at import. What a call computes does not
depend on it, not in one bit, unless NumPy's BLAS computes it.
"""

from __future__ import annotations

import operator
import os
from typing import Any

import numpy

from kael import blas, kernels

__all__ = ["get_num_threads", "set_num_threads"]


def get_num_threads() -> int:
    """How many threads work on one large call, the calling one among them.

    Examples
    --------
    >>> import kael
    >>> kael.get_num_threads() >= 1
    True
    """
    return _threads


def set_num_threads(num: int) -> None:
    """Let up to so many threads work on one large call, the calling one among them; results stay the same in every bit.

    Parameters
    ----------
    num : int
        At least 1, which is the default: then no thread is ever started.

    Raises
    ------
    RuntimeError
        When it is no integer or less than 1, as in PyTorch.

    Notes
    -----
    Only kernels that run on their Cython twin are divided, and only calls of about 100 µs or more. A thread that helped
    stays awake for some milliseconds: it takes longer to wake one up than a small call takes.

    Where products go to NumPy's BLAS (``KAEL_MATMUL=blas``, or chapter 14 on its NumPy rung), that has threads of its
    own. They are set as well if threadpoolctl is installed, for all of the process; else only the environment does it,
    with ``OPENBLAS_NUM_THREADS``. The bits of such products may depend on them.

    Examples
    --------
    >>> import kael
    >>> before = kael.get_num_threads()
    >>> kael.set_num_threads(2)
    >>> kael.get_num_threads()
    2
    >>> kael.set_num_threads(before)
    """
    global _threads
    if isinstance(num, (bool, numpy.bool_)):
        raise RuntimeError(f"set_num_threads expects an int, but got {type(num).__name__}")
    try:
        count = operator.index(num)
    except TypeError:
        raise RuntimeError(f"set_num_threads expects an int, but got {type(num).__name__}") from None
    if count < 1:
        raise RuntimeError(f"set_num_threads expects a positive integer, but got {count}")
    _threads = count
    kernels.wrap(door)
    if blas.in_use():
        blas.limit_threads(count)


def door(name: str, kernel: Any, rung: str) -> Any:
    """What stands in the table for a kernel: itself where one thread works, or where nothing can be divided."""
    if _threads > 1 and rung == "cython":
        from kael.dividing import divided  # here, so that `import kael` does not pay for it

        kernel = divided(name, kernel, _threads)
    return blas.chosen(name, kernel, rung) if name in blas.PRODUCTS else kernel


def number() -> int:
    """The number that the environment sets.

    Raises
    ------
    RuntimeError
        When it is no whole number from 1 on.
    """
    setting = os.environ.get("KAEL_NUM_THREADS", "1")
    if not (setting.isascii() and setting.isdecimal() and len(setting) < 10 and int(setting) > 0):
        raise RuntimeError(
            f"KAEL_NUM_THREADS={setting}: it must be a whole number of threads, from 1 on; without it there is 1"
        )
    return int(setting)


_threads = number()
if _threads > 1 or blas.in_use():
    kernels.wrap(door)
    if blas.in_use():
        blas.limit_threads(_threads)
