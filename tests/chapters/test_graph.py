"""Chapter 15: tensors, handles, recording and the order of the list."""

import pytest

from chapters.ch15_graph.graph import ComputationGraph, GraphNode, Tensor, topological_backward_order
from chapters.flat import Buffer


def example(x=3.0, y=4.0):
    graph = ComputationGraph()
    x, y = Tensor(x, requires_grad=True), Tensor(y, requires_grad=True)
    z = graph.mul(x, y)
    w = graph.add(z, x)
    return graph, x, y, z, w


@pytest.mark.promise("S40")
def test_forward_values_of_the_running_example():
    _, _, _, z, w = example()
    assert (z.item(), w.item()) == (12.0, 15.0)


@pytest.mark.promise("S40")
def test_backward_order_is_the_list_read_backwards():
    graph, *_ = example()
    assert topological_backward_order(graph) == [1, 0]


def test_an_output_remembers_who_made_it():
    graph, x, y, z, w = example()
    assert (x.grad_fn_index, y.grad_fn_index, z.grad_fn_index, w.grad_fn_index) == (None, None, 0, 1)
    assert [node.op_name for node in graph.nodes] == ["mul", "add"]
    assert graph.nodes[1].inputs == [z.handle, x.handle]
    assert graph.nodes[1].output is w.handle


def test_a_node_starts_with_zeros_of_its_outputs_shape():
    graph = ComputationGraph()
    graph.add(Tensor([[1, 2, 3], [4, 5, 6]], requires_grad=True), Tensor([[10, 20, 30]]))
    assert graph.nodes[0].grad.tolist() == [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]


def test_a_node_saves_operands_and_result_apart_from_its_edges():
    graph, x, y, z, _ = example()
    assert graph.nodes[0].saved == [x.data, y.data, z.data]
    assert not hasattr(graph.nodes[0].inputs[0], "data")


@pytest.mark.promise("S54")
def test_a_subtree_that_requires_no_gradient_is_not_in_the_graph():
    graph = ComputationGraph()
    a, b = Tensor(2.0), Tensor(5.0)
    constant = graph.exp(graph.mul(graph.add(a, b), b))
    assert len(graph.nodes) == 0
    assert (constant.requires_grad, constant.grad_fn_index, constant.grad) == (False, None, None)
    graph.mul(constant, Tensor(1.0, requires_grad=True))
    assert [node.op_name for node in graph.nodes] == ["mul"]


def test_results_require_grad_as_soon_as_one_operand_does():
    graph = ComputationGraph()
    x, c = Tensor(2.0, requires_grad=True), Tensor(3.0)
    assert graph.mul(x, c).requires_grad
    assert not graph.mul(c, c).requires_grad


def test_float32_values_stay_float32():
    graph = ComputationGraph()
    x = Tensor(Buffer([0.1], (), "f"), requires_grad=True)
    assert graph.mul(x, x).data.typecode == "f"


def test_integers_cannot_have_a_gradient():
    with pytest.raises(TypeError, match="only floating point tensors can require gradients"):
        Tensor(Buffer([1], (), "q"), requires_grad=True)


@pytest.mark.parametrize("ragged", [[[1, 2], [3]], [1, [2]], [[1], 2]])
def test_ragged_lists_are_refused(ragged):
    with pytest.raises(ValueError, match="rows of one axis differ in length"):
        Tensor(ragged)


def test_shapes_that_do_not_broadcast_are_refused_by_name():
    graph = ComputationGraph()
    with pytest.raises(ValueError, match=r"size of tensor a \(2\) must match the size of tensor b \(3\)"):
        graph.add(Tensor([1, 2], requires_grad=True), Tensor([1, 2, 3]))


def test_inner_sizes_of_a_product_must_agree():
    graph = ComputationGraph()
    with pytest.raises(ValueError, match="inner sizes 3 and 4 differ"):
        graph.matmul(Tensor([[1, 2, 3]]), Tensor([[1], [2], [3], [4]]))


def test_nothing_is_recorded_by_an_operation_that_fails():
    graph = ComputationGraph()
    with pytest.raises(ValueError):
        graph.add(Tensor([1, 2], requires_grad=True), Tensor([1, 2, 3]))
    assert len(graph.nodes) == 0


def test_a_result_of_another_graph_is_refused():
    first, *_, z, w = example()
    second = ComputationGraph()
    x = Tensor(1.0, requires_grad=True)
    with pytest.raises(ValueError, match=r"mul: operand 1 is nodes\[1\] of another graph; use one graph"):
        second.mul(x, w)
    second.add(x, x)
    with pytest.raises(ValueError, match=r"add: operand 0 is nodes\[0\] of another graph"):
        second.add(z, x)
    assert len(second.nodes) == 1
    first.mul(z, w)


def test_a_result_from_before_a_reset_is_refused():
    graph, x, _, z, _ = example()
    graph.reset()
    with pytest.raises(ValueError, match=r"operand 0 is nodes\[0\] of another graph"):
        graph.mul(z, x)


def test_nodes_and_tensors_print_what_they_are():
    graph, x, *_ = example()
    assert repr(graph.nodes[0]) == "GraphNode('mul', grad=0.0)"
    assert repr(x) == "Tensor(3.0, shape=(), requires_grad=True)"
    assert isinstance(graph.nodes[0], GraphNode)
