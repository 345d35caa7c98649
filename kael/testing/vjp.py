"""A gradient against central differences, weighed with a random gradient of the output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kael.creation import tensor
from kael.tensors import Tensor
from kael.testing.because import Because
from kael.testing.mismatch import Mismatch

__all__ = ["check_vjp"]

STEP = 1e-6
RELATIVE, ABSOLUTE = 1e-4, 1e-6


def check_vjp(fn: Callable[..., Tensor], inputs: Sequence[Any], *, because: Because | str = "", seed: int = 0) -> None:
    """Compare the gradients of a function with central differences, (f(x + h) - f(x - h)) / 2h, in float64.

    The output is weighed with random numbers: with a gradient of ones, a rule that forgets to multiply by the gradient
    that arrives would pass. Inputs of one shape are then also given as one and the same tensor, so that a rule which
    overwrites instead of adding shows.

    Parameters
    ----------
    fn : callable
        Takes tensors and returns one tensor of any shape.
    inputs : sequence of arrays
        Where to differentiate; non-square and broadcasting shapes show more mistakes than square ones.
    because : Because or str
        What is differentiated, for the message.
    seed : int
        Of the weights.

    Raises
    ------
    Mismatch
        When a gradient is missing or off.

    Examples
    --------
    >>> import numpy as np
    >>> from kael.testing import check_vjp
    >>> check_vjp(lambda x, y: x * y + x, [np.ones((2, 3)), np.arange(3.0)])
    """
    __tracebackhide__ = True
    question = Because(because or getattr(fn, "__name__", "fn")) if isinstance(because, str) else because
    arrays = [np.array(value, dtype=np.float64) for value in inputs]
    _compare(fn, arrays, list(range(len(arrays))), question, seed)
    first: dict[tuple[int, ...], int] = {}
    shared = [first.setdefault(array.shape, number) for number, array in enumerate(arrays)]
    if len(first) < len(arrays):
        same = replace(question, called=f"{question.called}, inputs of one shape being one tensor")
        _compare(fn, [arrays[number] for number in shared], shared, same, seed)


def _compare(fn: Callable[..., Tensor], arrays: list[Any], owner: list[int], question: Because, seed: int) -> None:
    """Check every distinct input; `owner` says which input each argument is."""
    __tracebackhide__ = True
    leaves = {number: tensor(arrays[number], requires_grad=True) for number in sorted(set(owner))}
    output = fn(*(leaves[number] for number in owner))
    numbers = np.random.default_rng(seed)
    weights = numbers.uniform(0.5, 1.5, output.shape) * numbers.choice([-1.0, 1.0], output.shape)
    output.backward(tensor(weights))

    def weighed(changed: dict[int, Any]) -> float:
        return float(np.sum(fn(*(tensor(changed[number]) for number in owner)).detach().numpy() * weights))

    for number, leaf in leaves.items():
        name = f"input {number + 1}"
        if leaf.grad is None:
            raise Mismatch(
                question, f"a gradient of {name}", "none", "the output does not depend on it, or it is cut off"
            )
        got = np.array(leaf.grad.numpy())
        slopes = _slopes(weighed, {n: arrays[n] for n in leaves}, number)
        off = np.argwhere(~np.isclose(got, slopes, rtol=RELATIVE, atol=ABSOLUTE))
        if len(off):
            index = tuple(int(k) for k in off[0])
            raise Mismatch(
                question,
                f"{slopes[index]:.6g} at {list(index)} of the gradient of {name}, from nudging it",
                f"{got[index]:.6g}",
                _cause(fn, arrays, owner, number, got, slopes),
            )


def _slopes(weighed: Callable[[dict[int, Any]], float], arrays: dict[int, Any], number: int) -> Any:
    slopes = np.zeros_like(arrays[number])
    for index in np.ndindex(slopes.shape):
        sides = []
        for step in (STEP, -STEP):
            nudged = arrays[number].copy()
            nudged[index] += step
            sides.append(weighed({**arrays, number: nudged}))
        slopes[index] = (sides[0] - sides[1]) / (2 * STEP)
    return slopes


def _cause(fn: Callable[..., Tensor], arrays: list[Any], owner: list[int], number: int, got: Any, slopes: Any) -> str:
    """What a wrong gradient looks like: negated, without the upstream gradient, or one path of several."""
    near: dict[str, Any] = {"rtol": RELATIVE, "atol": ABSOLUTE}
    if np.allclose(got, -slopes, **near):
        return "negated: every sign is the wrong way round"

    def summed(changed: dict[int, Any]) -> float:
        return float(np.sum(fn(*(tensor(changed[n]) for n in owner)).detach().numpy()))

    plain = _slopes(summed, {n: arrays[n] for n in set(owner)}, number)
    if np.allclose(got, plain, **near) and not np.allclose(plain, slopes, **near):
        return "the gradient that arrives is left out: this is the slope for a gradient of ones"
    if owner.count(number) > 1:
        return "overwritten instead of accumulated: the input is used more than once, and not every use has arrived"
    scale = got[np.abs(slopes) > ABSOLUTE] / slopes[np.abs(slopes) > ABSOLUTE]
    if scale.size and np.allclose(scale, scale[0], **near) and abs(scale[0]) > ABSOLUTE:
        return f"every element is {scale[0]:.6g} times the slope: a constant factor is wrong"
    return ""
