"""Rung 3, the twin: fresh arrays through NumPy's C interface, and the arena as C fields."""

cimport cython
cimport numpy as cnp
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_New
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset, strcpy

from chapters.ch11_memory.block_cache cimport Cache, free_block, header, shrink, take_block

import operator

import numpy as np

from chapters.ch07_broadcasting.spec import broadcast_shapes
from chapters.ch11_memory.checks import check_align, check_requests, check_sizes, no_room

cnp.import_array()

__all__ = [
    "Allocation", "Arena", "bump_offsets", "cache_counts", "empty", "empty_cache", "empty_for", "heap_addresses",
    "limit_cache",
]

cdef enum:
    LARGEST_ALIGNMENT = 64
    LARGEST_NDIM = 64
    LEAST_CACHED = 1 << 17  # bytes; measured in decision 0012

cdef extern from "numpy/arrayobject.h":
    ctypedef struct PyDataMemAllocator:
        void* ctx
        void* (*malloc)(void*, size_t) noexcept
        void* (*calloc)(void*, size_t, size_t) noexcept
        void* (*realloc)(void*, void*, size_t) noexcept
        void (*free)(void*, void*, size_t) noexcept
    ctypedef struct PyDataMem_Handler:
        char name[127]
        unsigned char version
        PyDataMemAllocator allocator
    object PyDataMem_SetHandler(object handler)
    PyObject* PyDataMem_DefaultHandler


# region [empty]
def empty(tuple shape not None, cnp.dtype dtype not None):
    """A fresh row-major array of this shape and dtype; its elements are whatever the memory held."""
    cdef cnp.npy_intp sizes[LARGEST_NDIM]
    cdef Py_ssize_t axis, ndim = len(shape)
    if ndim > LARGEST_NDIM:
        raise ValueError(f"empty: shape has {ndim} axes; an array has at most {LARGEST_NDIM}")
    for axis in range(ndim):
        sizes[axis] = shape[axis]
        if sizes[axis] < 0:
            raise ValueError(f"empty: shape {shape} has a negative size")
    return made(<int> ndim, sizes, dtype)
# endregion [empty]


def empty_for(cnp.ndarray x not None, cnp.ndarray y not None, cnp.dtype dtype not None):
    """A fresh row-major array of the shape that two operands share once they are broadcast."""
    cdef int back, own_ndim = cnp.PyArray_NDIM(x), other_ndim = cnp.PyArray_NDIM(y)
    cdef int ndim = max(own_ndim, other_ndim)
    cdef const cnp.npy_intp* own_sizes = cnp.PyArray_DIMS(x)
    cdef const cnp.npy_intp* other_sizes = cnp.PyArray_DIMS(y)
    cdef cnp.npy_intp own, other
    cdef cnp.npy_intp sizes[LARGEST_NDIM]
    for back in range(1, ndim + 1):
        own = own_sizes[own_ndim - back] if back <= own_ndim else 1
        other = other_sizes[other_ndim - back] if back <= other_ndim else 1
        if own != other and own != 1 and other != 1:
            broadcast_shapes((<object> x).shape, (<object> y).shape)  # raises, in the words of every rung
        sizes[ndim - back] = other if own == 1 else own
    return made(ndim, sizes, dtype)


cdef inline made(int ndim, cnp.npy_intp* sizes, cnp.dtype dtype):
    """The array: of NumPy's own memory, or where it is large of memory that the cache keeps."""
    cdef size_t nbytes = dtype.itemsize
    cdef int axis
    for axis in range(ndim):
        nbytes *= <size_t> sizes[axis]
    if nbytes >= LEAST_CACHED and cache.limit:
        return made_of_block(ndim, sizes, dtype, nbytes)
    return cnp.PyArray_EMPTY(ndim, sizes, dtype.type_num, 0)


cdef made_of_block(int ndim, cnp.npy_intp* sizes, cnp.dtype dtype, size_t nbytes):
    """An array whose memory comes from the cache and goes back there when the last view on it is gone."""
    cdef size_t held = cache.held
    others = PyDataMem_SetHandler(blocks_handler)
    try:
        if <PyObject*> others == PyDataMem_DefaultHandler:
            return cnp.PyArray_EMPTY(ndim, sizes, dtype.type_num, 0)
    except MemoryError:
        raise MemoryError(
            f"empty: no memory for {nbytes} bytes; {cache.used} bytes of large results are in use, and {held} that "
            "were held for reuse went back to the system first"
        ) from None
    finally:
        PyDataMem_SetHandler(others)
    return cnp.PyArray_EMPTY(ndim, sizes, dtype.type_num, 0)  # whoever set a handler meant these arrays too


cdef Cache cache
cdef PyDataMem_Handler blocks  # NumPy calls these four with the interpreter's lock held


cdef void* malloc_block(void* context, size_t nbytes) noexcept:
    return take_block(&cache, nbytes)


cdef void* calloc_block(void* context, size_t count, size_t size) noexcept:
    cdef void* data = take_block(&cache, count * size)
    if data:
        memset(data, 0, count * size)
    return data


cdef void* realloc_block(void* context, void* data, size_t nbytes) noexcept:
    cdef void* moved = take_block(&cache, nbytes)
    if moved:
        memcpy(moved, data, min(nbytes, header(data).nbytes))
        free_block(&cache, data)
    return moved


cdef void release_block(void* context, void* data, size_t nbytes) noexcept:
    free_block(&cache, data)


cdef connect():
    """Lay the cache over NumPy's own allocator, and make it one that NumPy can be told to use."""
    cdef PyDataMem_Handler* under = <PyDataMem_Handler*> PyCapsule_GetPointer(
        <object> PyDataMem_DefaultHandler, "mem_handler"
    )
    cache.context = under.allocator.ctx
    cache.take = under.allocator.malloc
    cache.give = under.allocator.free
    strcpy(blocks.name, "kael_blocks")
    blocks.version = 1
    blocks.allocator = PyDataMemAllocator(NULL, malloc_block, calloc_block, realloc_block, release_block)
    return PyCapsule_New(&blocks, "mem_handler", NULL)


cdef object blocks_handler = connect()


def limit_cache(size_t nbytes, bint poison=False):
    """Hold at most so many bytes of large freed results; `poison` fills what is freed with bytes of 255."""
    cache.limit = nbytes
    cache.poison = poison
    shrink(&cache, nbytes)


def empty_cache():
    """Give back what is held for reuse, and count anew what is in use at most."""
    shrink(&cache, 0)
    cache.peak = cache.used


def cache_counts():
    """Bytes held, in use, in use at most, and the limit; requests served from what was held, and the others."""
    return cache.held, cache.used, cache.peak, cache.limit, cache.hits, cache.misses


cdef cnp.ndarray packed(str op, cnp.ndarray sizes, cnp.ndarray out, int64_t least):
    """The sizes of requests without gaps between the elements, once they are checked."""
    check_requests(op, sizes, out)
    cdef cnp.ndarray requests = np.ascontiguousarray(sizes)
    cdef const int64_t* size = <int64_t*> cnp.PyArray_DATA(requests)
    cdef Py_ssize_t k
    for k in range(requests.size):
        if size[k] < least:
            check_sizes(op, sizes, least)  # raises, in the words of every rung
    return requests


def bump_offsets(cnp.ndarray sizes not None, align, cnp.ndarray out not None):
    """Where requests lie in one block of an arena: each at the first multiple of `align` behind the one before."""
    cdef cnp.ndarray requests = packed("bump_offsets", sizes, out, 0), offsets = np.empty(sizes.size, np.int64)
    align = operator.index(align)
    check_align("bump_offsets", align)
    bump(<int64_t*> cnp.PyArray_DATA(requests), requests.size, align, <int64_t*> cnp.PyArray_DATA(offsets))
    out[...] = offsets


cdef void bump(const int64_t* requests, Py_ssize_t count, int64_t align, int64_t* offsets) noexcept nogil:
    # region [bump loop]
    cdef int64_t offset, used = 0
    cdef Py_ssize_t k
    for k in range(count):
        offset = (used + align - 1) & -align
        offsets[k] = offset
        used = offset + requests[k]
    # endregion [bump loop]


def heap_addresses(cnp.ndarray sizes not None, cnp.ndarray out not None):
    """Ask the heap for every block in order, note in `out` at which addresses they lie, and give all of them back."""
    cdef cnp.ndarray requests = packed("heap_addresses", sizes, out, 1), addresses = np.empty(sizes.size, np.int64)
    cdef const int64_t* size = <int64_t*> cnp.PyArray_DATA(requests)
    cdef int64_t* address = <int64_t*> cnp.PyArray_DATA(addresses)
    cdef Py_ssize_t got = heap(size, requests.size, address)
    if got < requests.size:
        raise no_room(size[got])
    out[...] = addresses


# region [heap]
cdef Py_ssize_t heap(const int64_t* requests, Py_ssize_t count, int64_t* addresses) noexcept nogil:
    """How many blocks the heap had; all are free again."""
    cdef Py_ssize_t k, got = 0
    while got < count:
        addresses[got] = <int64_t> malloc(requests[got])
        if addresses[got] == 0:
            break
        got += 1
    for k in range(got):
        free(<void*> addresses[k])
    return got
# endregion [heap]


@cython.final
@cython.freelist(64)
cdef class Allocation:
    """Bytes that an arena handed out: good until the arena's next reset."""

    cdef Arena _arena
    cdef Py_ssize_t _block, _start
    cdef readonly Py_ssize_t offset, nbytes, generation

    def view(self):
        """The bytes themselves, writable and without a copy; RuntimeError when the arena was reset since."""
        if self.generation != self._arena.generation:
            raise RuntimeError(
                f"Arena: this allocation is of generation {self.generation} but the arena is at "
                f"{self._arena.generation}; reset() took its bytes back"
            )
        return self._arena.block(self._block)[self._start:self._start + self.nbytes]


@cython.final
cdef class Arena:
    """A bump allocator: allocations move one position forward, and `reset` takes them all back at once."""

    cdef list _blocks, _ends
    cdef Py_ssize_t _current, _first, _end  # the block in use, and the positions where it begins and ends
    cdef readonly Py_ssize_t capacity, generation, peak, used

    def __init__(self, Py_ssize_t capacity=4096):
        if capacity < 1:
            raise ValueError(f"Arena: capacity is {capacity}; it must be at least 1 byte")
        self._blocks, self._ends = [], []
        self.capacity = self.generation = self.used = self.peak = 0
        self._grow(capacity)
        self._enter(0)

    def allocate(self, Py_ssize_t nbytes, Py_ssize_t align=16):
        """The next `nbytes` bytes, at an offset that `align`, a power of two up to 64, divides."""
        if nbytes < 0:
            raise ValueError(f"Arena.allocate: nbytes is {nbytes}; it cannot be negative")
        if align < 1 or align > LARGEST_ALIGNMENT or align & (align - 1):
            check_align("Arena.allocate", align)  # raises, in the words of every rung
        cdef Py_ssize_t offset = (self.used + align - 1) & -align
        while offset + nbytes > self._end:
            offset = self._end
            if self._current + 1 == len(self._blocks):
                self._grow(max(self.capacity, nbytes))
            self._enter(self._current + 1)
        self.used = offset + nbytes
        self.peak = max(self.peak, self.used)
        cdef Allocation made = Allocation.__new__(Allocation)
        made._arena = self
        made._block = self._current
        made._start = offset - self._first
        made.offset = offset
        made.nbytes = nbytes
        made.generation = self.generation
        return made

    def reset(self):
        """Take back every allocation at once, in constant time; the blocks stay for the next round."""
        self.used = 0
        self.generation += 1
        self._enter(0)

    def block(self, Py_ssize_t index):
        """All the bytes of one block."""
        return memoryview(self._blocks[index])

    cdef _enter(self, Py_ssize_t index):
        """Make a block the one in use."""
        self._current = index
        self._first = self._ends[index - 1] if index else 0
        self._end = self._ends[index]

    cdef _grow(self, Py_ssize_t nbytes):
        """Chain a block of at least `nbytes` bytes on, at an address that 64 divides."""
        cdef Py_ssize_t size = (nbytes + LARGEST_ALIGNMENT - 1) & -LARGEST_ALIGNMENT
        cdef cnp.ndarray raw = np.empty(size + LARGEST_ALIGNMENT, np.uint8)
        cdef Py_ssize_t first = -(<Py_ssize_t> cnp.PyArray_DATA(raw)) & (LARGEST_ALIGNMENT - 1)
        self._blocks.append(raw[first:first + size])
        self.capacity += size
        self._ends.append(self.capacity)
