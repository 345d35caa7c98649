"""Your tables beside the recorded graph and two walks over it; the first row that differs is named."""

import pytest

from chapters.ch15_graph import reference
from chapters.ch15_graph.graph import ComputationGraph, Tensor, index_graph, topological_backward_order
from chapters.ch15_graph.walks import first_come, in_order
from kael.exercises.answers import filled
from kael.testing import assert_equal, assert_tensor

X, Y = 2.0, -3.0


class Runs:
    """A trace that keeps which node ran, and on what."""

    def __init__(self):
        self.rows = []

    def visit(self, node, gradient, ready):
        self.rows.append((node, gradient))

    def ignore(self, *_):
        pass

    seed = contribution = done = ignore


class Record:
    """The graph, and what the two walks did."""

    def __init__(self):
        self.graph, x, y = ComputationGraph(), Tensor(X, requires_grad=True), Tensor(Y, requires_grad=True)
        a = self.graph.mul(x, y)
        b = self.graph.add(a, x)
        d = self.graph.mul(b, b)
        c = self.graph.mul(b, y)
        w = self.graph.mul(a, c)
        self.values = [tensor.item() for tensor in (a, b, d, c, w)]
        self.sources = [tuple(handle.grad_fn_index for handle in node.inputs) for node in self.graph.nodes]
        self.marks = [False] * len(self.graph.nodes)
        reference.reachable(*index_graph(self.graph), w.grad_fn_index, self.marks)
        backwards, queued = Runs(), Runs()
        complete = in_order(self.graph, w, topological_backward_order(self.graph), backwards)
        first_come(self.graph, w, queued)
        self.backwards, self.queued = backwards.rows, queued.rows
        self.complete = [complete.total(node) for node in range(len(self.graph.nodes))]


@pytest.fixture(scope="module")
def record():
    """What happened."""
    return Record()


def table(rows, name, firsts):
    """A table of the reader's, its first column as it was."""
    rows = filled(rows, name)
    assert [row[0] for row in rows] == firsts, f"{name}: keep its rows and their first column as they were"
    return rows


def users(record, node):
    """The nodes that use the result of a node."""
    return [user for user, sources in enumerate(record.sources) if node in sources]


def test_sources(answer, record, because):
    for node, *given in table(answer.SOURCES, "SOURCES", [0, 1, 2, 3, 4]):
        for place, (index, expected) in enumerate(zip(given, record.sources[node], strict=True)):
            known = {"zero_for_leaf": 0} if expected is None else {}
            later = [user for user in users(record, node) if user == index]
            if later and index != expected:
                known["who_uses_it"] = index
            which = ("first", "second")[place]
            reason = because(f"SOURCES, node {node}: grad_fn_index of its {which} operand", **known)
            assert_equal(index, expected, because=reason)


def test_reachable(answer, record, because):
    direct = {len(record.marks) - 1, *record.sources[-1]}
    for node, given in table(answer.REACHABLE, "REACHABLE", [0, 1, 2, 3, 4]):
        key = "direct_only" if record.marks[node] and node not in direct else "both_ways"
        reason = because(f"REACHABLE: does w lead back to node {node}", **{key: not record.marks[node]})
        assert_equal(given, record.marks[node], because=reason)


def test_nodes_run_from_the_last(answer, record, because):
    recorded = sorted(node for node, _ in record.backwards)
    idle = [node for node, reached in enumerate(record.marks) if not reached]
    rows = table(answer.RUNS, "RUNS", [1, 2, 3, 4])
    for (step, node, _), (expected, _), forward in zip(rows, record.backwards, recorded, strict=True):
        known = {"forward_order": forward} if forward != expected else {}
        if node in idle:
            known = {"runs_for_nothing": node}
        reason = because(f"RUNS, step {step}: the node that runs", **known)
        assert_equal(node, expected, because=reason)


def test_gradients_that_are_complete(answer, record, because):
    early = dict(record.queued)
    rows = table(answer.RUNS, "RUNS", [1, 2, 3, 4])
    for (step, given, gradient), (node, expected) in zip(rows, record.backwards, strict=True):
        known = {"value_for_gradient": record.values[node]}
        if early[node] != expected:
            known["not_yet_complete"] = early[node]
        if node == 1:
            known["own_factor"] = record.complete[3] * record.values[1]
        key = "" if given == node else "order_first"
        reason = because(f"RUNS, step {step}: the gradient on which node {node} runs", key, **known)
        assert_tensor(gradient, expected, because=reason)


def test_first_come_runs_nodes_as_they_are_reached(answer, record, because):
    rows = table(answer.FIRST_COME, "FIRST_COME", [1, 2, 3, 4])
    other = [4, 3, 0, 1]  # the second operand's node put into the queue before the first's
    backwards = [node for node, _ in record.backwards]
    given = [node for _, node, _ in rows]
    for step, (node, (expected, _)) in enumerate(zip(given, record.queued, strict=True)):
        known = {"second_operand_first": other[step]} if given == other else {"sorted_anyway": backwards[step]}
        reason = because(f"FIRST_COME, step {step + 1}: the node that runs", **known)
        assert_equal(node, expected, because=reason)


def test_first_come_does_not_wait(answer, record, because):
    rows = table(answer.FIRST_COME, "FIRST_COME", [1, 2, 3, 4])
    for (step, given, gradient), (node, expected) in zip(rows, record.queued, strict=True):
        known = {"waited": record.complete[node]} if record.complete[node] != expected else {}
        key = "" if given == node else "order_first"
        reason = because(f"FIRST_COME, step {step}: the gradient on which node {node} runs", key, **known)
        assert_tensor(gradient, expected, because=reason)
