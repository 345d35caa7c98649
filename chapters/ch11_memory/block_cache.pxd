"""A cache of freed blocks, by size and by age: what `empty` hands out again before it asks the system for pages.

Everything here runs with the interpreter's lock held, which is what keeps it whole among threads: NumPy takes and
frees the memory of arrays under it, and a module that does not ask for free threading gets it on every interpreter.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uintptr_t
from libc.string cimport memset

cdef enum:
    LINE = 64  # bytes that a processor fetches at once, and to which every block is aligned
    STEPS = 8  # sizes between one power of two and the next
    SIZES = 64 * STEPS
    NEAR = 5  # sizes in which a free block is looked for: up to one half as large again

ctypedef void* (*take_memory)(void*, size_t) noexcept
ctypedef void (*give_memory)(void*, void*, size_t) noexcept


cdef struct Block:
    # Stands in the line before the bytes, so that a list of free blocks touches none of their pages.
    void* whole
    size_t nbytes
    Block* older
    Block* newer
    Block* below
    Block* above


cdef struct Cache:
    # Where memory comes from and goes to.
    void* context
    take_memory take
    give_memory give
    # Free blocks: a stack for each size, and all of them in one row by age.
    Block* top[SIZES]
    Block* oldest
    Block* newest
    # Bytes: of free blocks, of blocks in use, the most that were in use, the most that free ones may have.
    size_t held
    size_t used
    size_t peak
    size_t limit
    size_t hits
    size_t misses
    bint poison


# region [size classes]
cdef inline int size_class(size_t nbytes, size_t* rounded) noexcept:
    """Round a request up to one of eight sizes between powers of two, and number that size."""
    cdef int shift = 0
    cdef size_t last = max(nbytes, <size_t> (STEPS + 1)) - 1
    while last >> shift >= 2 * STEPS:
        shift += 1
    rounded[0] = ((last >> shift) + 1) << shift
    return shift * STEPS + <int> (last >> shift) - STEPS
# endregion [size classes]


cdef inline Block* header(void* data) noexcept:
    """The description of a block, in the line before its bytes."""
    return <Block*> (<char*> data - LINE)


cdef inline void unlink(Cache* cache, Block* block) noexcept:
    """Take a free block out of its stack and out of the row."""
    cdef size_t rounded
    if block.above:
        block.above.below = block.below
    else:
        cache.top[size_class(block.nbytes, &rounded)] = block.below
    if block.below:
        block.below.above = block.above
    if block.newer:
        block.newer.older = block.older
    else:
        cache.newest = block.older
    if block.older:
        block.older.newer = block.newer
    else:
        cache.oldest = block.newer
    cache.held -= block.nbytes


cdef inline void keep(Cache* cache, Block* block) noexcept:
    """Lay a free block on the stack of its size: the last one freed, still warm, is the first to be used again."""
    cdef size_t rounded
    cdef int place = size_class(block.nbytes, &rounded)
    block.above = NULL
    block.below = cache.top[place]
    if block.below:
        block.below.above = block
    cache.top[place] = block
    block.newer = NULL
    block.older = cache.newest
    if block.older:
        block.older.newer = block
    else:
        cache.oldest = block
    cache.newest = block
    cache.held += block.nbytes


cdef inline void give_back(Cache* cache, Block* block) noexcept:
    """Return the memory of a block that is in no list."""
    cache.give(cache.context, block.whole, block.nbytes + 2 * LINE)


cdef inline void shrink(Cache* cache, size_t bound) noexcept:
    """Return free blocks, the oldest first, until they have no more bytes than the bound."""
    cdef Block* block
    while cache.held > bound:
        block = cache.oldest
        unlink(cache, block)
        give_back(cache, block)


cdef inline Block* fresh_block(Cache* cache, size_t nbytes) noexcept:
    """A block of new memory; NULL where there is none."""
    cdef void* whole = cache.take(cache.context, nbytes + 2 * LINE)
    cdef Block* block
    if whole == NULL:
        return NULL
    # At most a line is lost in front of the header, and the bytes behind it begin at a multiple of a line.
    block = <Block*> ((<uintptr_t> whole + LINE - 1) & ~<uintptr_t> (LINE - 1))
    block.whole = whole
    block.nbytes = nbytes
    return block


# region [take a block]
cdef inline void* take_block(Cache* cache, size_t nbytes) noexcept:
    """The bytes of a block of at least so many: one that was used before, or new memory; NULL where there is none."""
    cdef size_t rounded, room
    cdef int place = size_class(nbytes, &rounded), step
    cdef Block* block = NULL
    for step in range(NEAR):
        block = cache.top[place + step]
        if block:
            unlink(cache, block)
            cache.hits += 1
            break
    else:
        # Blocks in use and free ones together never pass the most that was in use at once.
        room = cache.used + rounded
        room = cache.peak - room if cache.peak > room else 0
        shrink(cache, min(room, cache.limit))
        block = fresh_block(cache, rounded)
        if block == NULL:
            shrink(cache, 0)
            block = fresh_block(cache, rounded)
            if block == NULL:
                return NULL
        cache.misses += 1
    cache.used += block.nbytes
    cache.peak = max(cache.peak, cache.used)
    return <char*> block + LINE
# endregion [take a block]


cdef inline void free_block(Cache* cache, void* data) noexcept:
    """Keep a block that nobody uses any more, or return it where the cache may not hold as much."""
    cdef Block* block = header(data)
    cache.used -= block.nbytes
    if block.nbytes > cache.limit:
        give_back(cache, block)
        return
    if cache.poison:
        memset(data, 0xff, block.nbytes)  # a nan in every floating-point type
    shrink(cache, cache.limit - block.nbytes)
    keep(cache, block)
