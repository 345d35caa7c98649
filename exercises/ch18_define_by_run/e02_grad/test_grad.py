"""Graphs on which a gradient that is incomplete, misplaced, shared or left behind shows."""

import pytest

from chapters.ch18_define_by_run.engine import Tensor, backward
from chapters.flat import Buffer
from kael.testing import assert_equal, assert_tensor


@pytest.fixture
def x(numbers):
    return Tensor(numbers.uniform(2.0, 3.0), requires_grad=True)


@pytest.fixture
def y(numbers):
    return Tensor(numbers.uniform(4.0, 5.0), requires_grad=True)


def listed(gradients):
    """Each gradient as a number, None where there is none; the answer must be a tuple."""
    assert isinstance(gradients, tuple), f"grad returned a {type(gradients).__name__}; return a tuple"
    return [None if gradient is None else gradient.tolist() for gradient in gradients]


def test_leaves_in_the_order_asked(answer, x, y, because):
    got = listed(answer.grad(x * y + x, (y, x)))
    expected = [x.tolist(), y.tolist() + 1]
    for name, mine, right, other in zip("yx", got, expected, expected[::-1], strict=True):
        reason = because(f"grad(x*y + x, (y, x)): the gradient of {name}", found_order=other)
        assert_tensor(mine, right, because=reason)


def test_result_that_several_uses_read(answer, x, y, because):
    z = x * y
    t = z * z
    w = t + z
    value, slope = z.tolist(), y.tolist()
    of_z, of_t, of_x = listed(answer.grad(w, (z, t, x)))
    reason = because("z = x*y, t = z*z, w = t + z: grad(w, (z, t, x)), the gradient of x", too_early=slope,
                     last_contribution=value * slope)  # fmt: skip
    assert_tensor(of_x, (1 + 2 * value) * slope, because=reason)
    reason = because("z = x*y, t = z*z, w = t + z: the gradient of z", leaves_only=None, first_contribution=1.0,
                     last_contribution=value)  # fmt: skip
    assert_tensor(of_z, 1 + 2 * value, because=reason)
    assert_tensor(of_t, 1.0, because=because("z = x*y, t = z*z, w = t + z: the gradient of t", leaves_only=None))


def test_what_somebody_holds_stays(answer, x, y, because):
    z = x * y
    w = z + x
    of_w, of_z, of_x = listed(answer.grad(w, (w, z, x)))
    shared = 1 + y.tolist()
    for name, given in (("w", of_w), ("z", of_z)):
        reason = because(f"z = x*y, w = z + x: grad(w, (w, z, x)), the gradient of {name}", in_place=shared)
        assert_tensor(given, 1.0, because=reason)
    assert_tensor(of_x, shared, because=because("z = x*y, w = z + x: the gradient of x", last_contribution=y.tolist()))


def test_input_that_the_root_does_not_depend_on(answer, x, y, because):
    aside = x * y
    try:
        got = listed(answer.grad(x * x, (aside, y, x)))
    except KeyError:
        got = "KeyError"
    expected = [None, None, 2 * x.tolist()]
    reason = because("aside = x*y: grad(x*x, (aside, y, x))", unused_raises="KeyError",
                     unused_zeros=[0.0, 0.0, expected[2]])  # fmt: skip
    assert_equal(got, expected, because=reason)


def test_no_grad_is_touched(answer, x, y, because):
    z = x * y
    kept = x.grad = Buffer([7.0], ())
    answer.grad(z * x, (z, x, y))
    reason = because("x.grad was 7 before grad(z*x, (z, x, y)); afterwards", "touches_grad")
    assert_tensor(x.grad, Buffer([7.0], ()), because=reason)
    assert_equal(x.grad is kept, True, because=because("x.grad is the buffer that it was", "touches_grad"))
    assert_equal((y.grad, z.grad), (None, None), because=because("y.grad and z.grad afterwards", "touches_grad"))


def test_graph_can_be_asked_again(answer, x, y, because):
    w = x * y
    first = listed(answer.grad(w, (x,)))
    try:
        second = listed(answer.grad(w, (x,)))
        backward(w)
    except RuntimeError:
        second = "refused"
    reason = because("grad(w, (x,)) and then once more, and then backward(w)", released="refused")
    assert_equal(second, first, because=reason)


def test_value_that_many_paths_lead_to(answer, because):
    x = y = Tensor(1.0, requires_grad=True)
    for _ in range(40):
        y = y + y
    (of_x,) = listed(answer.grad(y, (x,)))
    assert_tensor(of_x, 2.0**40, because=because("a 1.0 doubled 40 times: the gradient of x", "too_early"))
