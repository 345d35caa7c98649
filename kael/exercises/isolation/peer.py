"""Asking and being asked: one message at a time, over two pipes."""

from __future__ import annotations

import json
from typing import Any, BinaryIO

from kael.exercises.isolation.values import Shared
from kael.exercises.isolation.wire import Garbled, dumps

__all__ = ["LARGEST", "Gone", "Peer"]

LARGEST = 1 << 25
"""Bytes that a message may have."""
FEW = 500
"""Things up to which every message says what has changed of them; with more, only calls and their results do."""
MOST_NESTED = 50


class Gone(Exception):
    """The other process has ended, or closed its pipe."""


class Peer:
    """One end of the conversation.

    Parameters
    ----------
    reading, writing : binary files, not buffered
        The pipes.
    trusted : bool
        Whether this is the side of the checks.
    """

    def __init__(self, reading: BinaryIO, writing: BinaryIO, trusted: bool) -> None:
        self.reading = reading
        self.writing = writing
        self.shared = Shared(self, trusted)
        self.trusted = trusted
        self.nested = 0
        self.waiting = 0
        self.light = False

    def let_go(self, number: int) -> None:
        """A proxy is no more; the other side is told with the next message."""
        self.shared.released.add(number)

    def ask(self, op: str, *arguments: Any) -> Any:
        """Send a question, answer what comes back in between, and return the reply."""
        self.light = op == "end" or (op == "get" and type(arguments[0]).__name__ == "module")
        self.send(["?", op, [self.shared.pack(argument) for argument in arguments], self.circumstances()])
        self.waiting += 1
        try:
            while True:
                what, *rest = self.receive()
                if what == "?":
                    self.reply(*rest)
                elif what == "=":
                    return self.taken(self.shared.unpack, rest[0])
                elif what == "!":
                    raise self.taken(self.error, rest[0])
                else:
                    raise Garbled(f"a message that begins with {what!r:.40}")
        finally:
            self.waiting -= 1

    def circumstances(self) -> Any:
        """What else holds while the question is answered."""
        return None

    def reply(self, op: str, arguments: list[Any], circumstances: Any) -> None:
        """Answer a question of the other side."""
        self.nested += 1
        try:
            if self.nested > MOST_NESTED:
                raise RecursionError("calls back and forth that are nested too deep")
            given = [self.taken(self.shared.unpack, argument) for argument in arguments]
            result = self.perform(op, given, circumstances)
            message = ["=", self.shared.pack(result)]
        except Exception as error:
            message = ["!", self.failed(error)]
        except BaseException as error:
            if self.stops(error):
                raise
            message = ["!", self.failed(error)]
        finally:
            self.nested -= 1
        self.send(message)

    def perform(self, op: str, arguments: list[Any], circumstances: Any) -> Any:
        """Do what was asked."""
        raise NotImplementedError

    def stops(self, error: BaseException) -> bool:
        """Whether an error is not to be handed to the other side."""
        return False

    def failed(self, error: BaseException) -> Any:
        """An error as it is sent."""
        raise NotImplementedError

    def error(self, packed: Any) -> BaseException:
        """An error as it came."""
        raise NotImplementedError

    def taken(self, function: Any, argument: Any) -> Any:
        """What a function makes of a piece of a message; on the side of the checks, its failure is the sender's."""
        if not self.trusted:
            return function(argument)
        try:
            return function(argument)
        except Garbled:
            raise
        except Exception as error:
            raise Garbled(f"{type(error).__name__}: {error}") from error

    def send(self, message: list[Any]) -> None:
        """Write a message, with all that has changed since the last."""
        shared = self.shared
        looks = not self.light and (self.nested + self.waiting == 0 or len(shared.entries) <= FEW)
        self.light = False
        released = []
        while shared.released:  # proxies may go at any time, also in another thread
            released.append(shared.released.pop())
        news, states = shared.outgoing(looks)
        dropped = shared.sweep() if self.trusted and looks else []
        text = f"[{dumps(message)},{dumps(news)},[{','.join(states)}],{dumps(dropped)},{dumps(released)}]"
        data = text.encode("ascii")
        self.write(len(data).to_bytes(4, "big") + data)

    def write(self, data: bytes) -> None:
        """Write all of it."""
        view = memoryview(data)
        try:
            while view:
                view = view[self.writing.write(view) :]
        except OSError as error:
            raise Gone(str(error)) from error

    def receive(self) -> Any:
        """Read a message, and take in what has changed on the other side."""
        size = int.from_bytes(self.read(4), "big")
        if size > LARGEST and self.trusted:
            raise Garbled(f"a message of {size:,} bytes")
        data = self.read(size)
        return self.taken(self.take_in, data)

    def take_in(self, data: bytes) -> Any:
        """The message itself, once all that came along has been taken in."""
        message, news, states, dropped, released = json.loads(data)
        shared = self.shared
        if news or states:
            shared.incoming(news, states)
        if not self.trusted:
            for number in dropped:
                shared.drop(number)
        for number in released:
            shared.release(number)
        return message

    def read(self, size: int) -> bytes:
        """Read so many bytes."""
        parts = []
        while size:
            try:
                part = self.reading.read(size)
            except OSError as error:
                raise Gone(str(error)) from error
            if not part:
                raise Gone("the pipe was closed")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
