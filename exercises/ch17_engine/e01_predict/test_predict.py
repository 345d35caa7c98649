"""Your tables beside the record of the engine, column by column; the first step that differs is named."""

import pytest

from chapters.ch15_graph.graph import ComputationGraph, Tensor
from chapters.ch17_engine.engine import backward
from kael.exercises.answers import filled
from kael.testing import assert_equal, assert_tensor
from kael.tracing.trace import Trace

X, Y = -2.0, 5.0


@pytest.fixture(scope="module")
def record():
    """What the engine did."""
    graph, x, y = ComputationGraph(), Tensor(X, requires_grad=True), Tensor(Y, requires_grad=True)
    graph.trace = trace = Trace("w = (x*y + x) * y", x=x, y=y)
    z = graph.mul(x, y)
    s = graph.add(z, x)
    w = graph.mul(s, y)
    backward(graph, w)
    trace.name(z=z, s=s, w=w)
    return trace.passes[0]


@pytest.fixture(scope="module")
def visits(record):
    """Per visit: its node, and the gradient that had arrived."""
    return [(step.node, step.gradient.value) for step in record.steps if step.kind == "visit"]


@pytest.fixture(scope="module")
def arrivals(record):
    """Per contribution: who passed it on, its place among the inputs, and the contribution."""
    return [
        (number, record.nodes[step.node], passed)
        for number, step in enumerate(record.steps)
        for passed in step.contributions
    ]


@pytest.fixture
def visited(answer, visits):
    """The reader's rows of VISITS."""
    rows = filled(answer.VISITS, "VISITS")
    assert [row[0] for row in rows] == [1, 2, 3], "VISITS: keep its rows and their steps as they were"
    return rows


@pytest.fixture
def arrived(answer, arrivals, record):
    """The reader's rows of ARRIVALS."""
    rows = filled(answer.ARRIVALS, "ARRIVALS")
    given = [(step, record.tensors[passed.tensor].name) for step, _, passed in arrivals]
    assert [row[:2] for row in rows] == given, "ARRIVALS: keep its rows, their steps and receivers as they were"
    return rows


def test_nodes_are_visited_from_the_last(visited, visits, because):
    recorded = sorted(node for node, _ in visits)
    for step, ((_, node, _), (expected, _)) in enumerate(zip(visited, visits, strict=True), 1):
        reason = because(f"step {step}, the node visited", forward_order=recorded[step - 1])
        assert_equal(node, expected, because=reason)


def test_incoming_gradients(visited, visits, record, because):
    for step, ((_, _, gradient), (node, expected)) in enumerate(zip(visited, visits, strict=True), 1):
        output = record.tensors[record.nodes[node].output]
        reason = because(f"step {step}, the gradient of {output.name} when its node is visited",
                         value_for_gradient=output.value)  # fmt: skip
        assert_tensor(gradient, expected, because=reason)


def test_contributions(arrived, arrivals, record, because):
    for (_, _, given, _, _), (step, node, passed) in zip(arrived, arrivals, strict=True):
        incoming = next(entry.gradient.value for entry in record.steps if record.nodes.get(entry.node) is node)
        operands = [record.tensors[number].value for number in node.inputs]
        if node.op == "mul":
            own, other = operands[passed.position], operands[1 - passed.position]
            known = {"forgot_incoming": other, "own_factor": incoming * own}
        else:
            known = {"forgot_incoming": 1.0, "split_in_add": incoming / 2}
        receiver = record.tensors[passed.tensor].name
        reason = because(f"step {step}, what {node.label} passes on to {receiver}", **known)
        assert_tensor(given, passed.gradient.value, because=reason)


def test_branches(arrived, arrivals, record, because):
    for (_, _, _, branch, _), (step, _, passed) in zip(arrived, arrivals, strict=True):
        receiver = record.tensors[passed.tensor].name
        reason = because(f"step {step}, the branch taken for {receiver}", first_is_add="add", assign_again="assign")
        assert_equal(branch, passed.action, because=reason)


def test_running_totals(arrived, arrivals, record, because):
    for (_, _, contribution, _, total), (step, _, passed) in zip(arrived, arrivals, strict=True):
        receiver = record.tensors[passed.tensor].name
        key = "" if contribution == passed.gradient.value else "contribution_first"
        reason = because(f"step {step}, the running total of {receiver}", key, overwrote=passed.gradient.value)
        assert_tensor(total, passed.total.value, because=reason)
