"""Where a tensor lies: on the CPU. PyTorch programs name a device, so the name is known and any other is refused."""

from __future__ import annotations

import operator
from typing import Any


class device:
    """The place of a tensor's memory.

    Parameters
    ----------
    type : str or device
        ``"cpu"``, also with an index as in ``"cpu:0"``.
    index : int, optional
        The index, where it is not part of the text.

    Raises
    ------
    RuntimeError
        For another place than the CPU.
    TypeError
        For something else than a name.

    Examples
    --------
    >>> import kael
    >>> kael.ones(2).device == kael.device("cpu")
    True
    """

    __slots__ = ("index", "type")

    def __init__(self, type: str | device, index: int | None = None) -> None:
        check("device", type)
        kind, _, number = str(type).partition(":")
        self.type: str = kind
        self.index: int | None = int(number) if number else None if index is None else operator.index(index)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __repr__(self) -> str:
        return f"device(type='{self.type}'" + ("" if self.index is None else f", index={self.index}") + ")"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __reduce__(self) -> Any:
        return device, (self.type, self.index)


def check(operation: str, wanted: Any) -> None:
    """Refuse any device but the CPU; None stands for it.

    Raises
    ------
    RuntimeError
        For another device.
    TypeError
        For something else than a device or its name.
    """
    if wanted is None or isinstance(wanted, device):
        return
    if not isinstance(wanted, str):
        raise TypeError(f"{operation}: expected a device such as 'cpu', got {type(wanted).__name__}")
    kind, _, number = wanted.partition(":")
    if kind != "cpu" or not (number or "0").isdecimal():
        raise RuntimeError(f"{operation}: kael computes on the CPU, so there is no device {wanted!r}; use 'cpu'")


CPU = device("cpu")
