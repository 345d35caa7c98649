"""Anomaly mode: each node remembers the line that recorded it, and a backward pass that goes wrong names both."""

from __future__ import annotations

import os
import traceback
from typing import Any
from weakref import WeakKeyDictionary

from kael.autograd.node import FunctionNode
from kael.autograd.recording import watch, watched
from kael.tensors import Tensor

__all__ = ["detect_anomaly", "is_anomaly_enabled", "set_detect_anomaly"]

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 (pathlib costs an import)


class Watcher:
    """Notes where nodes are recorded, and looks at what they give.

    Parameters
    ----------
    check_nan : bool
        Refuse a gradient that is nan.
    """

    def __init__(self, check_nan: bool) -> None:
        self.check_nan = check_nan
        self.lines: WeakKeyDictionary[FunctionNode, str] = WeakKeyDictionary()

    def note(self, node: FunctionNode) -> None:
        """Keep the innermost line of code outside kael."""
        frames = traceback.StackSummary.extract(traceback.walk_stack(None), lookup_lines=False)
        for frame in frames:
            if not frame.filename.startswith(PACKAGE):
                self.lines[node] = f"{frame.filename}, line {frame.lineno}, in {frame.name}: {frame.line}"
                return

    def apply(self, node: FunctionNode, gradient: Tensor) -> list[Tensor | None]:
        """The gradients that a node gives, none of them nan.

        Raises
        ------
        RuntimeError
            Naming the node and the line that recorded it. Other errors get that as a note.
        """
        where = f"It was recorded at {self.lines.get(node, 'a line that ran before anomaly mode was on')}"
        try:
            results = node.apply(gradient)
        except Exception as error:
            error.add_note(f"Error detected in {node.name}. {where}")
            raise
        for position, result in enumerate(results):
            if self.check_nan and result is not None and (result.array != result.array).any():
                raise RuntimeError(f"Function {node.name!r} returned nan values in its {position}th output. {where}")
        return results


class set_detect_anomaly:
    """Turn anomaly mode on or off: at once as a call, and for the block as a context.

    Parameters
    ----------
    mode : bool
        On or off.
    check_nan : bool
        Also raise when a gradient is nan.
    """

    __slots__ = ("_previous",)

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        if not isinstance(mode, bool):
            raise TypeError(f"set_detect_anomaly(): argument must be bool, not {type(mode).__name__}")
        self._previous = watched()
        watch(Watcher(check_nan) if mode else None)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        watch(self._previous)


class detect_anomaly:
    """Find what makes a gradient nan, or a backward pass fail: inside, errors name the line of the forward pass.

    Slow, and meant for finding a bug: every operation notes where it was called.

    Parameters
    ----------
    check_nan : bool
        Also raise when a gradient is nan.

    Examples
    --------
    >>> import kael
    >>> x = kael.zeros(1, requires_grad=True)
    >>> with kael.autograd.detect_anomaly():
    ...     y = x.sqrt() * 0
    ...     try:
    ...         y.backward()
    ...     except RuntimeError as error:
    ...         print(str(error).partition(" It was recorded at ")[0])
    Function 'SqrtBackward' returned nan values in its 0th output.
    """

    def __init__(self, check_nan: bool = True) -> None:
        self._check_nan = check_nan
        self._previous: list[Any] = []

    def __enter__(self) -> None:
        self._previous.append(watched())
        watch(Watcher(self._check_nan))

    def __exit__(self, *exception: object) -> None:
        watch(self._previous.pop())


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on."""
    return watched() is not None
