"""Reductions where they are not smooth, of nothing, and along which axes."""

import math

import numpy as np
import pytest

import kael
from tests.promises.gradients import assert_gradients, gradients

NAN, INF = math.nan, math.inf


@pytest.mark.promise("128")
@pytest.mark.parametrize("f", [lambda x: x.max(), lambda x: x.amax(), lambda x: (-x).min(), lambda x: x.median()])
def test_equal_extremes_share_the_gradient(f):
    assert [[abs(slope) for slope in found] for found in gradients(f, [1.0, 3.0, 3.0])] == [[0.0, 0.5, 0.5]]


@pytest.mark.promise("128")
def test_an_extreme_along_an_axis_is_the_first_place():
    assert gradients(lambda x: x.max(0).values, [1.0, 3.0, 3.0]) == [[0.0, 1.0, 0.0]]


@pytest.mark.promise("128")
def test_two_equal_operands_of_maximum_share_the_gradient():
    assert gradients(kael.maximum, [3.0], [3.0]) == [[0.5], [0.5]]


@pytest.mark.promise("129")
def test_products_with_zeros():
    assert gradients(lambda x: x.prod(), [2.0, 0.0, 4.0]) == [[0.0, 8.0, 0.0]]
    assert gradients(lambda x: x.prod(), [2.0, 0.0, 0.0]) == [[0.0, 0.0, 0.0]]
    assert gradients(lambda x: x.prod(), [0.0]) == [[1.0]]
    assert gradients(lambda x: x.prod(1), [[0.0, 3.0], [0.0, 0.0]]) == [[[3.0, 0.0], [0.0, 0.0]]]
    assert kael.zeros(0).prod().item() == 1.0


@pytest.mark.promise("130")
def test_running_products_with_zeros():
    assert gradients(lambda x: x.cumprod(0), [2.0, 0.0, 3.0, 4.0]) == [[1.0, 32.0, 0.0, 0.0]]
    assert gradients(lambda x: x.cumprod(0), [2.0, 0.0, 0.0, 3.0]) == [[1.0, 2.0, 0.0, 0.0]]


@pytest.mark.promise("131")
def test_running_sums_add_what_comes_after():
    weights = kael.tensor([1.0, 10.0, 100.0], dtype=kael.float64)
    assert gradients(lambda x: x.cumsum(0) * weights, [5.0, 6.0, 7.0]) == [[111.0, 110.0, 100.0]]
    x = kael.zeros(2, 0, requires_grad=True)
    x.cumsum(1).sum().backward()
    assert x.grad.shape == (2, 0)


@pytest.mark.promise("132")
@pytest.mark.parametrize(
    ("p", "at", "expected"),
    [
        (2, [0.0, 0.0], [0.0, 0.0]),
        (1, [0.0, -2.0], [0.0, -1.0]),
        (INF, [3.0, -3.0, 1.0], [0.5, -0.5, 0.0]),
        (3, [0.0, 2.0], [0.0, 1.0]),
        (0.5, [0.0, 2.0], [0.0, 1.0]),
    ],
)
def test_norms_at_zero_and_of_equal_sizes(p, at, expected):
    assert_gradients(lambda x: kael.norm(x, p), [at], [expected], 1e-14)


@pytest.mark.promise("132")
def test_a_norm_written_as_a_root_of_squares_has_no_gradient_at_zero():
    assert_gradients(lambda x: (x * x).sum().sqrt(), [[0.0, 0.0]], [[NAN, NAN]])


@pytest.mark.promise("133")
def test_spreads_of_constants_and_of_one_element():
    assert gradients(lambda x: x.std(), [2.0, 2.0]) == [[0.0, 0.0]]
    assert_gradients(lambda x: x.var(), [[1.0, 2.0, 4.0]], [[-4 / 3, -1 / 3, 5 / 3]], 1e-14)
    for spread in (kael.std, kael.var):
        with pytest.warns(UserWarning, match="degrees of freedom"):
            assert_gradients(spread, [[2.0]], [[NAN]])
        assert gradients(lambda x, f=spread: f(x, correction=0), [2.0]) == [[0.0]]


@pytest.mark.promise("134")
def test_axes_are_chosen_by_number_tuple_and_from_the_end():
    x = kael.arange(24).reshape(2, 3, 4)
    y = x.numpy()
    assert x.sum((0, -1)).tolist() == y.sum((0, 2)).tolist()
    assert x.sum(-2, keepdim=True).shape == (2, 1, 4)
    assert x.double().mean((1, 2)).tolist() == y.mean((1, 2)).tolist()
    with pytest.raises(RuntimeError, match="^dim 0 appears multiple times in the list of dims$"):
        x.sum((0, -3))
    with pytest.raises(IndexError) as error:
        kael.ones(2, 3).sum(2)
    assert str(error.value) == "Dimension out of range (expected to be in range of [-2, 1], but got 2)"


@pytest.mark.promise("135")
def test_means_of_nothing_and_sums_of_integers():
    x = kael.zeros(0, requires_grad=True)
    mean = x.mean()
    mean.backward()
    assert math.isnan(mean.item())
    assert x.grad.shape == (0,)
    with pytest.raises(RuntimeError, match=r"^mean\(\): could not infer output dtype"):
        kael.tensor([1, 2]).mean()
    for dtype in (kael.int32, kael.bool):
        assert kael.ones(3, dtype=dtype).sum().dtype is kael.int64


@pytest.mark.promise("136")
@pytest.mark.parametrize("f", [lambda x: x.max(), lambda x: x.amax(), lambda x: x.max(0)])
def test_nothing_has_no_largest_element(f):
    with pytest.raises((RuntimeError, IndexError), match="has no largest or smallest element"):
        f(kael.zeros(0))


@pytest.mark.promise("137")
def test_nan_is_the_maximum_and_gets_the_gradient():
    x = kael.tensor([1.0, NAN, 2.0], requires_grad=True)
    largest = x.max()
    largest.backward()
    assert math.isnan(largest.item())
    assert x.grad.tolist() == [0.0, 1.0, 0.0]


@pytest.mark.promise("138")
def test_a_stable_sort_keeps_equal_elements_in_order():
    values, places = kael.tensor([2.0, 1.0] * 50).sort(stable=True)
    assert values.tolist() == [1.0] * 50 + [2.0] * 50
    assert places.tolist() == [*range(1, 100, 2), *range(0, 100, 2)]
    weights = kael.tensor(np.arange(3.0))
    assert gradients(lambda x: x.sort().values * weights, [3.0, 1.0, 2.0]) == [[2.0, 0.0, 1.0]]


@pytest.mark.promise("138")
def test_topk_sends_its_gradient_to_what_it_chose():
    assert gradients(lambda x: x.topk(2).values, [1.0, 3.0, 2.0]) == [[0.0, 1.0, 1.0]]
    with pytest.raises(RuntimeError, match="selected index k out of range"):
        kael.ones(2).topk(3)


@pytest.mark.promise("176")
def test_a_sum_of_nothing_has_a_gradient_of_its_shape():
    x = kael.zeros(0, 3, requires_grad=True)
    x.sum().backward()
    assert (x.grad.shape, x.grad.tolist()) == ((0, 3), [])
