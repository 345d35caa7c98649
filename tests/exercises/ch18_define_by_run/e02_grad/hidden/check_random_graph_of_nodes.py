"""A graph drawn at random, with arrays that broadcast, against the engine's own backward."""

from chapters.ch18_define_by_run.engine import Tensor, backward
from kael.testing import assert_tensor


def test_random_graph_of_nodes(answer, numbers, because):
    leaves = [Tensor(numbers.uniform(0.5, 1.5, shape).tolist(), True) for shape in ((2, 3), (1, 3), (2, 1))]
    tensors = list(leaves)
    for _ in range(6):
        left, right = (tensors[int(k)] for k in numbers.integers(0, len(tensors), 2))
        tensors.append(left * right if numbers.integers(2) else left + right)
    wide = tensors[-1] + leaves[0]
    root = Tensor([[1.0, 2.0]]) @ wide @ Tensor([[1.0], [-1.0], [0.5]])
    got = answer.grad(root, tuple(leaves))
    backward(root)
    for number, (leaf, mine) in enumerate(zip(leaves, got, strict=True)):
        if leaf.grad is None:
            assert mine is None, f"leaf {number} has no part in the root, but got {mine}"
        else:
            assert_tensor(mine, leaf.grad, because=because(f"a random graph: the gradient of leaf {number}"))
