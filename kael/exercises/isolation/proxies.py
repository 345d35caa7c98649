"""What stands for an object of the other process: each use of it is a question to that process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

__all__ = ["SPECIAL", "Lent", "Proxy", "Remote", "proxy_class", "special_of"]

SPECIAL = (
    "__call__", "__len__", "__getitem__", "__setitem__", "__delitem__", "__iter__", "__next__", "__contains__",
    "__reversed__", "__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__truediv__",
    "__rtruediv__", "__floordiv__", "__mod__", "__pow__", "__rpow__", "__matmul__", "__rmatmul__", "__neg__",
    "__pos__", "__abs__", "__float__", "__int__", "__index__", "__enter__", "__exit__",
)  # fmt: skip
"""Methods that Python looks for on the class. Comparisons are not among them: they stay those of plain objects."""


class Asks(Protocol):
    """Whoever can ask the other process."""

    def ask(self, op: str, *arguments: Any) -> Any:
        """The reply to a question."""

    def let_go(self, number: int) -> None:
        """Nobody here holds that object of the other process any more."""


class Proxy:
    """An object of the other process."""

    __slots__ = ("__weakref__", "_kael_number", "_kael_peer")

    _kael_number: int
    _kael_peer: Asks

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("_kael_number", "_kael_peer"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self._kael_peer.ask("get", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._kael_peer.ask("set", self, name, value)

    def __delattr__(self, name: str) -> None:
        self._kael_peer.ask("delete", self, name)

    def __repr__(self) -> str:
        return str(self._kael_peer.ask("repr", self))

    def __del__(self) -> None:
        try:
            self._kael_peer.let_go(self._kael_number)
        except AttributeError:  # it was never finished
            return


class Remote(Proxy):
    """An object of the answer, seen by a check. It equals itself and nothing else, whatever its class says."""

    __slots__ = ()

    def __bool__(self) -> bool:
        raise TypeError(f"an object of the answer's own class {type(self).__name__} is neither true nor false")


class Lent(Proxy):
    """An object of a check, seen by the answer."""

    __slots__ = ()


def special_of(thing: Any) -> tuple[str, ...]:
    """Which of the special methods an object has."""
    kind = type(thing)
    return tuple(name for name in SPECIAL if getattr(kind, name, None) is not None)


def proxy_class(base: type[Proxy], name: str, special: tuple[str, ...]) -> type[Proxy]:
    """The class of proxies for one class of the other process: of its name, with its special methods."""
    return type(name, (base,), {"__slots__": (), **{method: _forwarded(method) for method in special}})


def _forwarded(method: str) -> Callable[..., Any]:
    if method == "__call__":

        def call(self: Proxy, /, *arguments: Any, **named: Any) -> Any:
            return self._kael_peer.ask("call", self, arguments, tuple(named.items()))

        return call

    def forwarded(self: Proxy, /, *arguments: Any) -> Any:
        return self._kael_peer.ask("special", self, method, arguments)

    return forwarded
