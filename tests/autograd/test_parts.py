"""Gradients of the parts of a tensor: added in place to one buffer of its size, and to nobody else's."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

import kael
from kael import Tensor
from kael.autograd import detect_anomaly

WAYS: dict[str, Callable[[Tensor], list[Tensor]]] = {
    "select": lambda x: [x.select(0, k) for k in range(4)],
    "narrow": lambda x: [x.narrow(0, k, 2) for k in range(3)],
    "split": lambda x: list(x.split(1)),
    "chunk": lambda x: list(x.chunk(2, 1)),
    "unbind": lambda x: list(x.unbind()),
    "basic index": lambda x: [x[:, :3], x[1:], x[2], x[..., None], x[-1, 2]],
    "array index": lambda x: [x[[0, 0, 2]], x[:, [1, -1]], x[x > 5.0]],
}


def part_of(x: Tensor, k: int, part: Tensor) -> Tensor:
    """Something of a part that differs from part to part."""
    return (part * (k + 1.5)).sum()


@pytest.mark.parametrize("dtype", [kael.float32, kael.float64, kael.float16], ids=str)
@pytest.mark.parametrize("way", WAYS)
class TestPartsOfATensor:
    def tensor(self, dtype: kael.DType) -> Tensor:
        return kael.arange(20, dtype=dtype).reshape(4, 5).requires_grad_()

    def expected(self, way: str, dtype: kael.DType) -> np.ndarray:
        """The sum of the gradients that each part gives alone."""
        count = len(WAYS[way](self.tensor(dtype)))
        total = np.zeros((4, 5))
        for k in range(count):
            x = self.tensor(dtype)
            part_of(x, k, WAYS[way](x)[k]).backward()
            total += x.grad.numpy()
        return total

    def test_of_a_leaf(self, way: str, dtype: kael.DType) -> None:
        x = self.tensor(dtype)
        sum((part_of(x, k, part) for k, part in enumerate(WAYS[way](x))), kael.zeros((), dtype=dtype)).backward()
        assert np.array_equal(x.grad.numpy(), self.expected(way, dtype))

    def test_of_a_result_beside_a_gradient_that_others_hold(self, way: str, dtype: kael.DType) -> None:
        x = self.tensor(dtype)
        y = x * 1.0
        held = kael.ones(4, 5, dtype=dtype)
        loss = sum((part_of(y, k, part) for k, part in enumerate(WAYS[way](y))), kael.zeros((), dtype=dtype))
        kael.autograd.backward([loss, y], [None, held])
        assert np.array_equal(held.numpy(), np.ones((4, 5)))
        assert np.array_equal(x.grad.numpy(), self.expected(way, dtype) + 1)

    def test_twice_over_a_graph_that_is_kept(self, way: str, dtype: kael.DType) -> None:
        x = self.tensor(dtype)
        y = x * 1.0
        y.retain_grad()
        seen = []
        y.register_hook(lambda g: seen.append(g.numpy().copy()))
        loss = sum((part_of(y, k, part) for k, part in enumerate(WAYS[way](y))), kael.zeros((), dtype=dtype))
        loss.backward(retain_graph=True)
        once = y.grad
        loss.backward()
        want = self.expected(way, dtype)
        assert np.array_equal(once.numpy(), want)
        assert all(np.array_equal(found, want) for found in seen)
        assert np.array_equal(y.grad.numpy(), 2 * want)
        assert np.array_equal(x.grad.numpy(), 2 * want)

    def test_seen_by_a_recorder_and_by_anomaly_mode(self, way: str, dtype: kael.DType) -> None:
        want = self.expected(way, dtype)
        for watching in (kael.record, detect_anomaly):
            x = self.tensor(dtype)
            with watching():
                loss = sum((part_of(x, k, part) for k, part in enumerate(WAYS[way](x))), kael.zeros((), dtype=dtype))
                loss.backward()
            assert np.array_equal(x.grad.numpy(), want)


@pytest.mark.skipif(
    kael.kernels.rung_of(kael.kernels.chapter("ch12")) == "python",
    reason="the lists of plain loops take memory",
)
def test_many_parts_take_one_buffer() -> None:
    x = kael.ones(200, 5000, requires_grad=True)
    loss = sum((row.sum() for row in x), kael.zeros(()))
    tracemalloc.start()
    loss.backward()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.2 * x.array.nbytes


def test_a_part_whose_node_is_used_up_is_refused() -> None:
    x = kael.ones(3, requires_grad=True)
    first, second = x[0], x[1]
    second.backward()
    with pytest.raises(RuntimeError, match="second time .GetitemBackward"):
        (first + second).backward()
