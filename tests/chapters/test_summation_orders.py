"""The orders of summation that chapter 13 compares: which tree each is, and what it loses."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, fsum, log2
from random import Random
from typing import Any

import numpy as np
import pytest

from chapters.ch13_reductions.orders import (
    blocked_sum,
    compensated_sum,
    float32,
    lane_sum,
    neumaier_sum,
    pairwise_sum,
    running_sum,
)
from chapters.ch13_reductions.reference import block_sum, float_sum

ORDERS = (running_sum, pairwise_sum, lane_sum, blocked_sum, compensated_sum, neumaier_sum)
U = 2.0**-24


def drawn(count: int) -> list[float]:
    generator = Random(count)
    return [float32(generator.uniform(-1, 1)) for _ in range(count)]


def same(value: Any) -> Any:
    return value


class Grouped(str):
    """An element that writes down with whom it is added."""

    def __add__(self, other: str) -> Grouped:
        return Grouped(f"({self}{other})")

    def __radd__(self, zero: float) -> Grouped:
        return self


def tree(order: Callable[..., Any], letters: str, **options: Any) -> str:
    return str(order([Grouped(letter) for letter in letters], same, **options))


def test_each_order_is_the_tree_that_it_says() -> None:
    assert tree(running_sum, "abcde") == "((((ab)c)d)e)"
    assert tree(pairwise_sum, "abcdefg") == "(((ab)(cd))((ef)g))"
    assert tree(lane_sum, "abcdefgh", lanes=4) == "(((ae)(cg))((bf)(dh)))"
    assert tree(blocked_sum, "abcdefghij", lanes=1, block=2) == "((((ab)(cd))((ef)(gh)))(ij))"


@pytest.mark.parametrize("count", [0, 1, 31, 33, 1024, 1025, 5000])
def test_blocks_of_lanes_are_the_order_of_the_kernels(count: int) -> None:
    numbers = drawn(count)
    assert blocked_sum(numbers, float32) == float_sum(numbers, "f")
    assert blocked_sum(numbers, same) == float_sum(numbers, "d")
    if 0 < count <= 1024:
        assert lane_sum(numbers, float32) == block_sum(numbers, "f")


def test_the_running_sum_is_that_of_the_processor() -> None:
    numbers = drawn(3000)
    assert running_sum(numbers, float32) == np.cumsum(np.array(numbers, np.float32), dtype=np.float32)[-1]


@pytest.mark.parametrize("order", ORDERS)
def test_nothing_sums_to_zero_and_one_number_to_itself(order: Callable[..., float]) -> None:
    assert order([], float32) == 0.0
    assert order([0.5], float32) == 0.5


@pytest.mark.parametrize("count", [100, 1000, 20_000])
def test_errors_stay_within_the_depth_of_the_order(count: int) -> None:
    numbers = drawn(count)
    size, exact = fsum(map(abs, numbers)), fsum(numbers)
    depths = {running_sum: count - 1, pairwise_sum: ceil(log2(count)), lane_sum: count / 32 + 5}
    depths |= {blocked_sum: 36 + max(0, ceil(log2(count / 1024))), compensated_sum: 3, neumaier_sum: 3}
    for order, depth in depths.items():
        assert abs(order(numbers, float32) - exact) <= depth * U * size * 1.01


def test_a_small_sum_is_where_the_signs_of_zero_survive() -> None:
    assert str(lane_sum([-0.0, -0.0], same)) == "-0.0"


def test_neumaier_keeps_a_total_that_a_larger_element_hides() -> None:
    hidden = [1.0, 1e100, 1.0, -1e100]
    assert compensated_sum(hidden, same) == 0.0
    assert neumaier_sum(hidden, same) == 2.0
