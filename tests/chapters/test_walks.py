"""Chapter 15: what each way to walk a graph backwards gives, on graphs that tell them apart."""

import pytest

from chapters.ch15_graph.graph import ComputationGraph, Tensor, index_graph, topological_backward_order
from chapters.ch15_graph.walks import Walk, each_share, each_total, first_come, in_order
from kael.tracing.trace import Trace


def leaves(graph):
    return graph, Tensor(3.0, requires_grad=True), Tensor(4.0, requires_grad=True)


def unbalanced(trace=None):
    graph, x, y = leaves(ComputationGraph(trace=trace))
    z = graph.mul(x, y)
    return graph, x, y, graph.add(z, graph.mul(graph.add(z, x), y))


def chain():
    graph, x, y = leaves(ComputationGraph())
    return graph, x, y, graph.mul(graph.add(graph.mul(x, y), x), y)


def gradients(walk, *tensors):
    return tuple(walk.gradient(tensor) for tensor in tensors)


def backwards(graph, result, trace=None):
    return in_order(graph, result, topological_backward_order(graph), trace)


@pytest.mark.parametrize(
    ("walk", "expected"),
    [(first_come, (8.0, 18.0)), (each_total, (28.0, 33.0)), (each_share, (24.0, 30.0)), (backwards, (24.0, 30.0))],
)
def test_gradients_of_the_unbalanced_diamond(walk, expected):
    graph, x, y, w = unbalanced()
    assert gradients(walk(graph, w), x, y) == expected


@pytest.mark.parametrize("walk", [first_come, each_total, each_share, backwards])
def test_without_a_diamond_every_walk_is_right(walk):
    graph, x, y, w = chain()
    assert gradients(walk(graph, w), x, y) == (4.0 * 5.0, 3.0 * 4.0 + 15.0)


def test_one_share_at_a_time_runs_a_node_once_per_path():
    graph, x, _ = leaves(ComputationGraph())
    h = x
    for _ in range(10):
        h = graph.add(h, h)
    assert len(each_share(graph, h).visits) == 2**10 - 1
    assert backwards(graph, h).visits == list(range(9, -1, -1))


def test_a_node_that_nothing_reaches_is_passed_over():
    graph, x, _, w = unbalanced()
    graph.mul(w, x)
    assert backwards(graph, w).visits == [3, 2, 1, 0]


def test_a_constant_gets_nothing():
    graph, x, _ = leaves(ComputationGraph())
    constant = Tensor(5.0)
    walk = backwards(graph, graph.mul(x, constant))
    assert gradients(walk, x, constant) == (5.0, None)


def test_a_walk_needs_a_result_that_was_recorded():
    graph, x, _ = leaves(ComputationGraph())
    with pytest.raises(ValueError, match="no node made the result"):
        first_come(graph, x)


def test_a_node_cannot_run_on_nothing():
    graph, _, _, w = unbalanced()
    with pytest.raises(ValueError, match=r"nothing has arrived at nodes\[0\]"):
        Walk(graph, w).run(0, None)


def test_walks_refuse_what_is_no_single_number():
    graph = ComputationGraph()
    x = Tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(ValueError, match=r"^Walk: the result has shape \(2,\); walks are for single numbers$"):
        first_come(graph, graph.mul(x, x))


def test_walks_refuse_operations_whose_slopes_they_do_not_know():
    graph = ComputationGraph()
    result = graph.exp(Tensor(2.0, requires_grad=True))
    with pytest.raises(ValueError, match=r"^Walk: nodes\[0\] is exp; walks know add, mul$"):
        first_come(graph, result)


def test_a_trace_shows_the_node_that_ran_too_early():
    trace = Trace("diamond")
    graph, x, y, w = unbalanced(trace)
    trace.name(x=x, y=y, w=w)
    first_come(graph, w, trace)
    (record,) = trace.passes
    assert [(step.node, step.gradient.value) for step in record.steps] == [
        (3, 1.0),
        (3, 1.0),
        (0, 1.0),
        (2, 1.0),
        (1, 4.0),
    ]
    assert trace.table().splitlines()[-1] == "x.grad = 8.0, y.grad = 18.0"
    assert "GraphNode.grad" not in trace.table() and "Buffers" not in trace.table()


def test_the_index_graph_of_the_unbalanced_diamond():
    graph, *_ = unbalanced()
    assert index_graph(graph) == ([0, 2, 4, 6, 8], [-1, -1, 0, -1, 1, -1, 0, 2])


def test_the_index_graph_of_nothing():
    assert index_graph(ComputationGraph()) == ([0], [])
