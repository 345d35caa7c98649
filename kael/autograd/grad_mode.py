"""Whether operations record, per thread, and the guards that change it for a while."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from kael.autograd.per_thread import PerThread

__all__ = ["EnableGradGuard", "GradMode", "NoGradGuard", "enable_grad", "inference_mode", "is_grad_enabled"]
__all__ += ["no_grad", "set_grad_enabled", "without_grad"]

F = TypeVar("F", bound=Callable[..., Any])


grad_enabled = PerThread(True)
"""Whether operations record, for each thread."""


class GradMode:
    """The thread's recording flag: True in every new thread."""

    __slots__ = ()

    @staticmethod
    def is_enabled() -> bool:
        """Whether operations of this thread record."""
        return bool(grad_enabled.get())

    @staticmethod
    def set_enabled(enabled: bool) -> None:
        """Set the flag of this thread; prefer a guard, which restores it."""
        grad_enabled.set(bool(enabled))


is_grad_enabled = GradMode.is_enabled


class _Guard:
    """Sets the flag inside a ``with`` block or a decorated function, and restores the previous value.

    A decorated generator holds the mode only while its own body runs.
    """

    __slots__ = ("_enabled", "_previous")

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled
        self._previous: list[bool] = []

    # [guard]
    def __enter__(self) -> None:
        self._previous.append(grad_enabled.get())
        grad_enabled.set(self._enabled)

    def __exit__(self, *exception: object) -> None:
        grad_enabled.set(self._previous.pop())

    # [/guard]

    def __call__(self, function: F) -> F:
        return _decorated(function, self._enabled)


def _decorated(function: F, enabled: bool) -> F:
    if inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def generator(*args: Any, **kwargs: Any) -> Any:
            body = function(*args, **kwargs)
            received, step = None, body.send
            while True:
                try:
                    with _Guard(enabled):
                        produced = step(received)
                except StopIteration as stop:
                    return stop.value
                try:
                    received, step = (yield produced), body.send
                except GeneratorExit:
                    with _Guard(enabled):
                        body.close()
                    raise
                except BaseException as error:
                    received, step = error, body.throw

        return generator  # type: ignore[return-value]

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with _Guard(enabled):
            return function(*args, **kwargs)

    return wrapper  # type: ignore[return-value]


class no_grad(_Guard):
    """Operations inside do not record; restores the previous mode, also when an exception passes through.

    Works as a ``with`` block and as a decorator, with or without parentheses.

    Examples
    --------
    >>> import kael
    >>> x = kael.tensor([1.0], requires_grad=True)
    >>> with kael.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    __slots__ = ()

    def __new__(cls, function: Any = None) -> Any:
        """A guard, or the function given decorated."""
        return object.__new__(cls) if function is None else _decorated(function, False)

    def __init__(self, function: None = None) -> None:
        super().__init__(False)


class enable_grad(_Guard):
    """Operations inside record, also where recording is off outside."""

    __slots__ = ()

    def __new__(cls, function: Any = None) -> Any:
        """A guard, or the function given decorated."""
        return object.__new__(cls) if function is None else _decorated(function, True)

    def __init__(self, function: None = None) -> None:
        super().__init__(True)


class inference_mode(_Guard):
    """As `no_grad`: kael has no tensors that can never be recorded again. ``inference_mode(False)`` records."""

    __slots__ = ()

    def __new__(cls, mode: Any = True) -> Any:
        """A guard, or the function given decorated."""
        return _decorated(mode, False) if callable(mode) else object.__new__(cls)

    def __init__(self, mode: bool = True) -> None:
        super().__init__(not mode)


class set_grad_enabled(_Guard):
    """Turn recording on or off: at once as a call, for the block as a context, for the function as a decorator."""

    __slots__ = ()

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(f"set_grad_enabled(): argument must be bool, not {type(mode).__name__}")
        super().__init__(mode)
        self._previous.append(grad_enabled.get())
        grad_enabled.set(self._enabled)

    def __enter__(self) -> None:
        pass

    def __call__(self, function: F) -> F:
        """The function decorated; the mode outside goes back to what it was."""
        grad_enabled.set(self._previous.pop())
        return _decorated(function, self._enabled)


def without_grad(function: F) -> F:
    """The function with recording off while it runs."""
    return _decorated(function, False)


NoGradGuard = no_grad
EnableGradGuard = enable_grad
