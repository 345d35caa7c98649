"""What a module says when it is asked for a name that PyTorch has and kael lacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn


def absent(module: str) -> Callable[[str], NoReturn]:
    """A module's ``__getattr__``, which names the module and what was asked for.

    Examples
    --------
    >>> absent("kael.nn")("Transformer")
    Traceback (most recent call last):
    AttributeError: kael does not have nn.Transformer; it follows PyTorch's names, and dir(kael.nn) lists those it has
    """

    def missing(name: str) -> NoReturn:
        where = module.partition(".")[2]
        raise AttributeError(
            f"kael does not have {where}.{name}; it follows PyTorch's names, and dir({module}) lists those it has"
        )

    return missing
