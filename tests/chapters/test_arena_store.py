"""Chapter 17's arena store: the same graph as rows in an arena, discarded in constant time."""

import gc
import time

import pytest

from chapters.ch15_graph.graph import ComputationGraph, NodeList, Tensor
from chapters.ch17_engine.arena import ArenaStore
from chapters.ch17_engine.engine import backward
from chapters.flat import Buffer

WAS_RESET = "this node belongs to a graph that was reset"


def chain(graph, x, length):
    y = x
    for _ in range(length):
        y = graph.add(y, x)
    return y


def example(graph, x, y):
    z = graph.mul(x, y)
    return z, graph.add(z, x)


def leaves():
    return Tensor(3.0, requires_grad=True), Tensor(4.0, requires_grad=True)


def seconds(action):
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter()
        action()
        return time.perf_counter() - start
    finally:
        gc.enable()


def discard_time(store_type, length, repeats=3):
    """The shortest time that reset takes on a graph of this many nodes, a chain of sums."""
    leaf, times = Tensor(1.0, requires_grad=True).handle, []
    for _ in range(repeats):
        store, handle = store_type(), leaf
        for _ in range(length):
            handle = store.record("add", [handle, leaf], store.empty((), "d"), [None, None, None])
        times.append(seconds(store.reset))
    return min(times)


@pytest.mark.promise("S51")
@pytest.mark.parametrize("length", [2_000, pytest.param(200_000, marks=pytest.mark.slow)])
def test_reset_takes_the_same_time_however_many_nodes_there_are(length):
    assert discard_time(ArenaStore, length) < 20 * max(discard_time(ArenaStore, 2), 1e-5)


@pytest.mark.promise("S51")
def test_freeing_a_list_of_nodes_grows_with_its_length():
    assert discard_time(NodeList, 20_000) > 20 * max(discard_time(NodeList, 2), 1e-6)


@pytest.mark.promise("S51")
def test_reset_moves_two_cursors_and_touches_no_row():
    graph = ComputationGraph(ArenaStore())
    example(graph, *leaves())
    rows = graph.nodes._rows.tobytes()
    graph.reset()
    assert (len(graph.nodes), graph.nodes.values.used) == (0, 0)
    assert graph.nodes._rows.tobytes() == rows


@pytest.mark.promise("S51")
def test_the_peak_is_the_largest_graph_and_stays_over_ten_steps():
    graph = ComputationGraph(ArenaStore())
    x, y = leaves()
    peaks = []
    for _ in range(10):
        graph.reset()
        _, w = example(graph, x, y)
        backward(graph, w)
        peaks.append(graph.nodes.peak)
    assert len(set(peaks)) == 1 and peaks[0] > 0
    graph.reset()
    backward(graph, chain(graph, x, 50))
    larger = graph.nodes.peak
    assert larger > peaks[0]
    graph.reset()
    backward(graph, example(graph, x, y)[1])
    assert graph.nodes.peak == larger


@pytest.mark.parametrize("attribute", ["op_name", "inputs", "output", "saved", "grad"])
def test_a_node_kept_across_a_reset_raises(attribute):
    graph = ComputationGraph(ArenaStore())
    example(graph, *leaves())
    node = graph.nodes[1]
    getattr(node, attribute)
    graph.reset()
    with pytest.raises(RuntimeError, match=WAS_RESET):
        getattr(node, attribute)


def test_a_kept_node_raises_also_when_its_row_holds_another_node():
    graph = ComputationGraph(ArenaStore())
    x, y = leaves()
    example(graph, x, y)
    node = graph.nodes[0]
    graph.reset()
    example(graph, x, y)
    with pytest.raises(RuntimeError, match=WAS_RESET):
        node.grad = Buffer([1.0], ())


@pytest.mark.parametrize("attribute", ["shape", "grad", "grad_fn_index"])
def test_a_handle_kept_across_a_reset_raises(attribute):
    graph = ComputationGraph(ArenaStore())
    handle = example(graph, *leaves())[1].handle
    getattr(handle, attribute)
    graph.reset()
    with pytest.raises(RuntimeError, match=WAS_RESET):
        getattr(handle, attribute)


def test_a_result_kept_across_a_reset_cannot_be_read_or_used():
    graph = ComputationGraph(ArenaStore())
    x, y = leaves()
    _, w = example(graph, x, y)
    graph.reset()
    with pytest.raises(RuntimeError, match=WAS_RESET):
        w.item()
    with pytest.raises(RuntimeError, match=WAS_RESET):
        graph.add(w, x)


def test_gradients_of_leaves_outlive_the_graph():
    graph = ComputationGraph(ArenaStore())
    x, y = leaves()
    backward(graph, graph.add(x, y))
    graph.reset()
    chain(graph, x, 20)
    assert (x.grad.tolist(), y.grad.tolist()) == (1.0, 1.0)


def test_values_and_gradients_lie_in_the_arena():
    graph = ComputationGraph(ArenaStore())
    z, w = example(graph, *leaves())
    backward(graph, w)
    memory = graph.nodes.values
    assert bytes(memory.view(z.data.offset, 8)) == bytes(memoryview(z.data.data))
    assert graph.nodes[0].grad is z.grad and graph.nodes[1].grad is w.grad
    assert graph.nodes[0].grad.store is graph.nodes


def test_a_node_is_a_view_made_anew_each_time():
    graph = ComputationGraph(ArenaStore())
    example(graph, *leaves())
    assert graph.nodes[0] is not graph.nodes[0]
    assert graph.nodes[0].output is graph.nodes[0].output
    graph.nodes[0].grad = Buffer([2.5], ())
    assert graph.nodes[0].grad.tolist() == 2.5
    assert [node.op_name for node in graph.nodes] == ["mul", "add"]


def test_a_node_beyond_the_end_is_refused():
    graph = ComputationGraph(ArenaStore())
    example(graph, *leaves())
    with pytest.raises(IndexError, match="no node 2; the graph has 2"):
        graph.nodes[2]


def test_the_arena_grows_with_the_graph():
    graph = ComputationGraph(ArenaStore(capacity=64))
    x = Tensor([[1.0] * 9] * 5, requires_grad=True)
    y = graph.mul(graph.exp(graph.mul(x, x)), x)
    total = graph.matmul(graph.matmul(Tensor([[1.0] * 5]), y), Tensor([[1.0]] * 9))
    backward(graph, total)
    assert graph.nodes.values.capacity > 64
    assert x.grad.tolist()[4][8] == pytest.approx(3 * 2.718281828459045)


def test_float32_stays_float32_in_the_arena():
    graph = ComputationGraph(ArenaStore())
    x = Tensor(Buffer([0.1, 0.7], typecode="f"), requires_grad=True)
    y = graph.mul(x, x)
    z = graph.matmul(graph.mul(y, Tensor(Buffer([1.0], (1, 1), "f"))), Tensor(Buffer([1.0, 1.0], (2, 1), "f")))
    backward(graph, z)
    assert (y.data.typecode, x.grad.typecode) == ("f", "f")


def test_more_axes_than_a_row_has_slots_are_refused():
    graph = ComputationGraph(ArenaStore())
    x = Tensor(Buffer([1.0], (1,) * 7), requires_grad=True)
    with pytest.raises(ValueError, match="exp: a row holds 6 axes and 3 operands, not 7 and 1; use NodeList"):
        graph.exp(x)
