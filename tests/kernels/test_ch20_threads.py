"""The loops of chapter 20 agree on all rungs, whatever the walk, the block and the cut."""

from __future__ import annotations

from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from chapters.ch20_threads.cutting import borders, in_threads
from tests.kernels.parity import FLOATS, awkward, draw, outcome, parameters, same_bits
from tests.kernels.rungs import load_rungs

RUNGS = load_rungs("ch20_threads")
REFERENCE = RUNGS["python"]
SHAPES = [(0, 3), (3, 0), (1, 1), (5, 7), (33, 40)]

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:invalid value encountered")

every_rung = pytest.mark.parametrize("rung", RUNGS.values(), ids=RUNGS.keys())
exact = pytest.mark.parametrize("rung", [m for n, m in RUNGS.items() if n != "numpy"])


def written(kernel: Any, x: Any, shape: tuple[int, ...], *options: Any) -> Any:
    """What a kernel writes into a fresh array."""
    out = np.full(shape, 7, x.dtype)
    kernel(x, out, *options)
    return out


@every_rung
def test_the_rungs_have_one_signature(rung: ModuleType) -> None:
    assert rung.__all__ == REFERENCE.__all__
    assert parameters(rung) == parameters(REFERENCE)


@every_rung
@pytest.mark.parametrize("dtype", FLOATS)
def test_affine_relu_has_the_bits_of_the_definition(rung: ModuleType, dtype: str) -> None:
    for x in (awkward(dtype), draw(dtype, (0,)), draw(dtype, ()), draw(dtype, (3, 37))):
        for scale, shift in ((1.5, -0.1), (-2.0, 0.3), (-1.0, 0.0), (1.0, -0.0)):
            want, got = np.empty_like(x), np.empty_like(x)
            REFERENCE.affine_relu(x, scale, shift, want)
            rung.affine_relu(x, scale, shift, got)
            assert same_bits(got, want)
            in_place = x.copy()
            rung.affine_relu(in_place, scale, shift, in_place)
            assert same_bits(in_place, want)


@exact
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("by_columns", [False, True])
def test_both_walks_have_the_bits_of_the_definition(rung: ModuleType, dtype: str, by_columns: bool) -> None:
    for shape in SHAPES:
        x = draw(dtype, shape)
        want = written(REFERENCE.row_sums, x, shape[:1])
        assert same_bits(written(rung.row_sums, x, shape[:1], by_columns), want)


@every_rung
@pytest.mark.parametrize("dtype", FLOATS)
def test_row_sums_are_near_the_definition(rung: ModuleType, dtype: str) -> None:
    x = draw(dtype, (20, 300))
    got = written(rung.row_sums, x, (20,))
    bound = 300 * np.finfo(dtype).eps * np.abs(x.astype(np.float64)).sum(1)
    assert (np.abs(got - x.astype(np.float64).sum(1)) <= bound).all()


@every_rung
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("block", [1, 4, 16, 1000])
def test_any_block_copies_the_transpose(rung: ModuleType, dtype: str, block: int) -> None:
    for shape in SHAPES:
        x = draw(dtype, shape)
        assert same_bits(written(rung.transposed_copy, x, shape[::-1], block), np.ascontiguousarray(x.T))


@every_rung
def test_count_up_counts_one_place(rung: ModuleType) -> None:
    counters = np.array([1, 2, 3])
    rung.count_up(counters, 1, 1000)
    rung.count_up(counters, 2, 0)
    assert counters.tolist() == [1, 1002, 3]


@every_rung
def test_bad_operands_are_refused_in_the_same_words(rung: ModuleType) -> None:
    x, whole, other = np.ones((2, 3)), np.ones((2, 3), np.int64), np.ones((2, 3), np.float32)
    calls: list[tuple[str, tuple[Any, ...]]] = [
        ("affine_relu", (x, 1.0, 1.0, np.ones((3, 2)))),
        ("affine_relu", (whole, 1.0, 1.0, whole)),
        ("affine_relu", (x, 1.0, 1.0, other)),
        ("affine_relu", (x[:, ::2], 1.0, 1.0, np.ones((2, 2)))),
        ("row_sums", (x, np.ones(3))),
        ("row_sums", (x[0], np.ones(3))),
        ("transposed_copy", (x, np.ones((2, 3)))),
        ("transposed_copy", (x, np.ones((3, 2)), 0)),
        ("count_up", (x, 0, 1)),
        ("count_up", (whole, 0, 1)),
        ("count_up", (whole[0], 3, 1)),
        ("count_up", (whole[0], -1, 1)),
        ("count_up", (whole[0], 0, -1)),
        ("count_up", (whole[0, ::2], 0, 1)),
    ]
    for name, operands in calls:
        refusal = outcome(getattr(REFERENCE, name), *operands)
        assert refusal is not None
        assert refusal[1].startswith(f"{name}: ")
        assert outcome(getattr(rung, name), *operands) == refusal


@pytest.mark.parametrize("size", [0, 1, 15, 16, 100, 1001])
@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_cuts_cover_everything_once_and_lie_between_lines(size: int, parts: int) -> None:
    cuts = borders(size, parts)
    assert (cuts[0], cuts[-1], len(cuts)) == (0, size, parts + 1)
    assert all(low <= high for low, high in pairwise(cuts))
    assert all(cut % 16 == 0 for cut in cuts[:-1])


@every_rung
@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_any_number_of_threads_gives_the_bits_of_one(rung: ModuleType, parts: int) -> None:
    x = draw("float32", (4001,))
    want, got = np.empty_like(x), np.empty_like(x)
    rung.affine_relu(x, 1.5, 0.1, want)
    in_threads(lambda low, high: rung.affine_relu(x[low:high], 1.5, 0.1, got[low:high]), borders(len(x), parts))
    assert same_bits(got, want)


def test_an_error_in_a_thread_reaches_the_caller() -> None:
    x = np.ones(64)
    with pytest.raises(ValueError, match="make out"):
        in_threads(lambda low, high: REFERENCE.affine_relu(x[low:high], 1.0, 0.0, x), borders(64, 2))
