"""The rule against slopes that are known exactly: in the middle, at both ends, and on shapes."""

import math

import pytest

from chapters.flat import Buffer
from kael.testing import Inputs, Mismatch, assert_tensor


@pytest.fixture
def x(numbers):
    """Inputs of the forward pass, none of them near 0."""
    return [float(v) for v in numbers.uniform(0.5, 3.0, 6)]


@pytest.fixture
def grad(numbers):
    """A gradient that arrives."""
    return Buffer([float(v) for v in numbers.uniform(2.0, 4.0, 6)], (2, 3))


def softplus(x, typecode="d"):
    """The output that the forward pass saved."""
    return Buffer([math.log1p(math.exp(v)) for v in x], (2, 3), typecode)


def slope(x):
    """e^x / (1 + e^x)"""
    return 1.0 / (1.0 + math.exp(-x))


def shaped(values, typecode="d"):
    return Buffer(list(values), (2, 3), typecode)


def test_random_gradient(answer, x, grad, because):
    y = softplus(x)
    reason = because(
        "softplus_vjp(grad, y), random numbers of shape (2, 3)",
        forgot_incoming=shaped(slope(v) for v in x),
        slope_at_y=shaped(g * slope(v) for g, v in zip(grad, y, strict=True)),
        slope_of_log=shaped(g * math.exp(-v) for g, v in zip(grad, y, strict=True)),
        exp_rule=shaped(g * v for g, v in zip(grad, y, strict=True)),
        flat=Buffer([g * slope(v) for g, v in zip(grad, x, strict=True)]),
    )
    expected = shaped(g * slope(v) for g, v in zip(grad, x, strict=True))
    assert_tensor(answer.softplus_vjp(grad, y), expected, because=reason)


def test_tiny_outputs(answer, grad, because):
    for powers in (range(9, 15), range(3, 9)):
        y = shaped(10.0**-k for k in powers)
        found = answer.softplus_vjp(Buffer(list(grad), grad.shape), y)
        for g, v, mine in zip(grad, y, found, strict=True):
            wanted = g * -math.expm1(-v)
            lost = g * (1 - math.exp(-v)) / (g * v)
            called = f"softplus_vjp at the small output y = {v:.0e}: the result over grad * y"
            reason = because(called, "cancelled", lost_digits=lost)
            assert_tensor(mine / (g * v), wanted / (g * v), because=reason)
            off = abs(mine / wanted - 1)
            if not off < 1e-13:
                reason = because(called, "lost_digits" if mine / (g * v) == lost else "cancelled")
                raise Mismatch(reason, f"{wanted / (g * v)!r}", f"{mine / (g * v)!r}, which is off by {off:.0e}")


def test_large_outputs(answer, grad, because):
    reason = because("softplus_vjp at y = 1000, where the slope is 1", "overflow")
    try:
        found = answer.softplus_vjp(Buffer(list(grad), grad.shape), Buffer.full(1000.0, (2, 3)))
    except OverflowError as error:
        raise Mismatch(reason, "the gradient that arrives", f"OverflowError: {error}") from None
    assert_tensor(found, grad, because=reason)


def test_single_number(answer, because):
    found = answer.softplus_vjp(Buffer([-3.0], ()), Buffer([math.log(4.0)], ()))
    reason = because("softplus_vjp(-3, log 4), both of shape ()", flat=Buffer([-2.25]))
    assert_tensor(found, Buffer([-2.25], ()), because=reason)


def test_arguments_stay(answer, x, grad, because):
    y = softplus(x)
    before = Inputs(grad, y)
    expected = shaped(g * slope(v) for g, v in zip(grad, x, strict=True))
    reason = because("softplus_vjp: its arguments after the call", "changes_grad")
    assert_tensor(answer.softplus_vjp(grad, y), expected, because=reason, inputs=before)


def test_element_type_is_kept(answer, x, grad, because):
    single = Buffer(list(grad), (2, 3), "f")
    expected = shaped((g * slope(v) for g, v in zip(single, x, strict=True)), "f")
    for typecode, name in (("f", "float32"), ("d", "float64")):
        y = softplus(x, typecode)
        in_double = shaped(g * -math.expm1(-v) for g, v in zip(single, y, strict=True))
        reason = because(f"softplus_vjp of a float32 grad and a {name} y", always_float64=in_double)
        assert_tensor(answer.softplus_vjp(single, y), expected, because=reason)
