"""Elementwise operations where they are not smooth, at the ends of what they take, and far out."""

import math

import pytest

import kael
from kael.nn import functional
from tests.promises.gradients import assert_gradients, gradients

NAN, INF = math.nan, math.inf
FAR = [-1000.0, 1000.0]


@pytest.mark.promise("139")
@pytest.mark.parametrize(
    ("name", "at", "slope"),
    [
        ("abs", 0.0, 0.0),
        ("sign", 0.0, 0.0),
        ("relu", 0.0, 0.0),
        ("relu", -0.0, 0.0),
        ("sqrt", 0.0, INF),
        ("rsqrt", 0.0, -INF),
        ("log", 0.0, INF),
        ("reciprocal", 0.0, -INF),
        ("log1p", -1.0, INF),
        ("asin", 1.0, INF),
    ],
)
def test_slopes_at_kinks_and_ends(name, at, slope):
    assert_gradients(getattr(kael, name), [at], [slope])


@pytest.mark.promise("139")
def test_slopes_of_two_operands_at_the_origin():
    assert_gradients(kael.atan2, [0.0, 0.0], [0.0, 0.0])
    assert_gradients(kael.hypot, [0.0, 0.0], [NAN, NAN])


@pytest.mark.promise("140")
def test_relu_of_nan_is_nan_with_slope_1():
    assert math.isnan(kael.tensor(NAN).relu().item())
    assert gradients(kael.relu, NAN) == [1.0]


@pytest.mark.promise("141")
def test_clamp_counts_its_bounds_as_inside():
    assert gradients(lambda x: x.clamp(-1, 1), [-2.0, -1.0, 0.5, 1.0, 2.0, NAN]) == [[0.0, 1.0, 1.0, 1.0, 0.0, 0.0]]
    assert kael.tensor([-2.0, 0.0, 2.0]).clamp(1, -1).tolist() == [-1.0, -1.0, -1.0]
    assert gradients(lambda x: x.clamp(1, -1), [-2.0, 0.0, 2.0]) == [[0.0, 0.0, 0.0]]


@pytest.mark.promise("141")
def test_activations_with_bounds_count_them_as_outside():
    assert gradients(functional.hardtanh, [-1.0, 1.0]) == [[0.0, 0.0]]
    assert gradients(functional.relu6, [0.0, 6.0]) == [[0.0, 0.0]]
    assert gradients(lambda x: kael.maximum(x, kael.tensor([0.0], dtype=kael.float64)), [0.0]) == [[0.5]]
    assert gradients(lambda x: x.clamp_min(0), [0.0]) == [[1.0]]


@pytest.mark.promise("142")
def test_activations_at_zero():
    assert gradients(lambda x: functional.leaky_relu(x, 0.1), [0.0]) == [[0.1]]
    assert gradients(functional.elu, [0.0]) == [[1.0]]
    assert gradients(functional.gelu, [0.0]) == [[0.5]]
    assert gradients(functional.prelu, [0.0], [0.25])[0] == [0.25]


@pytest.mark.promise("143")
@pytest.mark.parametrize(("power", "slope"), [(0, 0.0), (1, 1.0), (2, 0.0), (0.5, INF), (-1, -INF)])
def test_powers_of_zero(power, slope):
    assert_gradients(lambda x: x**power, [0.0], [slope])


@pytest.mark.promise("143")
def test_both_slopes_of_powers():
    assert_gradients(kael.pow, [[0.0, 0.0, 0.0], [0.0, 1.0, 2.0]], [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    assert gradients(kael.pow, [0.0], [-1.0])[1] == [-INF]
    assert_gradients(kael.pow, [[-2.0, -4.0], [3.0, 0.5]], [[12.0, NAN], [NAN, NAN]])
    assert_gradients(lambda x: 2**x, [3.0], [8 * math.log(2)], 1e-14)


@pytest.mark.promise("143")
def test_an_integer_has_no_negative_power():
    with pytest.raises(RuntimeError, match="Integers to negative integer powers are not allowed"):
        kael.tensor([2]) ** -1


@pytest.mark.promise("144")
def test_quotients_by_zero():
    assert kael.tensor([0.0, 1.0]).div(0).tolist()[1] == INF
    assert_gradients(kael.div, [[0.0, 1.0], [0.0, 0.0]], [[INF, INF], [NAN, -INF]])


@pytest.mark.promise("145")
def test_remainders_follow_the_divisor_and_fmod_the_dividend():
    assert kael.remainder(kael.tensor(-5.0), 3).item() == 1.0
    assert kael.fmod(kael.tensor(-5.0), 3).item() == -2.0
    assert gradients(kael.remainder, -5.0, 3.0) == [1.0, 2.0]
    assert gradients(kael.fmod, -5.0, 3.0) == [1.0, 1.0]


@pytest.mark.promise("146")
@pytest.mark.parametrize(
    ("f", "slopes"),
    [
        (kael.sigmoid, [0.0, 0.0]),
        (kael.tanh, [0.0, 0.0]),
        (functional.softplus, [0.0, 1.0]),
        (functional.logsigmoid, [1.0, 0.0]),
        (functional.silu, [0.0, 1.0]),
        (functional.gelu, [0.0, 1.0]),
        (functional.mish, [0.0, 1.0]),
        (functional.elu, [0.0, 1.0]),
    ],
)
def test_slopes_far_out(f, slopes):
    assert_gradients(f, [FAR], [slopes])
    assert all(math.isfinite(value) for value in f(kael.tensor(FAR)).tolist())


@pytest.mark.promise("147")
def test_where_does_not_hide_a_nan_and_where_twice_does():
    assert_gradients(lambda x: kael.where(x > 0, x.sqrt(), 0.0), [[0.0, -1.0]], [[NAN, NAN]])
    assert gradients(lambda x: kael.where(x > 0, kael.where(x > 0, x, 1.0).sqrt(), 0.0), [0.0, -1.0]) == [[0.0, 0.0]]


@pytest.mark.promise("148")
def test_a_nan_in_the_constant_that_was_not_chosen_leaves_the_gradient_clean():
    assert gradients(lambda x: kael.where(x > 0, x, kael.full((), NAN, dtype=kael.float64)), [2.0]) == [[1.0]]


@pytest.mark.promise("149")
def test_dtypes_meet_and_gradients_go_back_in_their_own():
    x = kael.tensor([1.0], requires_grad=True)
    assert (x + 1).dtype is kael.float32
    assert (kael.tensor([1]) + 1.5).dtype is kael.float32
    assert (x * kael.tensor(2.0, dtype=kael.float64)).dtype is kael.float32
    assert (kael.tensor([1], dtype=kael.int32) / 2).dtype is kael.float32
    assert (kael.tensor([True]) + 1).dtype is kael.int64
    (x.double() * 3).sum().backward()
    assert (x.grad.dtype, x.grad.tolist()) == (kael.float32, [3.0])


@pytest.mark.promise("150")
def test_xlogy_and_sinc_at_zero_and_beside_it():
    assert_gradients(kael.xlogy, [0.0, 2.0], [math.log(2), 0.0], 1e-15)
    assert gradients(kael.sinc, 0.0) == [0.0]
    assert_gradients(kael.sinc, [1e-6], [-(math.pi**2) * 1e-6 / 3], 1e-6)
