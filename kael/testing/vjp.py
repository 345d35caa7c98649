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
    that arrives would pass. The function is tried

    1. on the inputs as they are;
    2. with inputs of one shape being one and the same tensor, so that a rule which overwrites instead of adding shows;
    3. twice in one graph, on the inputs and on scaled copies two operations further away, so that each input is reached
       by paths of different lengths, and what one call has saved must not be lost to the other;
    4. with each input in turn cut to size 1 along its first longer axis, where the function takes that: what was
       broadcast has to be summed over.

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

    Notes
    -----
    Every element of every input costs two calls of the function in each of the trials. Differences of 1e-4 of a slope,
    and of 1e-6, are forgiven; at a kink, as of the absolute value at 0, the slope is not defined.

    Examples
    --------
    >>> import numpy as np
    >>> from kael.testing import check_vjp
    >>> check_vjp(lambda x, y: x * y + x, [np.ones((2, 3)), np.arange(3.0)])
    """
    __tracebackhide__ = True
    question = Because(because or getattr(fn, "__name__", "fn")) if isinstance(because, str) else because
    arrays = [np.array(value, dtype=np.float64) for value in inputs]
    own = list(range(len(arrays)))
    _compare(fn, arrays, own, question, seed)
    first: dict[tuple[int, ...], int] = {}
    shared = [first.setdefault(array.shape, number) for number, array in enumerate(arrays)]
    if len(first) < len(arrays):
        same = replace(question, called=f"{question.called}, inputs of one shape being one tensor")
        _compare(fn, [arrays[number] for number in shared], shared, same, seed)

    def twice(*tensors: Tensor) -> Tensor:
        return fn(*tensors) + fn(*(each * 1.5 * 0.5 for each in tensors))

    if _takes(twice, arrays):
        far = replace(question, called=f"{question.called}, reached by a short path and by a longer one")
        _compare(twice, arrays, own, far, seed, often=True)
    for number, array in enumerate(arrays):
        axis = next((axis for axis, size in enumerate(array.shape) if size > 1), None)
        cut = None if axis is None else np.take(array, [0], axis)
        if (
            cut is not None
            and len(arrays) > 1
            and _takes(fn, changed := [*arrays[:number], cut, *arrays[number + 1 :]])
        ):
            cause = question.cause or "the gradient is not summed over the axis along which the input was repeated"
            called = f"{question.called}, input {number + 1} being of shape {cut.shape}"
            thin = replace(question, called=called, cause=cause)
            _compare(fn, changed, own, thin, seed)


def _takes(fn: Callable[..., Tensor], arrays: Sequence[Any]) -> bool:
    """Whether a function takes these operands at all; that it refuses some is no matter of gradients."""
    try:
        fn(*(tensor(array) for array in arrays))
    except (ArithmeticError, IndexError, RuntimeError, TypeError, ValueError):
        return False
    return True


def _compare(
    fn: Callable[..., Tensor], arrays: list[Any], owner: list[int], question: Because, seed: int, often: bool = False
) -> None:
    """Check every distinct input; `owner` says which input each argument is, `often` that `fn` uses each twice."""
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
                _cause(fn, arrays, owner, number, got, slopes, often),
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


def _cause(
    fn: Callable[..., Tensor], arrays: list[Any], owner: list[int], number: int, got: Any, slopes: Any, often: bool
) -> str:
    """What a wrong gradient looks like: negated, without the upstream gradient, displaced, or one path of several."""
    near: dict[str, Any] = {"rtol": RELATIVE, "atol": ABSOLUTE}
    if np.allclose(got, -slopes, **near):
        return "negated: every sign is the wrong way round"

    def summed(changed: dict[int, Any]) -> float:
        return float(np.sum(fn(*(tensor(changed[n]) for n in owner)).detach().numpy()))

    plain = _slopes(summed, {n: arrays[n] for n in set(owner)}, number)
    if np.allclose(got, plain, **near) and not np.allclose(plain, slopes, **near):
        return "the gradient that arrives is left out: this is the slope for a gradient of ones"
    for axis, shift in ((axis, shift) for axis in range(got.ndim) for shift in (1, -1)):
        if np.allclose(got, np.roll(slopes, shift, axis), **near):
            return f"off by one along axis {axis}: each element has the gradient of its neighbour"
    if got.ndim == 2 and got.shape[0] == got.shape[1] and np.allclose(got, slopes.T, **near):
        return "transposed: rows and columns are exchanged"
    if owner.count(number) > 1 or often:
        return "overwritten instead of accumulated: the input is used more than once, and not every use has arrived"
    scale = got[np.abs(slopes) > ABSOLUTE] / slopes[np.abs(slopes) > ABSOLUTE]
    if scale.size and np.allclose(scale, scale[0], **near) and abs(scale[0]) > ABSOLUTE:
        return f"every element is {scale[0]:.6g} times the slope: a constant factor is wrong"
    return ""
