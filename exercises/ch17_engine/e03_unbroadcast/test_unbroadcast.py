"""Operands at the front, in the middle and at the end of a gradient of random numbers."""

import numpy as np
import pytest

from chapters.flat import Buffer
from kael.testing import Inputs, Mismatch, assert_equal, assert_tensor


def buffer(array, typecode="d"):
    """An array as a Buffer."""
    return Buffer(array.ravel().tolist(), array.shape, typecode)


@pytest.fixture
def grad(numbers):
    """A gradient of four axes of different sizes."""
    return numbers.normal(size=(2, 3, 4, 5))


def test_bias_at_axis_1(answer, grad, because):
    called = "unbroadcast_at(grad of shape (2, 3, 4, 5), (3,), axis=1)"
    reason = because(
        called,
        aligned_right=buffer(grad.sum((0, 1, 2))),
        kept_axes=buffer(grad.sum((0, 2, 3), keepdims=True)),
        mean_for_sum=buffer(grad.mean((0, 2, 3))),
        first_copy=buffer(grad[0, :, 0, 0]),
        source=buffer(grad),
    )
    try:
        gradient, _ = answer.unbroadcast_at(buffer(grad), (3,), 1)
    except ValueError as error:
        if not str(error).startswith("sum: "):  # only reduce_sum_axis says so, of an axis that is not there any more
            raise
        raise Mismatch(because(called, "axes_moved"), "a gradient", f"ValueError: {error}") from None
    assert_tensor(gradient, buffer(grad.sum((0, 2, 3))), because=reason)


def test_axes_of_size_one(answer, grad, because):
    reason = because(
        "unbroadcast_at(grad of shape (2, 3, 4, 5), (3, 1), axis=1)",
        forgot_size_one=buffer(grad.sum((0, 3))),
        source=buffer(grad),
    )
    gradient, _ = answer.unbroadcast_at(buffer(grad), (3, 1), 1)
    assert_tensor(gradient, buffer(grad.sum((0, 2, 3))[:, None]), because=reason)


def test_operand_at_the_last_axes(answer, grad, because):
    reason = because(
        "unbroadcast_at(grad of shape (2, 3, 4, 5), (4, 5), axis=2)",
        axes_moved=buffer(grad.sum((0, 2))),
        source=buffer(grad),
    )
    gradient, _ = answer.unbroadcast_at(buffer(grad), (4, 5), 2)
    assert_tensor(gradient, buffer(grad.sum((0, 1))), because=reason)


def test_axes_are_reported(answer, grad, because):
    reason = because(
        "the axes of unbroadcast_at(grad of shape (2, 3, 4, 5), (3,), axis=1)", numbers_of_the_rest=(0, 1, 1)
    )
    _, axes = answer.unbroadcast_at(buffer(grad), (3,), 1)
    assert_equal(axes, (0, 2, 3), because=reason)
    thin = buffer(grad[:, :1])
    reason = because(
        "the axes of unbroadcast_at(grad of shape (2, 1, 4, 5), (1, 4), axis=1)", counts_size_one=(0, 1, 3)
    )
    _, axes = answer.unbroadcast_at(thin, (1, 4), 1)
    assert_equal(axes, (0, 3), because=reason)


def test_nothing_was_repeated(answer, grad, because):
    given = buffer(grad)
    reason = because("unbroadcast_at(grad of shape (2, 3, 4, 5), (2, 3, 4, 5), axis=0)", "same_buffer")
    gradient, axes = answer.unbroadcast_at(given, (2, 3, 4, 5), 0)
    assert_tensor(gradient, buffer(grad), because=reason, inputs=Inputs(given))
    assert_equal(
        axes, (), because=because("the axes of unbroadcast_at(grad of shape (2, 3, 4, 5), (2, 3, 4, 5), axis=0)")
    )


def test_operand_that_does_not_fit(answer, grad, because):
    for shape, axis in [((4,), 1), ((3, 5), 1), ((4, 5, 6), 2), ((5,), 4), ((2,), -4)]:
        try:
            got = f"a gradient of shape {answer.unbroadcast_at(buffer(grad), shape, axis)[0].shape}"
        except ValueError:
            got = "ValueError"
        reason = because(f"unbroadcast_at(grad of shape (2, 3, 4, 5), {shape}, axis={axis})", "no_check")
        assert_equal(got, "ValueError", because=reason)


def test_grad_is_left_as_it_was(answer, grad, because):
    given = buffer(grad)
    before = Inputs(given)
    gradient, _ = answer.unbroadcast_at(given, (1, 3), 0)
    reason = because("unbroadcast_at(grad of shape (2, 3, 4, 5), (1, 3), axis=0)", "changes_grad")
    assert_tensor(gradient, buffer(grad.sum((0, 2, 3))[None]), because=reason, inputs=before)


def test_element_type_is_kept(answer, grad, because):
    single = buffer(grad, "f")
    expected = buffer(np.asarray(grad, np.float32).sum((1, 2, 3)), "f")
    gradient, _ = answer.unbroadcast_at(single, (2,), 0)
    reason = because("unbroadcast_at(float32 grad of shape (2, 3, 4, 5), (2,), axis=0)", always_float64=buffer(
        np.array(list(single)).reshape(grad.shape).sum((1, 2, 3))))  # fmt: skip
    assert_tensor(gradient, expected, because=reason)
