"""A graph drawn at random, against the engine of the chapter."""

from chapters.ch15_graph.graph import ComputationGraph, Tensor
from chapters.ch17_engine.engine import backward
from kael.testing import assert_tensor


def test_random_graph(answer, numbers, because):
    values = numbers.uniform(0.5, 1.5, 3)
    picks = [(numbers.choice(["add", "mul"]), *(int(k) for k in numbers.integers(0, 3 + n, 2))) for n in range(8)]
    grads = []
    for engine in (answer.backward, backward):
        graph = ComputationGraph()
        tensors = [Tensor(value, requires_grad=True) for value in values]
        for op, left, right in picks:
            tensors.append(getattr(graph, op)(tensors[left], tensors[right]))
        engine(graph, tensors[-1])
        grads.append([None if t.grad is None else t.grad.tolist() for t in tensors])
    for number, (got, expected) in enumerate(zip(*grads, strict=True)):
        steps = "; ".join(f"t{3 + n} = {op}(t{left}, t{right})" for n, (op, left, right) in enumerate(picks))
        reason = because(f"backward of t10 in {steps}: gradient of t{number}")
        assert (got is None) == (expected is None), f"t{number}.grad is {got}, expected {expected}: {steps}"
        if expected is not None:
            assert_tensor(got, expected, because=reason)
