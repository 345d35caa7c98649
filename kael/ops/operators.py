"""The operations behind Python's most used signs, as methods that compiled tensors call directly."""

from __future__ import annotations

from typing import Any

from kael.kernels import table
from kael.operators import Operators
from kael.ops.elementwise import ADD, MUL, binary, div, sub
from kael.ops.matmul import matmul
from kael.tensors import Tensor


class Operations(Operators):
    """What `Tensor` is bound to."""

    __slots__ = ()

    def add(self, x: Any, y: Any) -> Tensor:
        """``x + y``."""
        return binary(ADD, table.add, x, y)

    def sub(self, x: Any, y: Any) -> Tensor:
        """``x - y``."""
        return sub(x, y)

    def mul(self, x: Any, y: Any) -> Tensor:
        """``x * y``."""
        return binary(MUL, table.mul, x, y)

    def div(self, x: Any, y: Any) -> Tensor:
        """``x / y``."""
        return div(x, y)

    def matmul(self, x: Any, y: Any) -> Tensor:
        """``x @ y``."""
        return matmul(x, y)
