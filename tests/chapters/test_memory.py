"""Chapter 11's heap in small, and the lives of a step's tensors."""

from __future__ import annotations

import numpy as np
import pytest

from chapters.ch11_memory.first_fit import FirstFit
from chapters.ch11_memory.lifetimes import Life, Operation, lifetimes, live_bytes


class TestFirstFit:
    def test_rounds_up_to_its_grain(self):
        heap = FirstFit(256)
        assert [heap.allocate(nbytes) for nbytes in (1, 64, 65)] == [0, 64, 128]
        assert heap.blocks == {0: 64, 64: 64, 128: 128}
        assert heap.holes == []

    def test_takes_the_first_hole_that_has_room(self):
        heap = FirstFit(100, grain=1)
        a, _, c, _ = (heap.allocate(nbytes) for nbytes in (10, 10, 30, 10))
        heap.free(a)
        heap.free(c)
        assert heap.holes == [(0, 10), (20, 30), (60, 40)]
        assert heap.allocate(11) == 20
        assert heap.allocate(10) == 0

    @pytest.mark.parametrize("order", [(0, 16, 32), (32, 16, 0), (0, 32, 16), (16, 0, 32)])
    def test_joins_neighbours_whatever_the_order(self, order):
        heap = FirstFit(48, grain=16)
        for _ in range(3):
            heap.allocate(16)
        for offset in order:
            heap.free(offset)
        assert heap.holes == [(0, 48)]

    def test_without_merging_a_row_of_holes_stays_a_row(self):
        heap = FirstFit(48, grain=16, merge=False)
        for _ in range(3):
            heap.allocate(16)
        for offset in (16, 0, 32):
            heap.free(offset)
        assert heap.holes == [(0, 16), (16, 16), (32, 16)]
        with pytest.raises(
            MemoryError, match=r"^FirstFit: no hole of 32 bytes; 48 are free in 3 holes, the largest of 16$"
        ):
            heap.allocate(32)

    def test_remembers_the_high_water_mark(self):
        heap = FirstFit(1024)
        first = heap.allocate(100)
        heap.free(heap.allocate(500))
        heap.free(first)
        assert (heap.top, heap.free_bytes, heap.largest_hole) == (128 + 512, 1024, 1024)

    def test_refuses_to_free_what_is_not_there(self):
        heap = FirstFit(64)
        offset = heap.allocate(1)
        heap.free(offset)
        with pytest.raises(
            ValueError, match=r"^FirstFit\.free: no block begins at 0; it was freed already or never handed out$"
        ):
            heap.free(offset)

    @pytest.mark.parametrize("nbytes", [0, -64])
    def test_refuses_blocks_without_a_byte(self, nbytes):
        heap = FirstFit(128)
        with pytest.raises(ValueError, match=f"^FirstFit: nbytes is {nbytes}; it must be at least 1$"):
            heap.allocate(nbytes)
        assert (heap.blocks, heap.holes) == ({}, [(0, 128)])

    def test_never_hands_a_byte_out_twice(self):
        numbers = np.random.default_rng(0)
        heap = FirstFit(4096, grain=16)
        for _ in range(2000):
            if heap.blocks and numbers.random() < 0.5:
                heap.free(int(numbers.choice(list(heap.blocks))))
            else:
                try:
                    heap.allocate(int(numbers.integers(1, 400)))
                except MemoryError:
                    continue
            pieces = sorted([*heap.blocks.items(), *heap.holes])
            ends = [offset + size for offset, size in pieces]
            assert [offset for offset, _ in pieces] == [0, *ends[:-1]]
            assert ends[-1] == 4096
            assert all(start not in heap.blocks for start, _ in heap.holes)


PROGRAM = [
    Operation("h", (4, 2), ("x", "W")),
    Operation("r", (4, 2), ("h",)),
    Operation("s", (), ("r", "r")),
    Operation("gW", (3, 2), ("x", "s")),
]


class TestLifetimes:
    def test_end_with_the_last_reader(self):
        assert lifetimes(PROGRAM) == [
            Life("h", 32, 1, 2),
            Life("r", 32, 2, 3),
            Life("s", 4, 3, 4),
            Life("gW", 24, 4, 4),
        ]

    def test_what_nobody_reads_lives_to_the_end(self):
        lives = lifetimes([Operation("kept", (1,), ()), Operation("other", (1,), ())])
        assert lives[0].last == 2

    def test_of_a_name_made_twice_are_refused(self):
        twice = [Operation("x", (2,), ()), Operation("y", (2,), ("x",)), Operation("x", (2,), ("y",))]
        with pytest.raises(ValueError, match="^lifetimes: line 3 makes x again; give each result a name of its own$"):
            lifetimes(twice)

    def test_live_bytes_count_what_is_read_and_what_is_made(self):
        lives = lifetimes(PROGRAM)
        assert [live_bytes(lives, moment) for moment in range(1, 5)] == [32, 64, 36, 28]
