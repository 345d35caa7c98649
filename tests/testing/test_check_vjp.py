"""`check_vjp` accepts right gradients and names what is wrong with others."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kael
from kael.testing import Mismatch, check_vjp

A = np.random.default_rng(1).normal(size=(2, 3))
SQUARE = np.random.default_rng(3).normal(size=(3, 3))
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
        (lambda g, x: kael.tensor(np.roll(g.numpy(), 1, 1)), "off by one along axis 1: each element has the gradient"),
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


def test_a_gradient_of_a_square_matrix_that_is_transposed() -> None:
    def scaled(x: Any) -> Any:
        copy = x * 1.0
        if copy.requires_grad:
            copy.register_hook(lambda g: kael.tensor(g.numpy().T))
        return copy * kael.tensor(SQUARE)

    with pytest.raises(Mismatch, match="transposed: rows and columns are exchanged"):
        check_vjp(scaled, [SQUARE])


def square_that_keeps_its_input(kept: list[Any]) -> Callable[..., Any]:
    """x*x, whose rule looks up x where the latest call has left it."""

    def fn(x: Any) -> Any:
        copy = x * 1.0
        kept[:] = [x.detach()]
        if copy.requires_grad:
            copy.register_hook(lambda g: 2 * kept[0] * g)
        return copy + (x * x - x).detach()

    return fn


def test_what_one_call_saves_and_another_writes_over() -> None:
    with pytest.raises(Mismatch, match="reached by a short path and by a longer one"):
        check_vjp(square_that_keeps_its_input([]), [A])


def test_a_use_at_the_end_of_the_longer_path_that_does_not_arrive() -> None:
    def counted(x: Any) -> Any:
        if x.requires_grad and x.grad_fn is not None:  # the copy at the end of the longer path
            return x.detach() * 2.0 + x * 0.0
        return x * 2.0

    with pytest.raises(Mismatch, match="overwritten instead of accumulated: .* not every use has arrived"):
        check_vjp(counted, [A])


def test_a_copy_of_a_broadcast_input_that_is_not_summed() -> None:
    def product(x: Any, y: Any) -> Any:
        copy = x * 1.0
        if copy.requires_grad and x.shape[0] == 1:
            copy.register_hook(lambda g: g / 2.0)
        return copy * y

    with pytest.raises(Mismatch, match=r"input 1 being of shape \(1, 3\)") as caught:
        check_vjp(product, [A, A + 1], because="product(x, y)")
    assert "0.5 times the slope" in str(caught.value)


def test_a_broadcast_input_that_is_wrong_in_a_way_without_a_name() -> None:
    def product(x: Any, y: Any) -> Any:
        copy = x * 1.0
        if copy.requires_grad and x.shape[0] == 1:
            copy.register_hook(lambda g: g + 1.0)
        return copy * y

    with pytest.raises(Mismatch, match="not summed over the axis along which the input was repeated"):
        check_vjp(product, [A, A + 1])


def test_a_function_that_refuses_what_is_broadcast_is_tried_on_the_rest() -> None:
    def strict(x: Any, y: Any) -> Any:
        if x.shape != y.shape:
            raise ValueError("shapes differ")
        return x * y

    check_vjp(strict, [A, A + 1])
