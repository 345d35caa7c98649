"""A network with a shared weight and a broadcast bias, over two batches, against the engine of the chapter."""

from chapters.ch12_elementwise.reference import elementwise_add
from chapters.ch15_graph.graph import ComputationGraph, Tensor
from chapters.ch17_engine.engine import backward
from kael.testing import assert_tensor


def test_shared_weight_and_bias_over_two_batches(answer, numbers, because):
    weight = Tensor(numbers.normal(size=(2, 2)).tolist(), requires_grad=True)
    bias = Tensor(numbers.normal(size=(2,)).tolist(), requires_grad=True)
    batches = [numbers.normal(size=(3, 2)).tolist() for _ in range(2)]
    ends = numbers.normal(size=(1, 3)).tolist(), numbers.normal(size=(2, 1)).tolist()

    def run(engine):
        for batch in batches:
            graph = ComputationGraph()
            hidden = graph.add(graph.matmul(Tensor(batch), weight), bias)
            again = graph.mul(graph.add(graph.matmul(hidden, weight), bias), hidden)
            engine(graph, graph.matmul(graph.matmul(Tensor(ends[0]), again), Tensor(ends[1])))

    expected = []
    for batch in batches:
        graph = ComputationGraph()
        weight.grad = bias.grad = None
        hidden = graph.add(graph.matmul(Tensor(batch), weight), bias)
        again = graph.mul(graph.add(graph.matmul(hidden, weight), bias), hidden)
        backward(graph, graph.matmul(graph.matmul(Tensor(ends[0]), again), Tensor(ends[1])))
        expected.append((weight.grad, bias.grad))
    weight.grad = bias.grad = None
    run(answer.backward)
    for name, parameter, parts in zip(("weight", "bias"), (weight, bias), zip(*expected, strict=True), strict=True):
        reason = because(f"two batches through a shared weight and bias: {name}.grad", last_pass_only=parts[1])
        assert_tensor(parameter.grad, elementwise_add(*parts), because=reason)
