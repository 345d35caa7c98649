"""Single keys from a terminal, without Enter where the system has a way; from anything else, the first of a line."""

from __future__ import annotations

import contextlib
import io
import os
import queue
import re
import select
import sys
import threading
import time
from collections.abc import Iterator
from typing import Protocol, TextIO

if sys.platform == "win32":
    import msvcrt
else:
    import termios
    import tty

__all__ = ["Keys", "LineKeys", "open_keys"]

ESCAPES = re.compile(rb"\x1b(\[[0-9;]*[A-Za-z~]|O[A-Za-z])?")
"""What arrows and function keys send."""


class Keys(Protocol):
    """Where keys come from.

    Attributes
    ----------
    single : bool
        Whether a key counts without Enter.
    """

    single: bool

    def wait(self, seconds: float) -> str:
        """The next key; empty when none came in that time."""


class LineKeys:
    """The first character of each line of a stream, read by a thread so that waiting can have an end."""

    single = False

    def __init__(self, stream: TextIO) -> None:
        self.typed: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, args=(stream,), daemon=True).start()

    def _listen(self, stream: TextIO) -> None:
        with contextlib.suppress(OSError, ValueError):  # closed
            for line in stream:
                self.typed.put(line.strip()[:1])

    def wait(self, seconds: float) -> str:
        """The next key; empty when none came in that time, and for an empty line."""
        try:
            return self.typed.get(timeout=seconds)
        except queue.Empty:
            return ""


if sys.platform == "win32":

    class _ConsoleKeys:
        single = True

        def wait(self, seconds: float) -> str:
            deadline = time.monotonic() + seconds
            while not msvcrt.kbhit():
                if time.monotonic() > deadline:
                    return ""
                time.sleep(0.02)
            key = msvcrt.getwch()
            if key == "\x03":
                raise KeyboardInterrupt
            return key

    def _single(stream: TextIO) -> contextlib.AbstractContextManager[Keys]:
        return contextlib.nullcontext(_ConsoleKeys())

else:

    class _TerminalKeys:
        single = True

        def __init__(self, descriptor: int) -> None:
            self.descriptor = descriptor
            self.typed = ""

        def wait(self, seconds: float) -> str:
            if not self.typed and select.select([self.descriptor], [], [], seconds)[0]:
                data = os.read(self.descriptor, 64)
                if not data:  # the terminal has gone
                    time.sleep(seconds)
                self.typed = ESCAPES.sub(b"", data).decode("ascii", errors="ignore")
            key, self.typed = self.typed[:1], self.typed[1:]
            return key

    @contextlib.contextmanager
    def _single(stream: TextIO) -> Iterator[Keys]:
        descriptor = stream.fileno()
        before = termios.tcgetattr(descriptor)
        tty.setcbreak(descriptor)
        try:
            yield _TerminalKeys(descriptor)
        finally:
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def open_keys(stream: TextIO | None = None) -> contextlib.AbstractContextManager[Keys]:
    """Read keys until the block ends; a terminal is then as it was.

    Parameters
    ----------
    stream : text stream, optional
        Standard input when left out.
    """
    stream = stream or sys.stdin or io.StringIO()  # a program without a console has no standard input
    if stream.isatty():
        return _single(stream)
    return contextlib.nullcontext(LineKeys(stream))
