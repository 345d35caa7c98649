"""The condition of `where` is a saved tensor as any other."""

import pytest

import kael


def test_a_condition_changed_between_forward_and_backward_is_noticed():
    x, condition = kael.tensor([1.0, 2.0], requires_grad=True), kael.tensor([True, False])
    y = kael.where(condition, x, 0.0)
    condition[0] = False
    with pytest.raises(RuntimeError, match="modified by an inplace operation: expected version 0, got 1"):
        y.sum().backward()
    assert x.grad is None


def test_a_condition_that_stays_decides_where_the_gradient_goes():
    x, y = kael.ones(2, requires_grad=True), kael.ones(2, requires_grad=True)
    kael.where(kael.tensor([True, False]), x * 3, y * 5).sum().backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([3.0, 0.0], [0.0, 5.0])
