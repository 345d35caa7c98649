"""Which tensor of a training step lives from when until when, and how many bytes that makes at each moment."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

__all__ = ["Life", "Operation", "lifetimes", "live_bytes"]

FLOAT32 = 4


class Operation(NamedTuple):
    """One line of a program: what it makes, of which shape, and what it reads."""

    makes: str
    shape: tuple[int, ...]
    reads: tuple[str, ...]


class Life(NamedTuple):
    """One tensor: the moment that makes it, the last moment that reads it, and its bytes."""

    name: str
    nbytes: int
    born: int
    last: int


# region [lifetimes]
def lifetimes(program: Sequence[Operation]) -> list[Life]:
    """The life of every float32 tensor that the program makes, moments counted from 1.

    A tensor that nothing reads lives until the program ends: somebody wanted it. Names that no line makes, such as
    weights, were there before and are not counted. A name that two lines make is a ValueError.

    Examples
    --------
    >>> program = [Operation("a", (2, 3), ()), Operation("b", (3,), ("a",)), Operation("c", (), ())]
    >>> lifetimes(program)[0], lifetimes(program)[1]
    (Life(name='a', nbytes=24, born=1, last=2), Life(name='b', nbytes=12, born=2, last=3))
    """
    made: set[str] = set()
    for moment, line in enumerate(program, 1):
        if line.makes in made:
            raise ValueError(f"lifetimes: line {moment} makes {line.makes} again; give each result a name of its own")
        made.add(line.makes)
    last = {name: moment for moment, line in enumerate(program, 1) for name in line.reads}
    return [
        Life(line.makes, prod(line.shape) * FLOAT32, born, last.get(line.makes, len(program)))
        for born, line in enumerate(program, 1)
    ]


def live_bytes(lives: Sequence[Life], moment: int) -> int:
    """Bytes of all tensors that are there during a moment: what it reads, what it makes, what is still wanted."""
    return sum(life.nbytes for life in lives if life.born <= moment <= life.last)


# endregion [lifetimes]
