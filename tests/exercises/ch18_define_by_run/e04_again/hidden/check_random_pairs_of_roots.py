"""Two roots in a graph drawn at random: the second pass goes where the first has taken nothing away."""

from chapters.ch18_define_by_run import engine
from chapters.ch18_define_by_run.engine import Tensor, count_dependencies
from kael.testing import assert_equal, assert_tensor


def drawn(numbers, choices):
    """Two leaves and two roots; `choices` decides which operations there are."""
    leaves = [Tensor(numbers.uniform(0.5, 1.5, shape).tolist(), True) for shape in ((2, 3), (1, 3))]
    tensors = list(leaves)
    for kind, left, right in choices:
        a, b = tensors[left % len(tensors)], tensors[right % len(tensors)]
        tensors.append(a + b if kind else a * b)
    ends = [Tensor([[1.0, 2.0]]) @ wide @ Tensor([[1.0], [-1.0], [0.5]]) for wide in (
        tensors[-1] + leaves[0] + leaves[1], tensors[-2] + leaves[0] + leaves[1])]  # fmt: skip
    return leaves, ends


def test_random_pairs_of_roots(answer, numbers, because):
    for _ in range(12):
        choices = [tuple(int(n) for n in (numbers.random() < 0.7, *numbers.integers(0, 8, 2))) for _ in range(4)]
        seed = numbers.bit_generator.state
        leaves, (first, second) = drawn(numbers, choices)
        numbers.bit_generator.state = seed
        same, (once, again) = drawn(numbers, choices)
        engine.backward(once, retain_graph=True)
        answer.backward(first)
        shared = set(count_dependencies(first.grad_fn)) & set(count_dependencies(second.grad_fn))
        hit = any(node.name != "AddBackward" for node in shared if node.inputs)
        try:
            answer.backward(second)
            found = "done"
        except RuntimeError:
            found = "RuntimeError"
        reason = because("two roots of a random graph: the second pass", "half_run" if hit else "sum_refused")
        assert_equal(found, "RuntimeError" if hit else "done", because=reason)
        if not hit:
            engine.backward(again)
        for leaf, twin in zip(leaves, same, strict=True):
            assert_tensor(leaf.grad, twin.grad, because=because("a leaf's grad after both passes", "half_run"))
