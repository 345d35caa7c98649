"""Who else notices when somebody writes into a leaf's gradient, and what was copied to keep it from them."""

import numpy as np
import pytest

from chapters.ch07_broadcasting.spec import broadcast_shapes
from chapters.ch15_graph.graph import FORWARD, ComputationGraph, Forward, Tensor
from chapters.ch16_rules.registry import RULES
from chapters.flat import Buffer
from kael.testing import assert_equal, assert_tensor

SHAPE = (2, 3)


def buffer(array, typecode="d"):
    """An array as a Buffer."""
    return Buffer(array.ravel().tolist(), array.shape, typecode)


class Pieces:
    """Leaves, and a way to one number whose gradient by a tensor is `upstream`."""

    def __init__(self, numbers, typecode="d"):
        self.numbers, self.typecode = numbers, typecode
        row, column = numbers.integers(4, 9, (1, 2)) / 4, numbers.integers(4, 9, (3, 1)) / 4
        column[1] = -column[1]
        self.ends = [Tensor(buffer(end, typecode)) for end in (row, column)]
        self.upstream = buffer(row.T @ column.T, typecode)

    def leaf(self):
        values = self.numbers.uniform(1.0, 2.0, SHAPE)
        return Tensor(buffer(values, self.typecode), requires_grad=True)

    def loss(self, graph, tensor):
        """row @ tensor @ column"""
        return graph.matmul(graph.matmul(self.ends[0], tensor), self.ends[1])


@pytest.fixture
def pieces(numbers):
    return Pieces(numbers)


@pytest.fixture
def graph():
    return ComputationGraph()


def shared_sum(answer, graph, pieces):
    """x, y and s = x + y after a pass from a weighed s."""
    x, y = pieces.leaf(), pieces.leaf()
    s = graph.add(x, y)
    answer.backward(graph, pieces.loss(graph, s))
    return x, y, s


def test_clipping_one_leaf(answer, graph, pieces, because):
    x, y, _ = shared_sum(answer, graph, pieces)
    limit = 0.75
    clipped = buffer(np.clip(list(pieces.upstream), -limit, limit).reshape(SHAPE))
    answer.clip([x], limit)
    assert_tensor(x.grad, clipped, because=because(f"clip([x], {limit}) after backward of x + y: x.grad"))
    reason = because(f"clip([x], {limit}) after backward of x + y: y.grad", clipped_for_all=clipped)
    assert_tensor(y.grad, pieces.upstream, because=reason)


def test_setting_a_leaf_to_zero(answer, graph, pieces, because):
    x, y, _ = shared_sum(answer, graph, pieces)
    two = x.grad is not y.grad
    for k in range(6):
        x.grad[k] = 0.0
    reason = because(
        "x.grad set to zero in place after backward of x + y: y.grad",
        **{"shell_only" if two else "clip_is_one_of_many": Buffer.full(0.0, SHAPE)},
    )
    assert_tensor(y.grad, pieces.upstream, because=reason)


def test_result_that_a_leaf_shares_with(answer, graph, pieces, because):
    x, y, s = shared_sum(answer, graph, pieces)
    for number, leaf in enumerate((x, y)):
        leaf.grad[0] = 100.0
        name = "xy"[number]
        reason = because(f"{name}.grad[0] = 100 after backward of s = x + y: s.grad", "result_shares")
        assert_tensor(s.grad, pieces.upstream, because=reason)


def test_chain_of_sums_shares_one_buffer(answer, graph, pieces, because):
    total, results = pieces.leaf(), []
    for _ in range(5):
        total = graph.add(total, pieces.leaf())
        results.append(total)
    answer.backward(graph, pieces.loss(graph, total))
    for s in results:
        assert_tensor(s.grad, pieces.upstream, because=because("backward of a chain of 5 sums: a result's grad"))
    reason = because("buffers that hold the gradients of the 5 results in a chain of 5 sums", "copies_everything")
    assert_equal(len({id(s.grad.data) for s in results}), 1, because=reason)


class Remembering:
    """A rule that keeps what it has returned."""

    def __init__(self, rule):
        self.rule, self.made = rule, []

    def backward(self, grad, inputs, output):
        gradients = self.rule.backward(grad, inputs, output)
        self.made += gradients
        return gradients


def test_leaf_that_is_alone_keeps_its_buffer(answer, pieces, monkeypatch, because):
    rule = Remembering(RULES["mul"])
    monkeypatch.setitem(RULES, "mul", rule)
    x = pieces.leaf()
    same = Tensor(Buffer(list(x.data), SHAPE), requires_grad=True)
    for y, key in ((pieces.leaf(), "copies_its_own"), (same, "equal_is_not_the_same")):
        graph = ComputationGraph()
        x.grad = y.grad = None
        rule.made.clear()
        answer.backward(graph, pieces.loss(graph, graph.mul(x, y)))
        kept = [any(leaf.grad.data is made.data for made in rule.made) for leaf in (x, y)]
        numbers = "equal numbers" if y is same else "different numbers"
        reason = because(f"backward of x*y, {numbers}: whether x.grad, y.grad are the buffers that the rule made", key)
        assert_equal(kept, [True, True], because=reason)


class AverageOp:
    """w = (x + y) / 2: half of the gradient, one buffer for both."""

    @staticmethod
    def backward(grad, inputs, output):
        half = Buffer([g / 2 for g in grad], grad.shape, grad.typecode)
        return [half, half]


def average(x, y, out):
    for k, (a, b) in enumerate(zip(x, y, strict=True)):
        out[k] = (a + b) / 2


def test_another_rule_that_hands_out_one_buffer(answer, graph, pieces, monkeypatch, because):
    monkeypatch.setitem(FORWARD, "average", Forward(average, broadcast_shapes))
    monkeypatch.setitem(RULES, "average", AverageOp)
    x, y = pieces.leaf(), pieces.leaf()
    answer.backward(graph, pieces.loss(graph, graph.apply("average", x, y)))
    half = Buffer([g / 2 for g in pieces.upstream], SHAPE)
    assert_tensor(x.grad, half, because=because("backward of the average of x and y: x.grad"))
    x.grad[0] = 100.0
    reason = because("x.grad[0] = 100 after backward of the average of x and y: y.grad", "knows_the_sum_only")
    assert_tensor(y.grad, half, because=reason)
    for first in (True, False):
        graph, x = ComputationGraph(), pieces.leaf()
        z = graph.mul(pieces.leaf(), pieces.leaf())
        answer.backward(graph, pieces.loss(graph, graph.apply("average", *((x, z) if first else (z, x)))))
        x.grad[0] = 100.0
        called = f"x.grad[0] = 100 after backward of the average of {'x and z' if first else 'z and x'}, z a product"
        reason = because(f"{called}: z.grad", "asks_too_early" if first else "knows_the_sum_only")
        assert_tensor(z.grad, half, because=reason)


def test_running_totals(answer, graph, because):
    x, y, ten = Tensor(3.0, requires_grad=True), Tensor(4.0, requires_grad=True), Tensor(10.0)
    z, t = graph.mul(x, y), graph.mul(ten, x)
    s = graph.add(z, x)
    w = graph.add(s, t)
    aside = Tensor(7.0, requires_grad=True)
    graph.mul(w, aside)
    answer.backward(graph, w)
    called = "backward of w = (x*y + x) + 10*x at x = 3, y = 4: "
    for name, tensor, expected in (("x", x, 15.0), ("y", y, 3.0), ("z", z, 1.0), ("s", s, 1.0), ("w", w, 1.0)):
        assert_tensor(tensor.grad, Buffer([expected], ()), because=because(f"{called}{name}.grad", "in_place"))
    assert_equal(aside.grad, None, because=because(called + "the gradient of a leaf that does not lead to it"))


def test_second_pass(answer, graph, pieces, because):
    x, y, _ = shared_sum(answer, graph, pieces)
    answer.clip([x], 0.75)
    earlier, kept = list(x.grad), x.grad
    second, factor = ComputationGraph(), pieces.leaf()
    answer.backward(second, pieces.loss(second, second.mul(x, factor)))
    new = [g * f for g, f in zip(pieces.upstream, factor.data, strict=True)]
    both = Buffer([a + b for a, b in zip(earlier, new, strict=True)], SHAPE)
    called = "backward of x + y, clip([x], 0.75), backward of x*f in another graph: "
    reason = because(called + "x.grad", last_pass_only=Buffer(new, SHAPE))
    assert_tensor(x.grad, both, because=reason)
    by_x = Buffer([g * v for g, v in zip(pieces.upstream, x.data, strict=True)], SHAPE)
    assert_tensor(factor.grad, by_x, because=because(called + "f.grad"))
    assert_tensor(y.grad, pieces.upstream, because=because(called + "y.grad"))
    reason = because(called + "the buffer that was x.grad in between", "in_place")
    assert_tensor(kept, Buffer(earlier, SHAPE), because=reason)


def test_element_type_and_shape(answer, numbers, because):
    for typecode, name in (("d", "float64"), ("f", "float32")):
        pieces = Pieces(numbers, typecode)
        for leaf, which in zip(shared_sum(answer, ComputationGraph(), pieces)[:2], "xy", strict=True):
            in_row = Buffer(list(pieces.upstream), None, typecode)
            in_double = Buffer(list(pieces.upstream), SHAPE)
            reason = because(f"backward of x + y in {name}: {which}.grad", flat=in_row, always_float64=in_double)
            assert_tensor(leaf.grad, pieces.upstream, because=reason)
