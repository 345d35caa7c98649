"""`check_vjp` accepts right gradients and names what is wrong with others."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kael
from kael.testing import Mismatch, check_vjp

A = np.random.default_rng(1).normal(size=(2, 3))
B = np.random.default_rng(2).normal(size=(3,))


@pytest.mark.parametrize(
    ("fn", "inputs"),
    [
        (lambda x, y: x * y + x, [A, B]),
        (lambda x, y: x * y, [A, A + 1]),
        (lambda x: kael.exp(x * x) + x * x * x, [A / 3]),
        (lambda x: x.sum(), [A]),
        (lambda a, b: a @ b, [A, A.T]),
    ],
    ids=["broadcast", "one shape twice", "unbalanced", "to a scalar", "matmul"],
)
def test_right_gradients(fn: Callable[..., Any], inputs: list[Any]) -> None:
    check_vjp(fn, inputs)


def square_with_gradient(spoil: Callable[..., Any]) -> Callable[..., Any]:
    """x*x, whose gradient passes through a function on its way to x."""

    def fn(x: Any) -> Any:
        copy = x * 1.0
        if copy.requires_grad:
            copy.register_hook(lambda g: spoil(g, x.detach()))
        return copy * copy

    return fn


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda g, x: -g, "negated"),
        (lambda g, x: 2 * x, "the gradient that arrives is left out"),
        (lambda g, x: 0.5 * g, "0.5 times the slope"),
        (lambda g, x: g + 1.0, "no mistake that this check knows"),
    ],
)
def test_wrong_gradient_of_a_square(spoil: Callable[..., Any], words: str) -> None:
    with pytest.raises(Mismatch, match=words):
        check_vjp(square_with_gradient(spoil), [A])


def test_a_use_that_does_not_arrive() -> None:
    def product(x: Any, y: Any) -> Any:
        return x * (y.detach() if x is y else y)

    with pytest.raises(Mismatch, match="inputs of one shape being one tensor(.|\n)*overwritten instead of accumulated"):
        check_vjp(product, [A, A + 1])


def test_no_gradient_at_all() -> None:
    with pytest.raises(Mismatch, match="a gradient of input 1; got none"):
        check_vjp(lambda x, y: x.detach() * y, [A, A])


def test_the_message_names_the_element() -> None:
    with pytest.raises(Mismatch, match=r"at \[0, 0\] of the gradient of input 1, from nudging it"):
        check_vjp(square_with_gradient(lambda g, x: -g), [A])
