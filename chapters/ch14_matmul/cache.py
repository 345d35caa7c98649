"""A model of a cache: which reads and writes find their line there, and which have to wait for memory."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["Cache", "misses"]


# region [cache]
class Cache:
    """Lines of memory that were used last, in sets that hold so many each.

    Parameters
    ----------
    size : int
        Bytes that fit.
    line : int
        Bytes that are fetched together.
    ways : int, optional
        Lines in a set; when left out there is one set, and any line can
        stand anywhere.

    Raises
    ------
    ValueError
        When the size does not make whole sets of whole lines.

    Examples
    --------
    >>> cache = Cache(128, line=64)
    >>> [cache.touch(address) for address in (0, 4, 64, 128, 4)]
    ['miss', 'hit', 'miss', 'miss', 'miss']
    """

    def __init__(self, size: int, line: int = 64, ways: int | None = None) -> None:
        lines = size // line
        self.line = line
        self.ways = lines if ways is None else ways
        if lines < 1 or self.ways < 1 or size % (line * self.ways):
            raise ValueError(f"Cache: {size} bytes are no whole sets of {self.ways} lines of {line}")
        self.sets: list[dict[int, None]] = [{} for _ in range(lines // self.ways)]
        self.misses = 0

    def touch(self, address: int) -> str:
        """Read or write a byte: a hit, or a miss and its line moves in."""
        line = address // self.line
        held = self.sets[line % len(self.sets)]
        found = line in held
        if found:
            del held[line]
        elif len(held) == self.ways:
            del held[next(iter(held))]  # the first in is the oldest
        held[line] = None
        self.misses += not found
        return "hit" if found else "miss"


# endregion [cache]


# region [misses]
def misses(
    walk: Iterable[tuple[int, int, int]],
    columns: int,
    inner: int,
    cache: Cache,
    size: int = 4,
) -> list[int]:
    """Misses of A, B and C on a walk over (i, j, k).

    Parameters
    ----------
    walk : iterable of (i, j, k)
        The multiplications in their order.
    columns, inner : int
        Columns of C and of A; all three matrices are row-major.
    cache : Cache
        Is used up.
    size : int
        Bytes of a number.

    Notes
    -----
    The matrices lie far from each other, each at the start of a line.
    """
    far = 1 << 40
    counts = [0, 0, 0]
    for i, j, k in walk:
        places = (i * inner + k, k * columns + j, i * columns + j)
        for operand, place in enumerate(places):
            found = cache.touch(operand * far + place * size)
            counts[operand] += found == "miss"
    return counts


# endregion [misses]
