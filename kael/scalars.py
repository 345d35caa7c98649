"""A tensor of one element as a number of Python."""

from __future__ import annotations

from typing import Any

from kael.tensors import Tensor


def item(x: Tensor) -> Any:
    """The one element.

    Raises
    ------
    RuntimeError
        When there is not exactly one.
    """
    if x.array.size != 1:
        raise RuntimeError(f"a Tensor with {x.array.size} elements cannot be converted to Scalar")
    return x.array.item()


def truth(x: Tensor) -> bool:
    """Whether the one element is not zero.

    Raises
    ------
    RuntimeError
        When there is not exactly one.
    """
    if x.array.size != 1:
        many = "no values" if x.array.size == 0 else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {many} is ambiguous")
    return bool(x.array.item())


def number(x: Tensor) -> Any:
    """The one element, for ``int()`` and ``float()``.

    Raises
    ------
    ValueError
        When there is not exactly one.
    """
    if x.array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return x.array.item()


def index(x: Tensor) -> int:
    """The one element, as a position in a sequence.

    Raises
    ------
    TypeError
        When it is no integer, or there is not exactly one.
    """
    if x.dtype.is_floating_point or x.array.size != 1:
        raise TypeError(
            f"only integer tensors of a single element can be converted to an index, got {x.dtype.name} of shape "
            f"{x.array.shape}"
        )
    return int(x.array.item())


def contains(x: Tensor, value: Any) -> bool:
    """Whether an element equals a number.

    Raises
    ------
    RuntimeError
        For anything else than a number.
    """
    if isinstance(value, str) or not hasattr(value, "__float__"):
        kind = type(value).__name__
        raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {kind}.")
    return bool((x == value).array.any())
