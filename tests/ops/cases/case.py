"""How an operation is called, and what NumPy says that it computes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import kael

UNARY = ((), (5,), (2, 3), (0,), (2, 0), (2, 3, 4))
BINARY = (
    ((2, 3), (2, 3)), ((2, 3), (3,)), ((3, 1), (1, 4)), ((), (2, 3)), ((1,), (2, 3)), ((4, 0), (4, 1)), ((), (1, 1)),
    ((), ()), ((2, 3, 4), (3, 1)),
)  # fmt: skip
AXES = ((2, 3), (2, 3, 4), (3, 1))


def draw(shape: tuple[int, ...], which: int = 0, positive: bool = False) -> np.ndarray:
    """Distinct float64 numbers that meet no kink: none is whole, and no two of two operands are equal."""
    count = int(np.prod(shape))
    order = np.random.default_rng(count + 7 * which).permutation(count)
    values = (order - count // 2 + (0.3, 0.55, 0.8)[which]) * 0.37
    return (np.abs(values) if positive else values).reshape(shape)


@dataclass(frozen=True)
class Case:
    """How to call an operation, and what NumPy says that it computes.

    Parameters
    ----------
    op : str
        The row of the op table.
    call : callable
        ``call(k, *operands)`` with the library `k`: kael, or PyTorch where the two are compared.
    oracle : callable
        The same on NumPy arrays, written without kael.
    shapes : tuple of tuples of shapes
        Per run, the shapes of the operands.
    positive : bool
        Draw operands above zero.
    label : str
        What tells this case from the operation's others.
    kinks : tuple of tuples of arrays
        Operands at kinks, infinities and nan: given to both libraries, not to finite differences.
    differs : str
        Why kael gives something else than PyTorch on purpose; empty where it does not.
    """

    op: str
    call: Callable[..., Any]
    oracle: Callable[..., np.ndarray]
    shapes: tuple[tuple[tuple[int, ...], ...], ...]
    positive: bool = False
    label: str = ""
    kinks: tuple[tuple[Any, ...], ...] = ()
    differs: str = ""

    @property
    def name(self) -> str:
        return f"{self.op}-{self.label}" if self.label else self.op

    def function(self, *operands: kael.Tensor) -> kael.Tensor:
        """The call in kael."""
        return self.call(kael, *operands)

    def arrays(self, shapes: tuple[tuple[int, ...], ...]) -> list[np.ndarray]:
        """Operands of these shapes."""
        return [draw(shape, which, self.positive) for which, shape in enumerate(shapes)]

    def expected(self, *arrays: np.ndarray) -> np.ndarray:
        """The oracle's result."""
        with np.errstate(all="ignore"):
            return np.asarray(self.oracle(*arrays))


def unary(op: str, oracle: Callable[..., Any], positive: bool = False, **more: Any) -> Case:
    """A case of an elementwise operation of one operand."""
    return Case(op, lambda k, x: getattr(k, op)(x), oracle, tuple((shape,) for shape in UNARY), positive, **more)


def binary(op: str, oracle: Callable[..., Any], positive: bool = False, **more: Any) -> Case:
    """A case of an elementwise operation of two operands that broadcast."""
    return Case(op, lambda k, x, y: getattr(k, op)(x, y), oracle, BINARY, positive, **more)


def one(op: str, label: str, call: Any, oracle: Any, *shapes: tuple[int, ...], **more: Any) -> Case:
    """A case of an operation of one operand, of each of these shapes."""
    return Case(op, call, oracle, tuple((shape,) for shape in shapes), label=label, **more)


def several(op: str, label: str, call: Any, oracle: Any, *shapes: tuple[tuple[int, ...], ...], **more: Any) -> Case:
    """A case of an operation of several operands."""
    return Case(op, call, oracle, shapes, label=label, **more)
