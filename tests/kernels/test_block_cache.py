"""Large results are made of memory that was used before: which, how much of it is held, and that nobody shares it."""

from __future__ import annotations

import ctypes
import os
import random
import threading
import tracemalloc
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.kernels.rungs import load_rungs

RUNGS = load_rungs("ch11_memory")
TWIN = "cython-baseline"
MIB = 1 << 20
BYTES = np.dtype("int8")


@pytest.fixture
def rung() -> Iterator[ModuleType]:
    """The twin, with nothing held and 256 MiB allowed; as it was when the test is over."""
    if TWIN not in RUNGS:
        pytest.skip("the cache is the twin's")
    twin = RUNGS[TWIN]
    limit = twin.cache_counts()[3]
    twin.limit_cache(0)
    twin.limit_cache(256 * MIB)
    yield twin
    twin.limit_cache(limit, os.environ.get("KAEL_DEBUG") == "1")


def large(rung: ModuleType, nbytes: int = MIB) -> Any:
    """A fresh array of so many bytes."""
    return rung.empty((nbytes,), BYTES)


def place(array: Any) -> int:
    """Where an array begins."""
    return int(array.ctypes.data)


@pytest.mark.parametrize("name", [name for name in RUNGS if name != TWIN])
def test_the_other_rungs_hold_nothing(name: str) -> None:
    RUNGS[name].limit_cache(MIB)
    rest = RUNGS[name].empty((MIB,), BYTES).nbytes
    RUNGS[name].empty_cache()
    assert (rest, RUNGS[name].cache_counts()) == (MIB, (0, 0, 0, 0, 0, 0))


def test_the_next_array_of_the_size_gets_the_block_that_was_freed_last(rung: ModuleType) -> None:
    first, second = large(rung), large(rung)
    places = [place(first), place(second)]
    del second
    del first
    again = [large(rung), large(rung)]
    assert [place(array) for array in again] == places


def test_an_array_for_two_operands_comes_from_the_cache_too(rung: ModuleType) -> None:
    x = np.zeros((1024, 1024), np.int8)
    where = place(rung.empty_for(x, x, BYTES))
    assert place(rung.empty_for(x, x[:1], BYTES)) == where


def test_used_pages_do_not_fault_again(rung: ModuleType) -> None:
    resource = pytest.importorskip("resource")

    def faults_of_a_round() -> int:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        large(rung, 64 * MIB)[::4096] = 1
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)

    first = faults_of_a_round()
    later = [faults_of_a_round() for _ in range(3)]
    assert max(later) < 16 < first


def test_a_block_half_as_large_again_serves_and_a_larger_one_does_not(rung: ModuleType) -> None:
    for nbytes, serves in ((MIB * 3 // 2, True), (2 * MIB, False)):
        rung.empty_cache()
        where = place(large(rung, nbytes))
        hits = rung.cache_counts()[4]
        assert (place(large(rung)) == where and rung.cache_counts()[4] == hits + 1) == serves


def test_small_arrays_are_left_to_numpy(rung: ModuleType) -> None:
    before = rung.cache_counts()
    arrays = [rung.empty((nbytes,), BYTES) for nbytes in (0, 1, 64, 4096, (1 << 17) - 1)]
    assert rung.cache_counts() == before
    arrays.append(rung.empty((1 << 17,), BYTES))
    assert rung.cache_counts()[1] == before[1] + (1 << 17)


def test_arrays_own_their_memory_and_begin_at_a_cache_line(rung: ModuleType) -> None:
    for nbytes in (1 << 17, 200_003, MIB + 1, 5 * MIB):
        array = large(rung, nbytes)
        assert array.base is None and array.flags.owndata and array.flags.writeable
        assert place(array) % 64 == 0


def test_a_view_keeps_its_block_from_being_handed_out(rung: ModuleType) -> None:
    array = large(rung)
    array[:] = 7
    view = array[1000:1010]
    del array
    others = [large(rung) for _ in range(3)]
    for other in others:
        other[:] = 1
    assert view.tolist() == [7] * 10


@pytest.mark.parametrize("nbytes", [10, 1 << 17, 3 * MIB])
def test_resize_keeps_the_elements(rung: ModuleType, nbytes: int) -> None:
    before = rung.cache_counts()[1]
    array = large(rung)
    array[:] = 3
    array.resize((nbytes,), refcheck=False)
    assert set(array[:MIB].tolist()) == {3} and not array[MIB:].any()
    del array
    assert rung.cache_counts()[1] == before


def test_nothing_beyond_the_limit_is_held(rung: ModuleType) -> None:
    rung.limit_cache(3 * MIB)
    arrays = [large(rung) for _ in range(5)]
    arrays.append(large(rung, 4 * MIB))
    arrays.clear()
    assert rung.cache_counts()[0] == 3 * MIB
    rung.limit_cache(MIB)
    assert rung.cache_counts()[0] == MIB


def test_the_oldest_block_goes_first(rung: ModuleType) -> None:
    rung.limit_cache(2 * MIB)
    arrays = [large(rung) for _ in range(3)]
    places = [place(array) for array in arrays]
    for _ in range(3):
        arrays.pop(0)
    again = [large(rung), large(rung)]
    assert [place(array) for array in again] == [places[2], places[1]]


def test_emptying_gives_back_what_nobody_uses(rung: ModuleType) -> None:
    kept = large(rung)
    kept[:] = 5
    large(rung)
    used = rung.cache_counts()[1]
    assert rung.cache_counts()[0] == MIB
    rung.empty_cache()
    assert rung.cache_counts()[:3] == (0, used, used)
    assert set(kept.tolist()) == {5}


def test_without_a_limit_numpy_allocates(rung: ModuleType) -> None:
    rung.limit_cache(0)
    before = rung.cache_counts()
    large(rung)
    assert rung.cache_counts() == before


def test_tracemalloc_counts_what_is_in_use_and_not_what_is_held(rung: ModuleType) -> None:
    large(rung, 8 * MIB)
    tracemalloc.start()
    try:
        array = large(rung, 8 * MIB)
        most = tracemalloc.get_traced_memory()[0]
        del array
        least = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert 8 * MIB <= most < 9 * MIB
    assert least < MIB < rung.cache_counts()[0]


def test_no_memory_is_an_error_that_names_what_is_held_and_everything_goes_on(rung: ModuleType) -> None:
    kept = large(rung)
    large(rung)
    used = rung.cache_counts()[1]
    with pytest.raises(
        MemoryError,
        match=rf"^empty: no memory for {1 << 60} bytes; {used} bytes of large results are in use, and {MIB} that were "
        "held for reuse went back to the system first$",
    ):
        large(rung, 1 << 60)
    assert rung.cache_counts()[:2] == (0, used)
    kept[:] = 1
    assert large(rung).nbytes == MIB


def test_an_array_may_be_freed_in_another_thread(rung: ModuleType) -> None:
    arrays = [large(rung)]
    where = place(arrays[0])
    thread = threading.Thread(target=arrays.clear)
    thread.start()
    thread.join()
    assert place(large(rung)) == where


def requests_at_random(rung: ModuleType, seed: int, rounds: int, alone: bool) -> None:
    """Random requests, views and frees; every array keeps its own number."""
    chance = random.Random(seed)
    alive: list[tuple[Any, int]] = []
    for _ in range(rounds):
        if alive and chance.random() < 0.5:
            array, number = alive.pop(chance.randrange(len(alive)))
            assert (array == number).all()
            if chance.random() < 0.2:
                alive.append((array[array.size // 2 :], number))
        else:
            array, number = large(rung, chance.randint(1 << 16, 1 << chance.randint(17, 22))), chance.randrange(127)
            array[:] = number
            alive.append((array, number))
        if alone:
            held, used, peak, limit, _, _ = rung.cache_counts()
            assert held <= limit and held + used <= peak
        if sum(array.size for array, _ in alive) > 32 * MIB:
            alive.pop(0)


@pytest.mark.parametrize("seed", range(8))
def test_random_requests_share_nothing_and_keep_the_bounds(rung: ModuleType, seed: int) -> None:
    rung.limit_cache((8 if seed % 2 else 256) * MIB, poison=seed % 3 == 0)
    before = rung.cache_counts()
    requests_at_random(rung, seed, 600, alone=True)
    after = rung.cache_counts()
    assert after[1] == before[1]
    rung.empty_cache()
    assert rung.cache_counts()[0] == 0


def test_threads_share_nothing(rung: ModuleType) -> None:
    used = rung.cache_counts()[1]
    failed: list[BaseException] = []

    def run(seed: int) -> None:
        try:
            requests_at_random(rung, seed, 300, alone=False)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert rung.cache_counts()[1] == used


def test_counts_add_up(rung: ModuleType) -> None:
    _, used, _, _, hits, misses = rung.cache_counts()
    arrays = [large(rung) for _ in range(5)]
    assert rung.cache_counts()[1] == used + 5 * MIB
    del arrays[:3]
    assert rung.cache_counts()[:2] == (3 * MIB, used + 2 * MIB)
    arrays += [large(rung) for _ in range(4)]
    assert rung.cache_counts()[4:] == (hits + 3, misses + 6)


def test_poison_shows_in_what_was_freed(rung: ModuleType) -> None:
    rung.limit_cache(8 * MIB, poison=True)
    array = rung.empty((MIB // 4,), np.dtype("float32"))
    array[:] = 1
    where = place(array)
    del array
    assert np.isnan(np.frombuffer(ctypes.string_at(where, MIB), np.float32)).all()


def test_ten_thousand_rounds_hold_what_the_first_one_did(rung: ModuleType) -> None:
    def one_round() -> None:
        x, y = large(rung, 300_000), large(rung, 2_000_000)
        del x
        large(rung, 290_000 + y.size % 1000)

    one_round()
    before = rung.cache_counts()
    for _ in range(10_000):
        one_round()
    after = rung.cache_counts()
    assert (after[:4], after[4] - before[4], after[5]) == (before[:4], 30_000, before[5])
