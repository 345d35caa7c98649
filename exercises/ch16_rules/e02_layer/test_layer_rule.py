"""The four gradients on shapes whose sizes all differ, with random numbers everywhere."""

import numpy as np
import pytest

from kael.testing import Inputs, Mismatch, assert_tensor

CALL = "layer_vjp with x of shape (4, 3), w of shape (3, 5): the gradient of "


@pytest.fixture
def given(numbers):
    """grad, x, w and scale; every axis has a size of its own."""
    return [numbers.uniform(0.5, 2.0, shape) for shape in ((4, 5), (4, 3), (3, 5), (5,))]


def called(answer, given, because):
    """The four gradients, the arguments being copies; factors that do not fit are a mistake that the chapter names."""
    try:
        return answer.layer_vjp(*(value.copy() for value in given))
    except ValueError as error:
        reason = because("layer_vjp with x of shape (4, 3), w of shape (3, 5)", "no_transpose")
        raise Mismatch(reason, "four gradients", f"ValueError: {error}") from None


def test_gradient_of_x(answer, given, because):
    grad, _, w, scale = given
    reason = because(CALL + "x", forgot_scale=grad @ w.T, forgot_incoming=np.ones_like(grad) * scale @ w.T)
    assert_tensor(called(answer, given, because)[0], (grad * scale) @ w.T, because=reason)


def test_gradient_of_w(answer, given, because):
    grad, x, _, scale = given
    expected = x.T @ (grad * scale)
    reason = because(CALL + "w", on_its_side=expected.T, forgot_scale=x.T @ grad)
    assert_tensor(called(answer, given, because)[1], expected, because=reason)


def test_gradient_of_scale(answer, given, because):
    grad, x, w, scale = given
    product = grad * (x @ w)
    reason = because(
        CALL + "scale",
        forgot_incoming=(x @ w).sum(axis=0),
        scaled_scale=(product * scale).sum(axis=0),
        kept_axis=product.sum(axis=0, keepdims=True),
        not_summed=product,
        mean_for_sum=product.mean(axis=0),
    )
    assert_tensor(called(answer, given, because)[2], product.sum(axis=0), because=reason)


def test_gradient_of_bias(answer, given, because):
    grad, _, _, scale = given
    reason = because(
        CALL + "bias",
        wrong_axis=grad.sum(axis=1),
        scaled_bias=(grad * scale).sum(axis=0),
        kept_axis=grad.sum(axis=0, keepdims=True),
        not_summed=grad,
        mean_for_sum=grad.mean(axis=0),
    )
    assert_tensor(called(answer, given, because)[3], grad.sum(axis=0), because=reason)


def test_arguments_stay(answer, given, because):
    grad, _, w, scale = given
    before = Inputs(*given)
    found = answer.layer_vjp(*given)
    reason = because("layer_vjp: its arguments after the call", "changes_grad")
    assert_tensor(found[0], (grad * scale) @ w.T, because=reason, inputs=before)


def test_element_type_is_kept(answer, given, because):
    single = [value.astype(np.float32) for value in given]
    grad, x, w, scale = (value.astype(np.float64) for value in single)
    exact = {
        "x": (grad * scale) @ w.T,
        "w": x.T @ (grad * scale),
        "scale": (grad * (x @ w)).sum(axis=0),
        "bias": grad.sum(axis=0),
    }
    for mine, (name, in_double) in zip(answer.layer_vjp(*single), exact.items(), strict=True):
        reason = because(f"layer_vjp of float32 arrays: the gradient of {name}", always_float64=in_double)
        assert_tensor(mine, in_double.astype(np.float32), because=reason)
