"""Gradients by number: what a function gives its operands, nan and infinities included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import kael
from tests.autograd.leaves import leaf


def gradients(f: Callable[..., kael.Tensor], *operands: Any) -> list[Any]:
    """The gradient of the sum of what a function gives, by each operand."""
    leaves = [leaf(operand) for operand in operands]
    f(*leaves).sum().backward()
    return [x.grad if x.grad is None else x.grad.tolist() for x in leaves]


def assert_gradients(f: Callable[..., kael.Tensor], operands: list[Any], expected: list[Any], rtol: float = 0) -> None:
    """Each gradient equals the one that is written down, in shape too; nan equals nan."""
    for found, wanted in zip(gradients(f, *operands), expected, strict=True):
        assert np.shape(found) == np.shape(wanted)
        np.testing.assert_allclose(found, wanted, rtol=rtol)
