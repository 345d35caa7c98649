"""Rung 1: fresh buffers and the heap (11.1), and an arena that gives all its memory back in constant time (11.2).

An arena is a row of blocks and one number, the position of its next free byte. To allocate is to move the position
forward; to reset is to put it back to zero, whatever was allocated. No allocation is ever freed alone: that is what
makes it cheap, and why a computation graph that dies as a whole suits it.
"""

from __future__ import annotations

from array import array
from math import prod
from operator import index
from typing import Any

from chapters.ch07_broadcasting.spec import broadcast_shapes
from chapters.ch11_memory.checks import LARGEST_ALIGNMENT, check_align, check_requests, check_sizes, no_room
from chapters.flat import Buffer, store, values
from chapters.flat import shape as shape_of

__all__ = [
    "Allocation", "Arena", "bump_offsets", "cache_counts", "empty", "empty_cache", "empty_for", "heap_addresses",
    "limit_cache",
]  # fmt: skip

LARGEST_NDIM = 64


def require_shape(shape: tuple[int, ...]) -> None:
    """Raise ValueError unless an array can have this shape."""
    if len(shape) > LARGEST_NDIM:
        raise ValueError(f"empty: shape has {len(shape)} axes; an array has at most {LARGEST_NDIM}")
    for size in shape:
        if size < 0:
            raise ValueError(f"empty: shape {shape} has a negative size")


def empty(shape: tuple[int, ...], dtype: Any) -> Any:
    """A fresh row-major buffer of this shape and element type; what it holds is not part of the promise.

    Parameters
    ----------
    shape : tuple of int
        Sizes of the axes, none negative.
    dtype : numpy.dtype, or one of the type codes ``f d q ?``
        The element type. A NumPy dtype gives a NumPy array, a type code (this rung alone) a `Buffer`.

    Returns
    -------
    numpy.ndarray or Buffer
        Row-major and writable.

    Raises
    ------
    ValueError
        When a size is negative, or there are more than 64 axes.

    Examples
    --------
    >>> empty((2, 3), "f").shape
    (2, 3)
    """
    require_shape(shape)
    if isinstance(dtype, str):
        return Buffer.full(0, shape, dtype)
    return dtype.type(0).repeat(prod(shape)).reshape(shape)


def empty_for(x: Any, y: Any, dtype: Any) -> Any:
    """A fresh row-major buffer of the shape that two operands share once they are broadcast.

    Parameters
    ----------
    x, y : numpy.ndarray, Buffer or sequence
        The operands; only their shapes are read.
    dtype : numpy.dtype, or one of the type codes ``f d q ?``
        The element type, as for `empty`.

    Returns
    -------
    numpy.ndarray or Buffer
        Row-major and writable.

    Raises
    ------
    ValueError
        When the shapes do not broadcast.

    Examples
    --------
    >>> empty_for(Buffer([1, 2, 3], (1, 3)), Buffer([1, 2], (2, 1)), "f").shape
    (2, 3)
    """
    return empty(broadcast_shapes(shape_of(x), shape_of(y)), dtype)


def limit_cache(nbytes: int, poison: bool = False) -> None:
    """Hold at most `nbytes` bytes of large freed results, to use them again; this rung holds none in any case.

    Parameters
    ----------
    nbytes : int
        The limit; 0 switches the cache off.
    poison : bool
        Fill what is freed with bytes of 255, a nan in every floating-point type, so that a use after it shows.

    Notes
    -----
    On rung 3 arrays of `empty` and `empty_for` from 128 KiB on take part. What is held and what is in use together
    never pass the most that was in use at once.
    """


def empty_cache() -> None:
    """Give back what is held for reuse, and count anew what is in use at most."""


def cache_counts() -> tuple[int, int, int, int, int, int]:
    """Bytes held, in use, in use at most, and the limit; requests served from what was held, and the others.

    Examples
    --------
    >>> cache_counts()
    (0, 0, 0, 0, 0, 0)
    """
    return 0, 0, 0, 0, 0, 0


def bump_offsets(sizes: Any, align: int, out: Any) -> None:
    """Where requests lie in one block of an arena: ``out[k]`` is the first multiple of `align` behind request k - 1.

    Parameters
    ----------
    sizes : int64, shape (n,)
        Bytes of each request, in order.
    align : int
        A power of two up to 64.
    out : int64, shape (n,)
        The offsets.

    Raises
    ------
    TypeError
        When an array is not int64.
    ValueError
        When a shape is wrong, a size is negative, or `align` is not such a power.

    Examples
    --------
    >>> offsets = [0, 0, 0]
    >>> bump_offsets([10, 100, 24], 64, offsets)
    >>> offsets
    [0, 64, 192]
    """
    check_requests("bump_offsets", sizes, out)
    check_sizes("bump_offsets", sizes, least=0)
    align = index(align)
    check_align("bump_offsets", align)
    # region [bump loop]
    requests: list[Any] = values(sizes)
    offsets = []
    used = 0
    for nbytes in requests:
        offset = (used + align - 1) & -align
        offsets.append(offset)
        used = offset + nbytes
    store(out, offsets)
    # endregion [bump loop]


def heap_addresses(sizes: Any, out: Any) -> None:
    """Ask the heap for every block in order, note in `out` at which addresses they lie, and give all of them back.

    Parameters
    ----------
    sizes : int64, shape (n,)
        Bytes of each block, at least 1.
    out : int64, shape (n,)
        The addresses: differently at each run.

    Raises
    ------
    TypeError
        When an array is not int64.
    ValueError
        When a shape is wrong or a size is below 1.
    MemoryError
        When the heap has no such block.

    Notes
    -----
    No byte of a block is written, except that this rung can only have blocks of zeros.

    Examples
    --------
    >>> addresses = [0, 0]
    >>> heap_addresses([100, 100], addresses)
    >>> abs(addresses[1] - addresses[0]) >= 100
    True
    """
    check_requests("heap_addresses", sizes, out)
    check_sizes("heap_addresses", sizes, least=1)
    requests: list[Any] = values(sizes)
    blocks = []
    for nbytes in requests:
        try:
            blocks.append(array("B", b"\0") * nbytes)
        except MemoryError:
            raise no_room(nbytes) from None
    store(out, [block.buffer_info()[0] for block in blocks])


class Allocation:
    """Bytes that an arena handed out: good until the arena's next reset.

    Attributes
    ----------
    offset : int
        Position of the first byte, counted over all blocks of the arena.
    nbytes : int
        How many bytes it holds.
    generation : int
        The arena's generation when it was made.
    """

    __slots__ = ("_arena", "_block", "_start", "generation", "nbytes", "offset")

    def __init__(self, arena: Arena, block: int, start: int, offset: int, nbytes: int) -> None:
        self._arena = arena
        self._block = block
        self._start = start
        self.offset = offset
        self.nbytes = nbytes
        self.generation = arena.generation

    def view(self) -> memoryview:
        """The bytes themselves, writable and without a copy.

        Raises
        ------
        RuntimeError
            When the arena was reset since: the bytes may be someone else's by now.
        """
        # region [stale]
        if self.generation != self._arena.generation:
            raise RuntimeError(
                f"Arena: this allocation is of generation {self.generation} but the arena is at "
                f"{self._arena.generation}; reset() took its bytes back"
            )
        return self._arena.block(self._block)[self._start : self._start + self.nbytes]
        # endregion [stale]


class Arena:
    """A bump allocator: allocations move one position forward, and `reset` takes them all back at once.

    Parameters
    ----------
    capacity : int
        Bytes of the first block, rounded up to a multiple of 64.

    Attributes
    ----------
    used : int
        Position of the next free byte: bytes handed out since the last reset, with the gaps left by alignment and at
        the ends of blocks.
    peak : int
        The largest `used` there has been.
    capacity : int
        Bytes of all blocks together.
    generation : int
        How many times the arena was reset.

    Raises
    ------
    ValueError
        When the capacity is not positive.

    Notes
    -----
    `allocate` takes constant time, except when it grows the arena: then a block as large as all before it is chained
    on, so that n bytes need at most log2(n / capacity) + 1 blocks. `reset` takes constant time and keeps the blocks.

    Examples
    --------
    >>> arena = Arena(64)
    >>> first = arena.allocate(10)
    >>> second = arena.allocate(100)
    >>> first.offset, second.offset, arena.used, arena.capacity
    (0, 64, 164, 192)
    >>> arena.reset()
    >>> arena.used, arena.peak, arena.capacity
    (0, 164, 192)
    """

    __slots__ = ("_blocks", "_current", "_ends", "capacity", "generation", "peak", "used")

    def __init__(self, capacity: int = 4096) -> None:
        if capacity < 1:
            raise ValueError(f"Arena: capacity is {capacity}; it must be at least 1 byte")
        self._blocks: list[Any] = []
        self._ends: list[int] = []
        self._current = 0
        self.capacity = 0
        self.generation = 0
        self.used = 0
        self.peak = 0
        self._grow(capacity)

    def allocate(self, nbytes: int, align: int = 16) -> Allocation:
        """The next `nbytes` bytes, at an offset that `align` divides.

        Parameters
        ----------
        nbytes : int
            How many bytes; 0 is allowed.
        align : int
            A power of two up to 64.

        Raises
        ------
        ValueError
            When `nbytes` is negative or `align` is not such a power.
        """
        if nbytes < 0:
            raise ValueError(f"Arena.allocate: nbytes is {nbytes}; it cannot be negative")
        check_align("Arena.allocate", align)
        # region [bump]
        offset = (self.used + align - 1) & -align
        while offset + nbytes > self._ends[self._current]:
            offset = self._ends[self._current]
            if self._current + 1 == len(self._blocks):
                self._grow(max(self.capacity, nbytes))
            self._current += 1
        self.used = offset + nbytes
        self.peak = max(self.peak, self.used)
        start = offset - (self._ends[self._current - 1] if self._current else 0)
        return Allocation(self, self._current, start, offset, nbytes)
        # endregion [bump]

    # region [reset]
    def reset(self) -> None:
        """Take back every allocation at once, in constant time; the blocks stay for the next round."""
        self._current = 0
        self.used = 0
        self.generation += 1

    # endregion [reset]

    def block(self, index: int) -> memoryview:
        """All the bytes of one block."""
        return memoryview(self._blocks[index])

    # region [grow]
    def _grow(self, nbytes: int) -> None:
        """Chain a block of at least `nbytes` bytes on."""
        size = (nbytes + LARGEST_ALIGNMENT - 1) & -LARGEST_ALIGNMENT
        self._blocks.append(self._memory(size))
        self.capacity += size
        self._ends.append(self.capacity)

    # endregion [grow]

    def _memory(self, nbytes: int) -> Any:
        """Fresh memory for a block."""
        return bytearray(nbytes)
