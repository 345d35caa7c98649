"""Products of matrices, vectors and batches, and einsum: both gradients, in the operands' shapes."""

import pytest

import kael
from tests.promises.gradients import gradients

A = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


@pytest.mark.promise("151")
def test_a_matrix_and_vectors():
    assert gradients(kael.matmul, A, [10.0, 20.0]) == [[[10.0, 20.0]] * 3, [9.0, 12.0]]
    assert gradients(kael.matmul, [1.0, 2.0, 3.0], A) == [[3.0, 7.0, 11.0], [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]]
    assert gradients(kael.matmul, [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]) == [[4.0, 5.0, 6.0], [1.0, 2.0, 3.0]]


@pytest.mark.promise("152")
@pytest.mark.parametrize(
    ("x", "y", "slopes"),
    [
        ((4, 1, 2, 3), (5, 3, 2), (10.0, 8.0)),
        ((4, 2, 3), (3,), (1.0, 8.0)),
        ((2, 3), (4, 3, 2), (8.0, 2.0)),
        ((1, 2, 3), (4, 3, 2), (8.0, 2.0)),
    ],
)
def test_batches_are_stretched_and_summed_back(x, y, slopes):
    operands = [kael.ones(shape, requires_grad=True) for shape in (x, y)]
    kael.matmul(*operands).sum().backward()
    for operand, slope in zip(operands, slopes, strict=True):
        assert operand.grad.tolist() == kael.full(operand.shape, slope).tolist()


@pytest.mark.promise("153")
def test_an_inner_size_of_0_gives_zeros_and_a_batch_of_0_nothing():
    x, y = kael.ones(2, 0, requires_grad=True), kael.ones(0, 3, requires_grad=True)
    z = x @ y
    z.sum().backward()
    assert z.tolist() == [[0.0] * 3] * 2
    assert (x.grad.shape, y.grad.shape) == ((2, 0), (0, 3))
    a, b = kael.ones(0, 2, 3, requires_grad=True), kael.ones(0, 3, 2, requires_grad=True)
    c = kael.bmm(a, b)
    c.sum().backward()
    assert (c.shape, a.grad.shape, b.grad.shape) == ((0, 2, 2), (0, 2, 3), (0, 3, 2))


@pytest.mark.promise("154")
def test_a_matrix_times_itself_gets_both_gradients():
    x = [[1.0, 2.0], [3.0, 4.0]]
    assert gradients(lambda x: x @ x, x) == [[[7.0, 11.0], [9.0, 13.0]]]
    assert gradients(lambda x: x @ x.T, x) == [[[8.0, 12.0], [8.0, 12.0]]]


@pytest.mark.promise("155")
@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: kael.ones(2, 3) @ kael.ones(2, 3), "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
        (lambda: kael.tensor(1.0) @ kael.ones(2), "both arguments to matmul need to be at least 1D"),
        (lambda: kael.bmm(kael.ones(1, 2, 3), kael.ones(4, 3, 2)), "(1, 3) but got: (4, 3)"),
        (
            lambda: kael.ones(2, 3) @ kael.ones(3, 2, dtype=kael.float64),
            "expected m1 and m2 to have the same dtype, but got: float32 != float64",
        ),
    ],
)
def test_operands_that_do_not_fit_are_refused(call, text):
    with pytest.raises(RuntimeError) as error:
        call()
    assert text in str(error.value)


@pytest.mark.promise("156")
def test_einsum():
    x = [[1.0, 2.0], [3.0, 4.0]]
    assert gradients(lambda x: kael.einsum("ii->", x), x) == [[[1.0, 0.0], [0.0, 1.0]]]
    assert gradients(lambda x: kael.einsum("ii->i", x), x) == [[[1.0, 0.0], [0.0, 1.0]]]
    assert kael.einsum("ii->i", kael.tensor(x)).tolist() == [1.0, 4.0]
    assert gradients(lambda x, y: kael.einsum("i,i->", x, y), [1.0, 3.0], [2.0]) == [[2.0, 2.0], [4.0]]
    assert gradients(lambda x: kael.einsum("ij->", x), x) == [[[1.0, 1.0], [1.0, 1.0]]]
    assert gradients(lambda x: kael.einsum("ij,ij->", x, x), x) == [[[2.0, 4.0], [6.0, 8.0]]]
    assert kael.einsum("ba", kael.tensor([[1, 2, 3], [4, 5, 6]])).tolist() == [[1, 4], [2, 5], [3, 6]]
