"""A heap in small: blocks are given back one by one, holes are listed, and the first hole with room is taken.

It hands out offsets and no bytes, since what it is here to show are positions: how holes come about, and why free
bytes are not the same as room.
"""

from __future__ import annotations

from bisect import insort

__all__ = ["FirstFit"]


class FirstFit:
    """An allocator over `capacity` bytes whose blocks can be freed in any order.

    Parameters
    ----------
    capacity : int
        How many bytes there are.
    grain : int
        Every block is rounded up to a multiple of it.
    merge : bool
        Join a freed block with the holes beside it. A switch, so that one can see what happens without.

    Attributes
    ----------
    blocks : dict of int to int
        Size of every block that is in use, by its offset.
    holes : list of (int, int)
        Offset and size of every hole, by rising offset.
    top : int
        The high water mark: the largest end that a block ever had.

    Examples
    --------
    >>> heap = FirstFit(48, grain=1)
    >>> [heap.allocate(16) for _ in range(3)]
    [0, 16, 32]
    >>> heap.free(0)
    >>> heap.free(32)
    >>> heap.allocate(32)
    Traceback (most recent call last):
    MemoryError: FirstFit: no hole of 32 bytes; 32 are free in 2 holes, the largest of 16
    """

    def __init__(self, capacity: int, grain: int = 64, merge: bool = True) -> None:
        self.grain = grain
        self.merge = merge
        self.blocks: dict[int, int] = {}
        self.holes = [(0, capacity)]
        self.top = 0

    # region [first fit]
    def allocate(self, nbytes: int) -> int:
        """The offset of a block of `nbytes` bytes, in the first hole that has room.

        Raises
        ------
        MemoryError
            When no hole has room, however many bytes are free.
        ValueError
            For less than one byte: two such blocks would begin at one offset.
        """
        if nbytes < 1:
            raise ValueError(f"FirstFit: nbytes is {nbytes}; it must be at least 1")
        size = -(-nbytes // self.grain) * self.grain
        for place, (offset, room) in enumerate(self.holes):
            if room >= size:
                rest = [(offset + size, room - size)] if room > size else []
                self.holes[place : place + 1] = rest
                self.blocks[offset] = size
                self.top = max(self.top, offset + size)
                return offset
        raise MemoryError(
            f"FirstFit: no hole of {size} bytes; {self.free_bytes} are free in {len(self.holes)} holes, "
            f"the largest of {self.largest_hole}"
        )

    def free(self, offset: int) -> None:
        """Give a block back.

        Raises
        ------
        ValueError
            When no block begins there.
        """
        if offset not in self.blocks:
            raise ValueError(f"FirstFit.free: no block begins at {offset}; it was freed already or never handed out")
        insort(self.holes, (offset, self.blocks.pop(offset)))
        if self.merge:
            joined = self.holes[:1]
            for start, size in self.holes[1:]:
                before, room = joined[-1]
                if before + room == start:
                    joined[-1] = before, room + size
                else:
                    joined.append((start, size))
            self.holes = joined

    # endregion [first fit]

    @property
    def free_bytes(self) -> int:
        """Bytes in all holes together."""
        return sum(size for _, size in self.holes)

    @property
    def largest_hole(self) -> int:
        """Bytes of the largest hole: what a single request can get."""
        return max((size for _, size in self.holes), default=0)
