"""The signs of Python between tensors, as a class whose methods the operations fill in."""

from __future__ import annotations

from typing import Any


class Operators:
    """The operations behind the signs that programs use most, called without looking anything up."""

    __slots__ = ()

    def add(self, x: Any, y: Any) -> Any:
        """``x + y``."""
        raise NotImplementedError

    def sub(self, x: Any, y: Any) -> Any:
        """``x - y``."""
        raise NotImplementedError

    def mul(self, x: Any, y: Any) -> Any:
        """``x * y``."""
        raise NotImplementedError

    def div(self, x: Any, y: Any) -> Any:
        """``x / y``."""
        raise NotImplementedError

    def matmul(self, x: Any, y: Any) -> Any:
        """``x @ y``."""
        raise NotImplementedError
