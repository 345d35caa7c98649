"""Chapter 14's model of a cache, and the walks over a product that it is asked about."""

from __future__ import annotations

from itertools import product

import pytest

from chapters.ch14_matmul.cache import Cache, misses
from chapters.ch14_matmul.checks import ORDERS
from chapters.ch14_matmul.reference import steps, steps_in_blocks


class TestCache:
    def test_one_line_serves_its_neighbours(self):
        cache = Cache(128)
        assert [cache.touch(address) for address in (0, 63, 64, 127)] == ["miss", "hit", "miss", "hit"]
        assert cache.misses == 2

    def test_the_line_used_longest_ago_moves_out(self):
        cache = Cache(128)
        assert [cache.touch(64 * line) for line in (0, 1, 0, 2, 0, 1)] == ["miss", "miss", "hit", "miss", "hit", "miss"]

    def test_lines_of_one_set_push_each_other_out_while_others_stand_empty(self):
        spread, clashing = Cache(512, ways=2), Cache(512, ways=2)
        for _ in range(2):
            for line in range(4):
                spread.touch(64 * line)
                clashing.touch(64 * 4 * line)
        assert (spread.misses, clashing.misses) == (4, 8)

    @pytest.mark.parametrize("size, ways", [(32, None), (0, None), (100, None), (128, 4), (448, 2), (128, 0)])
    def test_a_size_that_makes_no_whole_sets_is_refused(self, size, ways):
        with pytest.raises(ValueError, match=f"^Cache: {size} bytes are no whole sets of "):
            Cache(size, ways=ways)


class TestWalks:
    @pytest.mark.parametrize("order", ORDERS)
    def test_every_step_once_and_k_rising(self, order):
        walk = list(steps(order, 3, 4, 5))
        assert sorted(walk) == list(product(range(3), range(4), range(5)))
        assert [k for i, j, k in walk if (i, j) == (2, 1)] == list(range(5))

    @pytest.mark.parametrize("order", ORDERS)
    def test_loops_stand_in_the_order_of_the_name(self, order):
        walk = [dict(zip("ijk", step, strict=True)) for step in steps(order, 3, 4, 5)]
        assert walk == sorted(walk, key=lambda step: [step[letter] for letter in order])

    @pytest.mark.parametrize("block", [1, 2, 3, 4, 9])
    def test_blocks_take_every_step_once_and_k_rising(self, block):
        walk = list(steps_in_blocks(block, 3, 4, 5))
        assert sorted(walk) == list(product(range(3), range(4), range(5)))
        assert [k for i, j, k in walk if (i, j) == (2, 3)] == list(range(5))

    def test_a_block_as_large_as_the_product_is_the_plain_order(self):
        assert list(steps_in_blocks(8, 3, 4, 5)) == list(steps("ikj", 3, 4, 5))


class TestMisses:
    def test_each_line_once_where_all_fits(self):
        for order in ORDERS:
            assert misses(steps(order, 16, 16, 16), 16, 16, Cache(1 << 16)) == [16, 16, 16]

    def test_a_jump_misses_each_time_where_nothing_fits(self):
        assert misses(steps("jki", 48, 48, 48), 48, 48, Cache(2048))[0] == 48**3
        assert misses(steps("ikj", 48, 48, 48), 48, 48, Cache(2048))[1] == 48**3 // 16
