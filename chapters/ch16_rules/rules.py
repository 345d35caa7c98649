"""The backward rules of chapter 16: what each operation does with the gradient of its output.

A rule is a class with a name, the values it reads (`saves`) and `backward(grad, inputs, output)`, which returns one
gradient per input. Every gradient has the shape of the output; summing it back down to a smaller operand is the
engine's work in chapter 17.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

from chapters.ch16_rules.reference import exp_vjp, matmul_vjp, mul_vjp
from chapters.flat import Buffer

__all__ = ["AddOp", "ExpOp", "MatMulOp", "MulOp", "Rule"]


class Rule(Protocol):
    """What the registry takes: a name, what backward reads, shapes to try it on, and backward itself."""

    name: ClassVar[str]
    saves: ClassVar[frozenset[str]]
    samples: ClassVar[tuple[tuple[tuple[int, ...], ...], ...]]

    @staticmethod
    def backward(grad: Buffer, inputs: Sequence[Any], output: Any) -> list[Buffer]:
        """One gradient per input, each of the output's shape (of the operand's own for a matrix product)."""
        ...


def like(x: Buffer) -> Buffer:
    """A new buffer of the shape and type of another."""
    return Buffer.full(0.0, x.shape, x.typecode)


# [add-op]
class AddOp:
    """w = x + y: both inputs get the gradient itself. One buffer goes to two readers, and nothing saved is read."""

    name: ClassVar[str] = "add"
    saves: ClassVar[frozenset[str]] = frozenset()
    samples: ClassVar[Any] = (((), ()), ((2, 3), (2, 3)))

    @staticmethod
    def backward(grad: Buffer, inputs: Sequence[Any], output: Any) -> list[Buffer]:
        """The same buffer twice."""
        return [grad, grad]


# [/add-op]


# [mul-op]
class MulOp:
    """w = x * y: each input gets the gradient times the other input, so both operands are read."""

    name: ClassVar[str] = "mul"
    saves: ClassVar[frozenset[str]] = frozenset({"operands"})
    samples: ClassVar[Any] = (((), ()), ((2, 3), (2, 3)))

    @staticmethod
    def backward(grad: Buffer, inputs: Sequence[Any], output: Any) -> list[Buffer]:
        """grad * y for x and grad * x for y."""
        x, y = inputs
        grad_x, grad_y = like(grad), like(grad)
        mul_vjp(grad, x, y, grad_x, grad_y)
        return [grad_x, grad_y]


# [/mul-op]


# [exp-op]
class ExpOp:
    """y = exp(x): the slope is y itself, so the result is read and the operand is not."""

    name: ClassVar[str] = "exp"
    saves: ClassVar[frozenset[str]] = frozenset({"result"})
    samples: ClassVar[Any] = (((),), ((2, 3),))

    @staticmethod
    def backward(grad: Buffer, inputs: Sequence[Any], output: Any) -> list[Buffer]:
        """grad * y."""
        grad_x = like(grad)
        exp_vjp(grad, output, grad_x)
        return [grad_x]


# [/exp-op]


# [matmul-op]
class MatMulOp:
    """c = a @ b: transpose and multiply again; each operand's gradient reads the other."""

    name: ClassVar[str] = "matmul"
    saves: ClassVar[frozenset[str]] = frozenset({"operands"})
    samples: ClassVar[Any] = (((2, 3), (3, 4)), ((1, 1), (1, 2)))

    @staticmethod
    def backward(grad: Buffer, inputs: Sequence[Any], output: Any) -> list[Buffer]:
        """grad @ b.T for a and a.T @ grad for b."""
        a, b = inputs
        grad_a, grad_b = like(a), like(b)
        matmul_vjp(grad, a, b, grad_a, grad_b)
        return [grad_a, grad_b]


# [/matmul-op]
