"""Graphs on which an engine that mirrors too little, too early or in the wrong place shows it."""

import pytest

from chapters.ch15_graph.graph import ComputationGraph, Tensor
from kael.testing import assert_equal, assert_tensor


@pytest.fixture
def graph():
    return ComputationGraph()


@pytest.fixture
def x(numbers):
    return Tensor(numbers.uniform(2.0, 3.0), requires_grad=True)


@pytest.fixture
def y(numbers):
    return Tensor(numbers.uniform(4.0, 5.0), requires_grad=True)


def number(gradient):
    """A gradient of one element as a number; None where there is none."""
    return None if gradient is None else gradient.tolist()


def test_running_example(answer, graph, x, y, because):
    answer.backward(graph, graph.add(graph.mul(x, y), x))
    reason = because(
        f"backward of w = x*y + x at x = {x.item():.3f}, y = {y.item():.3f}: x.grad",
        nothing_written=None,
        index_zero=1.0,
    )
    assert_tensor(number(x.grad), y.item() + 1, because=reason)
    assert_tensor(number(y.grad), x.item(), because=because("backward of w = x*y + x: y.grad", "index_zero"))


def test_tensor_that_three_uses_read(answer, graph, x, y, because):
    z = graph.mul(x, y)
    answer.backward(graph, graph.add(graph.mul(z, z), z))
    reason = because(
        "backward of z = x*y, w = z*z + z: x.grad",
        mirrors_incoming=z.item() * y.item(),
        first_only=y.item(),
        stale_total=(1 + z.item()) * y.item(),
    )
    assert_tensor(number(x.grad), (1 + 2 * z.item()) * y.item(), because=reason)


def test_loss_that_is_not_the_last_node(answer, graph, x, y, because):
    w = graph.add(graph.mul(x, y), x)
    graph.mul(w, y)
    answer.backward(graph, w)
    reason = because(
        "backward of w = x*y + x, where w*y was recorded after w: x.grad", last_node=(1 + y.item()) * (1 + y.item())
    )
    assert_tensor(number(x.grad), y.item() + 1, because=reason)


def test_branch_that_does_not_lead_to_the_loss(answer, graph, x, y, because):
    aside = Tensor(2.0, requires_grad=True)
    graph.mul(aside, x)
    answer.backward(graph, graph.mul(x, y))
    reason = because("backward of x*y, where u*x was recorded too: u.grad", never_skips=0.0)
    assert_equal(number(aside.grad), None, because=reason)
    assert_tensor(number(x.grad), y.item(), because=because("backward of x*y: x.grad", "nothing_written"))


def test_every_node_holds_the_gradient_of_its_output(answer, graph, x, y, because):
    z = graph.mul(x, y)
    answer.backward(graph, graph.add(graph.mul(z, x), z))
    for index, expected in enumerate([x.item() + 1, 1.0, 1.0]):
        reason = because(f"backward of z = x*y, w = z*x + z: nodes[{index}].grad afterwards", bypassed=0.0)
        assert_tensor(number(graph.nodes[index].grad), expected, because=reason)


def test_what_a_tensor_holds_stays(answer, graph, x, y, because):
    z = graph.mul(x, y)
    answer.backward(graph, graph.add(z, x))
    reason = because("backward of z = x*y, w = z + x: z.grad afterwards", in_place=1.0 + y.item())
    assert_tensor(number(z.grad), 1.0, because=reason)
