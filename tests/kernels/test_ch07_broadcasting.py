"""Shapes merge, operands repeat by strides of 0, and the way back is a sum: the same on every rung."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzzing import examples
from tests.kernels.parity import outcome, parameters, same_bits
from tests.kernels.rungs import load_rungs

RUNGS = load_rungs("ch07_broadcasting")
REFERENCE = RUNGS["python"]

shapes = st.lists(st.integers(0, 4), max_size=4).map(tuple)


@pytest.fixture(params=[name for name in RUNGS if name != "python"])
def rung(request: pytest.FixtureRequest) -> ModuleType:
    return RUNGS[request.param]


@pytest.fixture(params=RUNGS)
def any_rung(request: pytest.FixtureRequest) -> ModuleType:
    return RUNGS[request.param]


def offsets_of(module: ModuleType, shape: tuple[int, ...], target: tuple[int, ...]) -> Any:
    out = np.full(target, -1)
    module.broadcast_offsets(module.BroadcastSpec(shape, target), out)
    return out


def test_every_rung_offers_the_same_functions_with_the_same_parameters(rung: ModuleType) -> None:
    assert rung.__all__ == REFERENCE.__all__
    assert parameters(rung) == parameters(REFERENCE)


@settings(max_examples=examples(150), deadline=None)
@given(a=shapes, b=shapes)
def test_shapes_merge_as_in_numpy_on_every_rung(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    for module in RUNGS.values():
        if outcome(np.broadcast_shapes, a, b) is None:
            assert module.broadcast_shapes(a, b) == np.broadcast_shapes(a, b)
        else:
            with pytest.raises(ValueError, match="The size of tensor a"):
                module.broadcast_shapes(a, b)
            assert outcome(module.broadcast_shapes, a, b) == outcome(REFERENCE.broadcast_shapes, a, b)


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        ((2,), (3,), "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"),
        (
            (4, 2, 3),
            (5, 3),
            "The size of tensor a (2) must match the size of tensor b (5) at non-singleton dimension 1",
        ),
        ((2, 3), (4, 5), "The size of tensor a (3) must match the size of tensor b (5) at non-singleton dimension 1"),
        ((0,), (3,), "The size of tensor a (0) must match the size of tensor b (3) at non-singleton dimension 0"),
    ],
)
def test_shapes_that_do_not_merge_name_both_sizes(
    any_rung: ModuleType, a: tuple[int, ...], b: tuple[int, ...], text: str
) -> None:
    assert outcome(any_rung.broadcast_shapes, a, b) == ("ValueError", text)


def test_the_spec_of_a_row(any_rung: ModuleType) -> None:
    spec = any_rung.BroadcastSpec((1, 3), (2, 3))
    assert (spec.shape, spec.target) == ((1, 3), (2, 3))
    assert spec.repeats == (True, False)
    assert spec.strides == (0, 1)
    assert spec.reduce_axes == (0,)
    assert repr(spec) == "BroadcastSpec((1, 3), (2, 3))"


@pytest.mark.parametrize(
    ("shape", "target", "strides", "reduce_axes"),
    [
        ((), (2, 3), (0, 0), (0, 1)),
        ((3, 1), (4, 3, 5), (0, 1, 0), (0, 2)),
        ((2, 3), (2, 3), (3, 1), ()),
        ((1,), (1,), (0,), ()),
        ((1, 3), (0, 3), (0, 1), (0,)),
    ],
)
def test_axes_repeat_with_stride_zero_and_are_summed_on_the_way_back(
    any_rung: ModuleType,
    shape: tuple[int, ...],
    target: tuple[int, ...],
    strides: tuple[int, ...],
    reduce_axes: tuple[int, ...],
) -> None:
    spec = any_rung.BroadcastSpec(shape, target)
    assert (spec.strides, spec.reduce_axes) == (strides, reduce_axes)


@settings(max_examples=examples(100), deadline=None)
@given(target=shapes, data=st.data())
def test_summing_over_the_reduced_axes_counts_the_reads_of_each_element(
    target: tuple[int, ...], data: st.DataObject
) -> None:
    first = data.draw(st.integers(0, len(target)))
    shape = tuple(data.draw(st.sampled_from([1, size])) for size in target[first:])
    spec = REFERENCE.BroadcastSpec(shape, target)
    reads = np.bincount(offsets_of(REFERENCE, shape, target).ravel(), minlength=int(np.prod(shape)))
    assert np.ones(target).sum(axis=spec.reduce_axes).ravel().tolist() == reads.tolist()


@pytest.mark.parametrize(
    ("shape", "target"),
    [((), ()), ((), (2, 3)), ((3,), (2, 3)), ((2, 1), (2, 3)), ((1, 1), (2, 3)), ((4, 1, 2), (4, 3, 2)), ((1,), (0,)),
     ((2, 3, 1, 5), (2, 3, 4, 5)), ((0, 3), (0, 3)), ((17,), (33, 17))],
)  # fmt: skip
def test_offsets_read_what_numpy_broadcasts(
    any_rung: ModuleType, shape: tuple[int, ...], target: tuple[int, ...]
) -> None:
    elements = np.arange(int(np.prod(shape))).reshape(shape)
    assert same_bits(offsets_of(any_rung, shape, target), np.broadcast_to(elements, target).copy())


@settings(max_examples=examples(100), deadline=None)
@given(target=st.lists(st.integers(1, 4), max_size=4).map(tuple), data=st.data())
def test_merged_axes_come_by_the_same_offsets(target: tuple[int, ...], data: st.DataObject) -> None:
    shapes = [tuple(data.draw(st.sampled_from([1, size])) for size in target) for _ in range(2)]
    steps = [REFERENCE.BroadcastSpec(shape, target).strides for shape in shapes]
    sizes, moves = REFERENCE.merge(target, steps)
    assert len(sizes) <= max(1, len(target))
    for own, move in zip(steps, moves, strict=True):
        assert offsets_along(sizes, move) == offsets_along(target, own)


def offsets_along(sizes: Sequence[int], steps: Sequence[int]) -> list[int]:
    return [int(np.dot(index, steps)) if steps else 0 for index in np.ndindex(*sizes)]


@pytest.mark.parametrize(
    ("sizes", "steps", "merged"),
    [
        ((), [()], ([1], [[0]])),
        ((1, 1), [(5, 1)], ([1], [[0]])),
        ((2, 3, 4), [(12, 4, 1)], ([24], [[1]])),
        ((2, 3, 4), [(12, 4, 1), (0, 4, 1)], ([2, 12], [[12, 1], [0, 1]])),
        ((2, 3, 4), [(12, 4, 1), (0, 0, 0)], ([24], [[1], [0]])),
        ((2, 1, 4), [(4, 99, 1)], ([8], [[1]])),
        ((3, 2), [(1, 3)], ([3, 2], [[1, 3]])),
    ],
)
def test_axes_that_no_operand_can_tell_apart_become_one(
    sizes: tuple[int, ...], steps: list[tuple[int, ...]], merged: tuple[list[int], list[list[int]]]
) -> None:
    assert REFERENCE.merge(sizes, steps) == merged


def test_offsets_go_into_an_array_of_any_strides(any_rung: ModuleType) -> None:
    spec = any_rung.BroadcastSpec((1, 3), (2, 3))
    wide = np.full((6, 4), -1)
    for out in (wide[::3, 2::-1], np.asfortranarray(wide[:2, :3].copy())):
        any_rung.broadcast_offsets(spec, out)
        assert out.tolist() == [[0, 1, 2], [0, 1, 2]]
    assert (wide[:, 3] == -1).all()


def test_a_spec_that_cannot_be_raises(any_rung: ModuleType) -> None:
    assert outcome(any_rung.BroadcastSpec, (2, 3), (4, 3)) == (
        "ValueError",
        "BroadcastSpec: (2, 3) cannot fill (4, 3); its axis 0 has size 2, not 1 or 4",
    )
    assert outcome(any_rung.BroadcastSpec, (1, 3), (3,)) == (
        "ValueError",
        "BroadcastSpec: (1, 3) has 2 axes but the target (3,) has 1",
    )


def test_an_out_that_cannot_take_offsets_raises_the_same_on_every_rung(any_rung: ModuleType) -> None:
    spec = any_rung.BroadcastSpec((3,), (2, 3))
    locked = np.zeros((2, 3), np.int64)
    locked.flags.writeable = False
    assert outcome(any_rung.broadcast_offsets, spec, np.zeros((2, 3))) == (
        "TypeError",
        "broadcast_offsets: out is float64; offsets are int64",
    )
    assert outcome(any_rung.broadcast_offsets, spec, np.zeros((3, 2), np.int64)) == (
        "ValueError",
        "broadcast_offsets: out is (3, 2) but the spec's target is (2, 3)",
    )
    assert outcome(any_rung.broadcast_offsets, spec, locked) == (
        "ValueError",
        "broadcast_offsets: out is read-only; pass a writable array",
    )
