"""Operands of several shapes: each gets a gradient of its own."""

import math

import pytest

import kael
from tests.promises.gradients import assert_gradients, gradients

ROWS = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


@pytest.mark.promise("106")
def test_a_row_added_to_a_matrix_gets_the_sum_of_the_rows():
    assert gradients(lambda x, y: x + y, ROWS, [1.0, 2.0, 3.0]) == [[[1.0] * 3] * 2, [2.0, 2.0, 2.0]]


@pytest.mark.promise("107")
def test_leading_and_stretched_axes_are_summed():
    x, y = kael.ones(4, 3, 5), kael.ones(3, 1, requires_grad=True)
    (x + y).sum().backward()
    assert y.grad.tolist() == [[20.0], [20.0], [20.0]]


@pytest.mark.promise("108")
def test_a_number_times_a_matrix_gets_a_number():
    assert gradients(lambda x, y: x * y, 2.0, ROWS) == [21.0, [[2.0] * 3] * 2]


@pytest.mark.promise("109")
def test_one_element_added_to_a_matrix_keeps_its_axis():
    assert gradients(lambda x, y: x + y, [1.0], ROWS)[0] == [6.0]


@pytest.mark.promise("110")
def test_a_column_and_a_row_are_both_stretched():
    assert gradients(lambda x, y: x * y, [[1.0], [1.0], [1.0]], [[1.0, 2.0, 3.0, 4.0]]) == [
        [[10.0], [10.0], [10.0]],
        [[3.0, 3.0, 3.0, 3.0]],
    ]


@pytest.mark.promise("111")
def test_a_column_stretched_to_nothing_gets_zeros():
    x, y = kael.zeros(4, 0, requires_grad=True), kael.ones(4, 1, requires_grad=True)
    (x + y).sum().backward()
    assert (x.grad.shape, y.grad.tolist()) == ((4, 0), [[0.0]] * 4)


@pytest.mark.promise("112")
def test_operands_of_one_element_keep_their_axes():
    assert gradients(lambda x, y: x * y, 2.0, [[3.0]]) == [3.0, [[2.0]]]


@pytest.mark.promise("113")
def test_sizes_that_do_not_fit_are_named_with_their_axis():
    with pytest.raises(RuntimeError) as error:
        kael.ones(2) + kael.ones(3)
    assert str(error.value) == (
        "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"
    )


@pytest.mark.promise("114")
def test_where_stretches_all_three():
    condition = kael.tensor([[True], [False]])
    assert gradients(lambda x, y: kael.where(condition, x, y), [1.0, 2.0, 3.0], 5.0) == [[1.0, 1.0, 1.0], 3.0]


@pytest.mark.promise("115")
@pytest.mark.parametrize("rest", [kael.fmod, kael.remainder])
def test_remainders_sum_both_gradients(rest):
    assert gradients(rest, [[5.0], [7.0]], [2.0, 3.0, 4.0]) == [[[3.0], [3.0]], [-5.0, -3.0, -2.0]]


@pytest.mark.promise("115")
def test_powers_and_maxima_sum_both_gradients():
    ln2 = math.log(2)
    assert_gradients(
        lambda x, y: x**y, [[[1.0], [2.0]], [1.0, 2.0, 3.0]], [[[6.0], [17.0]], [2 * ln2, 4 * ln2, 8 * ln2]], 1e-14
    )
    assert gradients(kael.maximum, [[1.0], [3.0]], [0.0, 2.0, 2.0]) == [[[1.0], [3.0]], [0.0, 1.0, 1.0]]
