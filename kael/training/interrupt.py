"""Ctrl-C as a wish: the step that is under way is finished first."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

__all__ = ["Interrupt"]


class Interrupt:
    """A block in which the first Ctrl-C is noted and the second one interrupts.

    Elsewhere than in the main thread nothing changes: Ctrl-C does not reach it.

    Examples
    --------
    >>> with Interrupt() as interrupt:
    ...     interrupt.asked
    False
    """

    def __init__(self) -> None:
        self.asked = False
        self._before: Any = None

    def __enter__(self) -> Interrupt:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
