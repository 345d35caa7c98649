"""Fresh arrays, and the arena of section 11.2: offsets, growth, peak, and a reset that costs the same for any size."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.kernels.parity import DTYPES, layouts, outcome, parameters
from tests.kernels.rungs import load_rungs

RUNGS = load_rungs("ch11_memory")
REFERENCE = RUNGS["python"]


@pytest.fixture(params=RUNGS)
def rung(request: pytest.FixtureRequest) -> ModuleType:
    return RUNGS[request.param]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 3), (3, 0, 2), (1,) * 10])
def test_empty_is_fresh_row_major_and_writable(rung: ModuleType, dtype: str, shape: tuple[int, ...]) -> None:
    array = rung.empty(shape, np.dtype(dtype))
    assert type(array) is np.ndarray
    assert (array.shape, array.dtype) == (shape, np.dtype(dtype))
    assert array.flags.c_contiguous and array.flags.writeable
    array[...] = 1
    assert not np.shares_memory(array, rung.empty(shape, np.dtype(dtype)))


@pytest.mark.parametrize("shape", [(-1,), (2, -3), (1,) * 65])
def test_empty_refuses_impossible_shapes_with_the_same_words(rung: ModuleType, shape: tuple[int, ...]) -> None:
    refused = outcome(rung.empty, shape, np.dtype("float32"))
    assert refused is not None
    assert refused == outcome(REFERENCE.empty, shape, np.dtype("float32"))


@pytest.mark.parametrize("shapes", [((), ()), ((3,), (3,)), ((2, 1), (3,)), ((1, 3), (4, 1, 1)), ((2, 0), (1,))])
def test_empty_for_has_the_shape_that_two_operands_share(rung: ModuleType, shapes: Any) -> None:
    x, y = (np.zeros(shape, np.float32) for shape in shapes)
    made = rung.empty_for(x, y, np.dtype("int64"))
    assert (made.shape, made.dtype) == (np.broadcast_shapes(*shapes), np.dtype("int64"))
    assert made.flags.c_contiguous and not np.shares_memory(made, x)


def test_empty_for_refuses_shapes_that_do_not_broadcast(rung: ModuleType) -> None:
    with pytest.raises(
        ValueError,
        match=r"^The size of tensor a \(2\) must match the size of tensor b \(3\) at non-singleton dimension 0$",
    ):
        rung.empty_for(np.zeros(2), np.zeros(3), np.dtype("float32"))


def test_a_type_code_gives_the_plain_rung_a_buffer() -> None:
    assert REFERENCE.empty((2, 2), "q").tolist() == [[0, 0], [0, 0]]


def test_allocations_follow_each_other_and_honour_alignment(rung: ModuleType) -> None:
    arena = rung.Arena(1024)
    offsets = [arena.allocate(nbytes, align).offset for nbytes, align in ((3, 1), (8, 8), (1, 16), (0, 1), (5, 64))]
    assert offsets == [0, 8, 16, 17, 64]
    assert arena.used == arena.peak == 69
    assert arena.allocate(4).offset == 80


def test_growth_chains_blocks_and_keeps_old_ones(rung: ModuleType) -> None:
    arena = rung.Arena(100)
    assert arena.capacity == 128
    first = arena.allocate(100)
    first.view()[:] = bytes(range(100))
    second = arena.allocate(100)
    assert (second.offset, arena.capacity) == (128, 256)
    assert arena.allocate(10_000).offset == 256
    assert arena.capacity == 256 + 10_048
    assert bytes(first.view()) == bytes(range(100))


def test_many_bytes_need_few_blocks(rung: ModuleType) -> None:
    arena = rung.Arena(64)
    capacities = set()
    for _ in range(10_000):
        arena.allocate(64)
        capacities.add(arena.capacity)
    assert arena.used == 640_000
    assert len(capacities) <= 15


def test_reset_reuses_the_blocks_and_remembers_the_peak(rung: ModuleType) -> None:
    arena = rung.Arena(256)
    for _ in range(20):
        arena.allocate(200)
    peak, capacity = arena.peak, arena.capacity
    for generation in range(1, 4):
        arena.reset()
        assert (arena.used, arena.peak, arena.capacity, arena.generation) == (0, peak, capacity, generation)
        assert arena.allocate(200).offset == 0
        for _ in range(19):
            arena.allocate(200)
        assert (arena.peak, arena.capacity) == (peak, capacity)


def test_views_are_writable_disjoint_memory(rung: ModuleType) -> None:
    arena = rung.Arena(64)
    allocations = [arena.allocate(24) for _ in range(10)]
    for value, allocation in enumerate(allocations):
        allocation.view()[:] = bytes([value]) * 24
    for value, allocation in enumerate(allocations):
        numbers = np.frombuffer(allocation.view(), np.uint8)
        assert numbers.tolist() == [value] * 24


def test_an_allocation_kept_across_a_reset_raises(rung: ModuleType) -> None:
    arena = rung.Arena()
    old = arena.allocate(8)
    arena.reset()
    arena.reset()
    with pytest.raises(
        RuntimeError,
        match=r"^Arena: this allocation is of generation 0 but the arena is at 2; reset\(\) took its bytes back$",
    ):
        old.view()
    assert arena.allocate(8).view().nbytes == 8


@pytest.mark.parametrize("arguments", [(-1,), (8, 0), (8, 3), (8, 128), (8, -16)])
def test_bad_requests_are_refused_with_the_same_words(rung: ModuleType, arguments: tuple[int, ...]) -> None:
    refused = outcome(rung.Arena().allocate, *arguments)
    assert refused is not None
    assert refused == outcome(REFERENCE.Arena().allocate, *arguments)
    assert outcome(rung.Arena, 0) == ("ValueError", "Arena: capacity is 0; it must be at least 1 byte")


def test_addresses_are_aligned_where_memory_has_addresses(rung: ModuleType) -> None:
    if rung is REFERENCE:
        return
    arena = rung.Arena(64)
    for align in (16, 32, 64) * 20:
        address = np.frombuffer(arena.allocate(40, align).view(), np.uint8).ctypes.data
        assert address % align == 0


def test_every_rung_takes_the_same_course(rung: ModuleType) -> None:
    generator = np.random.default_rng(0)
    arenas: list[Any] = [rung.Arena(100), REFERENCE.Arena(100)]
    for step in range(500):
        nbytes, align = int(generator.integers(0, 300)), 2 ** int(generator.integers(0, 7))
        made = [arena.allocate(nbytes, align) for arena in arenas]
        assert len({(m.offset, m.nbytes, m.generation) for m in made}) == 1
        assert len({(a.used, a.peak, a.capacity) for a in arenas}) == 1
        if step % 90 == 89:
            for arena in arenas:
                arena.reset()


def test_rungs_offer_the_same_functions(rung: ModuleType) -> None:
    assert rung.__all__ == REFERENCE.__all__
    assert parameters(rung) == parameters(REFERENCE)
    for name in ("Allocation", "Arena"):
        want = [n for n in dir(getattr(REFERENCE, name)) if not n.startswith("_")]
        assert [n for n in dir(getattr(rung, name)) if not n.startswith("_")] == want


def int64(values: list[int]) -> np.ndarray[Any, Any]:
    return np.array(values, np.int64)


class TestBumpOffsets:
    @pytest.mark.parametrize("align", [1, 16, 64])
    @pytest.mark.parametrize("count", [0, 1, 7, 300])
    def test_are_those_of_an_arena_of_one_block(self, rung: ModuleType, count: int, align: int) -> None:
        sizes = np.random.default_rng(count).integers(0, 200, count)
        found = np.empty(count, np.int64)
        rung.bump_offsets(sizes, align, found)
        arena = rung.Arena(100_000)
        assert found.tolist() == [arena.allocate(nbytes, align).offset for nbytes in sizes.tolist()]

    @pytest.mark.parametrize("layout", ["strided", "reversed", "offset"])
    def test_take_any_strides(self, rung: ModuleType, layout: str) -> None:
        plain, found = int64([10, 100, 24, 0, 7]), int64([0] * 5)
        sizes, out = (dict(layouts(values))[layout] for values in (plain, found))
        rung.bump_offsets(sizes, 16, out)
        assert out.tolist() == [0, 16, 128, 160, 160]
        assert sizes.tolist() == plain.tolist()


class TestHeapAddresses:
    def test_blocks_do_not_overlap_and_honour_16(self, rung: ModuleType) -> None:
        sizes, found = int64([24, 100, 1, 5000, 24]), int64([0] * 5)
        rung.heap_addresses(sizes, found)
        first = np.argsort(found)
        assert np.all(found[first][:-1] + sizes[first][:-1] <= found[first][1:])

    def test_no_request_needs_no_block(self, rung: ModuleType) -> None:
        rung.heap_addresses(int64([]), int64([]))


class TestBadRequests:
    @pytest.mark.parametrize(
        ("sizes", "out", "words"),
        [
            (np.zeros((2, 2), np.int64), int64([0]), "sizes is (2, 2); it must have one axis"),
            (int64([1, 2]), np.zeros((), np.int64), "out is (); it must have one axis"),
            (np.zeros(2, np.float32), int64([0, 0]), "sizes is float32; it must be int64"),
            (int64([1, 2]), np.zeros(2, np.float64), "out is float64; it must be int64"),
            (int64([1, 2]), int64([0]), "out has 1 elements; it must have 2, one per request"),
            (int64([1, -3]), int64([0, 0]), "sizes[1] is -3; it must be at least "),
        ],
    )
    def test_are_refused_with_the_same_words(self, rung: ModuleType, sizes: Any, out: Any, words: str) -> None:
        for name, arguments, least in (
            ("bump_offsets", (sizes, 16, out), "0"),
            ("heap_addresses", (sizes, out), "1"),
        ):
            refused = outcome(getattr(rung, name), *arguments)
            assert refused is not None
            assert refused[1] == f"{name}: {words}{least if words.endswith(' ') else ''}"
            assert refused == outcome(getattr(REFERENCE, name), *arguments)

    @pytest.mark.parametrize("align", [0, 3, 128, -16, 2**70])
    def test_name_the_alignment(self, rung: ModuleType, align: int) -> None:
        refused = outcome(rung.bump_offsets, int64([1]), align, int64([0]))
        assert refused == ("ValueError", f"bump_offsets: align is {align}; it must be a power of two up to 64")

    @pytest.mark.parametrize("align", [8.0, None, "8"])
    def test_say_that_an_alignment_is_no_number(self, rung: ModuleType, align: Any) -> None:
        refused = outcome(rung.bump_offsets, int64([1]), align, int64([0]))
        assert refused is not None and refused[0] == "TypeError"
        assert refused == outcome(REFERENCE.bump_offsets, int64([1]), align, int64([0]))

    def test_do_not_fit_into_memory(self, rung: ModuleType) -> None:
        refused = outcome(rung.heap_addresses, int64([5, 2**62]), int64([0, 0]))
        assert refused == ("MemoryError", f"heap_addresses: the heap has no block of {2**62} bytes")
