"""Random graphs of sums and products: the numbers of the chapter's engine, and memory that is each leaf's own."""

from chapters.ch15_graph.graph import ComputationGraph, Tensor
from chapters.ch17_engine.engine import backward
from chapters.flat import Buffer
from kael.testing import assert_equal, assert_tensor


def recorded(plan, values):
    """A graph built by a plan; its leaves, its results and its loss."""
    graph = ComputationGraph()
    leaves = [Tensor(Buffer(list(v), (len(v),) if len(v) == 3 else (2, 3)), requires_grad=True) for v in values]
    known, results = list(leaves), []
    for op, a, b in plan:
        results.append(graph.apply(op, known[a % len(known)], known[b % len(known)]))
        known.append(results[-1])
    top = graph.add(results[-1], Tensor(Buffer.full(0.0, (2, 3))))
    loss = graph.matmul(graph.matmul(Tensor([[1.5, -2.0]]), top), Tensor([[0.5], [1.0], [-1.5]]))
    return graph, leaves, [*results, top], loss


def test_random_graphs(answer, numbers, because):
    for _ in range(6):
        plan = [(str(numbers.choice(["add", "add", "mul"])), *numbers.integers(0, 100, 2)) for _ in range(6)]
        values = [numbers.uniform(1.0, 2.0, size).tolist() for size in (6, 6, 3, 6)]
        graph, leaves, results, loss = recorded(plan, values)
        answer.backward(graph, loss)
        theirs, wanted, others, last = recorded(plan, values)
        backward(theirs, last)
        for number, (mine, right) in enumerate(zip([*leaves, *results], [*wanted, *others], strict=True)):
            called = f"backward of {plan}: gradient {number}"
            if right.grad is None:
                assert_equal(mine.grad, None, because=because(called))
            else:
                assert_tensor(mine.grad, right.grad, because=because(called, "in_place"))
        held = [t.grad.data for t in (*leaves, *results, loss) if t.grad is not None]
        alone = [sum(1 for data in held if data is t.grad.data) for t in leaves if t.grad is not None]
        reason = because(
            f"how many gradients lie in the memory of each leaf's, after backward of {plan}", "result_shares"
        )
        assert_equal(alone, [1] * len(alone), because=reason)
        made = [len({id(t.grad.data) for t in them if t.grad is not None}) for them in (results, others)]
        reason = because(f"buffers that hold the gradients of results, after backward of {plan}", "copies_everything")
        assert_equal(made[0], made[1], because=reason)
