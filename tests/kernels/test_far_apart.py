"""Elements further apart, and more of them, than 32 bits can count.

Far apart are a few elements of an array of nine thousand million bytes, of which only their pages exist. Many are the
repetitions of one.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.kernels.parity import Array
from tests.kernels.rungs import load_rungs

STEP = 2**28  # elements from one to the next: 2**30 bytes, so that the third is beyond 31 bits and the fifth beyond 32
COUNT = 9
NEAR = np.arange(1.0, COUNT + 1, dtype=np.float32)


@pytest.fixture(scope="module")
def memory() -> Array:
    try:
        return np.zeros(STEP * (COUNT - 1) + 1, np.float32)
    except MemoryError:
        pytest.skip("this system does not promise nine thousand million bytes")


def spread(memory: Array) -> Array:
    """Nine elements, 1 to 9, far apart."""
    far = memory[::STEP]
    far[...] = NEAR
    return far


def twins(chapter: str) -> Any:
    """A test for each instruction set of a chapter's twin."""
    rungs = [name for name in load_rungs(chapter) if name.startswith("cython")]
    if not rungs:
        return pytest.mark.skip("no twin is built")
    return pytest.mark.parametrize("rung", [load_rungs(chapter)[name] for name in rungs], ids=rungs)


@twins("ch12_elementwise")
def test_elementwise(rung: ModuleType, memory: Array) -> None:
    far, out = spread(memory), np.empty(COUNT, np.float32)
    rung.add(far, NEAR, out)
    assert out.tolist() == (2 * NEAR).tolist()
    rung.mul(NEAR, NEAR, far)
    assert far.tolist() == (NEAR * NEAR).tolist()
    rung.copy(far[::-1], out)
    assert out.tolist() == (NEAR * NEAR)[::-1].tolist()


@twins("ch13_reductions")
def test_reductions(rung: ModuleType, memory: Array) -> None:
    far, out, place = spread(memory), np.empty((), np.float32), np.empty((), np.int64)
    rung.sum(far, out)
    assert out == NEAR.sum()
    rung.max(far[::-1], out)
    assert out == COUNT
    rung.argmax(far, place)
    assert place == COUNT - 1
    columns = np.empty((1, 1), np.float32)
    rung.sum(far.reshape(3, 3), columns)
    assert columns.item() == NEAR.sum()
    running = np.empty(COUNT, np.float32)
    rung.cumsum(far, running)
    assert running.tolist() == NEAR.cumsum().tolist()


@twins("ch13_reductions")
def test_more_elements_than_31_bits_count(rung: ModuleType) -> None:
    ones, out = np.broadcast_to(np.int64(1), (2**31 + 3,)), np.empty((), np.int64)
    rung.sum(ones, out)
    assert out == 2**31 + 3


@twins("ch14_matmul")
def test_products(rung: ModuleType, memory: Array) -> None:
    far, out = spread(memory).reshape(3, 3), np.empty((3, 3), np.float32)
    near = NEAR.reshape(3, 3)
    for a, b in ((far, near), (near, far), (far.T, far)):
        rung.matmul(a, b, out)
        assert out.tolist() == (np.ascontiguousarray(a) @ np.ascontiguousarray(b)).tolist()


@twins("ch08_indexing")
def test_gathering_and_scattering(rung: ModuleType, memory: Array) -> None:
    far, index, out = spread(memory), np.array([8, 0, 4]), np.empty(3, np.float32)
    rung.gather(far, index, 0, out)
    assert out.tolist() == [9.0, 1.0, 5.0]
    rung.scatter_add(index, np.ones(3, np.float32), 0, far)
    assert far.tolist() == [2.0, 2.0, 3.0, 4.0, 6.0, 6.0, 7.0, 8.0, 10.0]


@twins("ch08_indexing")
def test_places_beyond_31_bits(rung: ModuleType, memory: Array) -> None:
    spread(memory)
    out = np.empty(2, np.float32)
    rung.gather(memory, np.array([8 * STEP, 2 * STEP]), 0, out)
    assert out.tolist() == [9.0, 3.0]


@twins("ch22_layers")
def test_activations(rung: ModuleType, memory: Array) -> None:
    far, out, wanted = spread(memory), np.empty(COUNT, np.float32), np.empty(COUNT, np.float32)
    rung.silu(far, out)
    rung.silu(NEAR, wanted)
    assert out.tolist() == wanted.tolist()


@twins("ch23_optimizers")
def test_steps(rung: ModuleType, memory: Array) -> None:
    far = spread(memory)
    rung.sgd_step(far, NEAR, None, 1.0, 0.0, 0.0, 0.0, False, True)
    assert far.tolist() == [0.0] * COUNT


@twins("ch25_convolution")
def test_convolution(rung: ModuleType, memory: Array) -> None:
    far, weight = spread(memory).reshape(1, 1, 3, 3), np.ones((1, 1, 3, 3), np.float32)
    out = np.empty((1, 1, 1, 1), np.float32)
    rung.conv2d(far, weight, None, out, (1, 1), (0, 0), (1, 1), 1)
    assert out.item() == NEAR.sum()
