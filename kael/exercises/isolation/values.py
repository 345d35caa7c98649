"""What crosses, and how things that can change are kept alike on both sides.

A value becomes JSON: None, bool, int, float and str as themselves, everything else as a list that begins with a tag.
What can change (lists, arrays, buffers, tensors, nodes) crosses once and gets a number; both sides keep it under that
number, and every message brings along what has changed since the last one. So a result that is a view of an argument is
one on both sides, and a list that an answer has changed is changed for the check. What has no other form stays where it
is, and a proxy stands for it.
"""

from __future__ import annotations

import sys
import types
import weakref
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from kael.exercises import blank
from kael.exercises.isolation.arrays import ARRAYS, ArrayEntry, Block, outermost
from kael.exercises.isolation.entries import (
    MUTABLE,
    BytesEntry,
    DictEntry,
    Entry,
    GlobalEntry,
    ListEntry,
    NumbersEntry,
    SetEntry,
    TensorEntry,
    ThingEntry,
)  # fmt: skip
from kael.exercises.isolation.errors import named
from kael.exercises.isolation.library import chapters_class, class_name, found_class, global_name, is_leaf
from kael.exercises.isolation.proxies import SPECIAL, Asks, Lent, Proxy, Remote, proxy_class, special_of
from kael.exercises.isolation.wire import Garbled, known_dtype, to_bytes, to_text

__all__ = ["Shared"]

MOST_DIGITS = 1 << 14
DEEPEST = 64
CLASSES = 1000
"""Different classes of proxies that are kept."""
ENTRIES: dict[str, type[Entry]] = {
    kind.code: kind
    for kind in (
        ListEntry, DictEntry, SetEntry, BytesEntry, NumbersEntry, Block, ArrayEntry, ThingEntry, GlobalEntry,
        TensorEntry,
    )
}  # fmt: skip
BASES: dict[str, type] = {kind.__name__: kind for kind in (int, float, str, tuple, dict)}
TYPES: dict[str, type] = {
    f"{kind.__module__}.{kind.__name__}": kind
    for kind in (
        int, float, bool, str, tuple, list, dict, set, bytes, complex, np.ndarray, np.float16, np.float32, np.float64,
        np.int8, np.int16, np.int32, np.int64, np.uint8, np.bool_,
    )
}  # fmt: skip
TYPE_NAMES = {kind: name for name, kind in TYPES.items()}


class Shared:
    """Everything that one side knows of what has crossed.

    Parameters
    ----------
    peer : Asks
        Through whom proxies ask.
    trusted : bool
        Whether this is the side of the checks: it takes nothing from the other side but data.
    """

    def __init__(self, peer: Asks, trusted: bool) -> None:
        self.peer = peer
        self.trusted = trusted
        self.entries: dict[int, Entry] = {}
        self.numbers: dict[int, int] = {}
        self.fresh: list[Entry] = []
        self.next = 0 if trusted else 1
        self.exports: dict[int, Any] = {}
        self.exported: dict[int, int] = {}
        self.proxies: weakref.WeakValueDictionary[int, Proxy] = weakref.WeakValueDictionary()
        self.released: set[int] = set()
        self.classes: dict[Any, type] = {}

    def number(self) -> int:
        """A number that this side has not given yet."""
        self.next += 2
        return self.next

    def clear(self) -> None:
        """Forget everything, after putting back what the answer has changed of what is not its own."""
        for entry in self.entries.values():
            if entry.before is not None:
                entry.put_back(entry.before[0])
        for table in (self.entries, self.numbers, self.exports, self.exported, self.proxies):
            table.clear()
        self.fresh.clear()
        self.released.clear()

    # Values

    def pack(self, value: Any, depth: int = 0) -> Any:
        """A value as JSON; what can change is entered to be sent along."""
        kind = type(value)
        if value is None or kind is bool or kind is float or kind is str:
            return value
        if kind is int:
            return value if -(1 << 63) <= value < 1 << 63 else ["i", hex(value)]
        if depth > DEEPEST:
            raise ValueError("tuples that are nested too deep")
        if kind is tuple:
            return ["t", *[self.pack(part, depth + 1) for part in value]]
        known = self.numbers.get(id(value))
        if known is not None:
            return ["r", known]
        entry = MUTABLE.get(kind)
        if entry is not None:
            return self.enter(entry, value)
        if isinstance(value, Proxy) and value._kael_peer is self.peer:
            return ["y", value._kael_number]
        plain = PLAIN.get(kind)
        if plain is not None:
            return plain(self, value, depth)
        return self.pack_other(value, kind, depth)

    def pack_other(self, value: Any, kind: type, depth: int) -> Any:
        """What is rarer."""
        if isinstance(value, np.generic) and value.dtype.kind in "biufc":
            return ["n", value.dtype.str, to_text(value.tobytes())]
        if kind in ARRAYS:
            return self.pack_array(value, depth)
        if value is blank:
            return ["_"]
        if value is Ellipsis:
            return ["..."]
        if isinstance(value, np.dtype) and value.kind in "biufcSU":
            return ["d", value.str]
        if isinstance(value, type) and value in TYPE_NAMES:
            return ["T", TYPE_NAMES[value]]
        base = next((base for base in kind.__mro__ if base in (int, float, str, tuple, dict)), None)
        if base is tuple and chapters_class(kind) is not None:
            return ["N", class_name(kind), *[self.pack(part, depth + 1) for part in value]]
        if base is dict:
            return self.enter(DictEntry, value)
        if base is not None and not isinstance(value, Proxy):
            fields = list(getattr(kind, "_fields", ())) if base is tuple else []
            inner: Any = base(value) if base is not str else str.__str__(value)
            return ["u", base.__name__, kind.__name__, fields, self.pack(inner, depth + 1)]
        return self.pack_object(value, kind)

    def pack_object(self, value: Any, kind: type) -> Any:
        """An object with a state, a name, or neither."""
        base = chapters_class(kind)
        if base is not None and (base is kind or self.trusted):
            return self.enter(ThingEntry, value)
        if is_leaf(value):
            self.pack(value.array)  # so that it is there before the tensor that lies on it
            return self.enter(TensorEntry, value)
        if self.trusted:
            if global_name(value) is not None:
                return self.enter(GlobalEntry, value)
            owner = getattr(value, "__self__", None)
            if owner is not None and (type(owner) in MUTABLE or chapters_class(type(owner)) is type(owner)):
                return ["b", self.pack(owner), value.__name__]
            if isinstance(value, types.ModuleType | types.FrameType | types.TracebackType | types.CodeType):
                raise TypeError(f"a check gave the answer a {kind.__name__}; give it data")
        return self.export(value)

    def export(self, value: Any) -> Any:
        """A number for what stays on this side."""
        number = self.exported.get(id(value))
        if number is None:
            number = self.number()
            self.exports[number], self.exported[id(value)] = value, number
        return ["x", number, type(value).__name__, list(special_of(value))]

    def pack_array(self, value: Any, depth: int) -> Any:
        """An array: its place in a block, or its elements where they are objects."""
        if value.dtype.kind == "O":
            items = [self.pack(item, depth + 1) for item in value.ravel().tolist()]
            return ["O", list(value.shape), *items]
        if value.dtype.kind not in "biufcSU" or not value.dtype.isnative:
            return self.export(value)
        block = self.place(value)
        if value.size and not block.low <= byte_bounds(value)[0] < block.high:
            value = value.copy()
            block = self.place(value)
        reference = self.enter(ArrayEntry, value)
        self.entries[reference[1]].lies_in(block)  # type: ignore[attr-defined]
        return reference

    def place(self, value: Any) -> Block:
        """The block that an array lies in; a new one when none is known."""
        low, high = byte_bounds(value)
        blocks = [entry for entry in self.entries.values() if isinstance(entry, Block)]
        if value.size:
            for block in blocks:
                if block.low <= low and high <= block.high:
                    return block
        root = outermost(value)
        for block in blocks:
            if block.thing is root:
                return block
        block = Block(self.number(), root, True)
        self.entries[block.number] = block
        self.fresh.append(block)
        return block

    def enter(self, kind: type[Entry], value: Any) -> Any:
        """A number for what can change; it is sent along with the next message."""
        entry = kind(self.number(), value, True)
        self.entries[entry.number] = entry
        self.numbers[id(value)] = entry.number
        self.fresh.append(entry)
        return ["r", entry.number]

    def unpack(self, value: Any, depth: int = 0) -> Any:
        """The value that was packed on the other side.

        Raises
        ------
        Exception
            Of any kind, when it is none.
        """
        if not isinstance(value, list):
            if isinstance(value, dict):
                raise Garbled("a JSON object where a value belongs")
            return value
        if depth > DEEPEST + 2:
            raise Garbled("values that are nested too deep")
        return UNPACKERS[value[0]](self, value, depth + 1)

    def unpack_reference(self, value: Any, depth: int) -> Any:
        """What is kept under a number."""
        return self.entries[value[1]].thing

    def unpack_own(self, value: Any, depth: int) -> Any:
        """What this side has lent."""
        return self.exports[value[1]]

    def unpack_proxy(self, value: Any, depth: int) -> Any:
        """A proxy of what the other side has lent: always the same one while somebody holds it."""
        _, number, name, special = value
        if not isinstance(number, int) or number % 2 == self.next % 2:
            raise Garbled("an object under a number of the other side")
        self.released.discard(number)
        known = self.proxies.get(number)
        if known is not None:
            return known
        base = Remote if self.trusted else Lent
        name = named(name, "object")
        key = name, tuple(special)
        kind = self.classes.get(key)
        if kind is None:
            if not set(special) <= set(SPECIAL):
                raise Garbled(f"special methods {special}")
            if len(self.classes) > CLASSES:
                self.classes.clear()
            kind = self.classes[key] = proxy_class(base, name, tuple(special))
        proxy: Proxy = object.__new__(kind)
        object.__setattr__(proxy, "_kael_peer", self.peer)
        object.__setattr__(proxy, "_kael_number", number)
        self.proxies[number] = proxy
        return proxy

    def unpack_bound(self, value: Any, depth: int) -> Any:
        """A method of what is kept under a number; only checks send them."""
        if self.trusted:
            raise Garbled("a method by its name")
        return getattr(self.unpack(value[1], depth), value[2])

    def unpack_subclass(self, value: Any, depth: int) -> Any:
        """A number, text or tuple of a class of its own, without what that class adds."""
        _, base, name, fields, inner = value
        plain = self.unpack(inner, depth)
        if type(plain) is not BASES[base] or not all(named(field, "") for field in fields):
            raise Garbled(f"a {base} that is none")
        return self.subclass(base, name, tuple(fields))(plain)

    def unpack_record(self, value: Any, depth: int) -> Any:
        """A named tuple of the chapters."""
        kind = found_class(value[1])
        if not issubclass(kind, tuple):
            raise Garbled(f"{value[1]} is no tuple")
        return kind._make(self.unpack(part, depth) for part in value[2:])  # type: ignore[attr-defined]

    def unpack_scalar(self, value: Any, depth: int) -> Any:
        """A NumPy number."""
        kind = known_dtype(value[1])
        (found,) = np.frombuffer(to_bytes(value[2]), kind)
        return found

    def unpack_objects(self, value: Any, depth: int) -> Any:
        """An array of objects."""
        _, shape, *items = value
        found = np.empty(len(items), object)
        for k, item in enumerate(items):
            found[k] = self.unpack(item, depth)
        return found.reshape(shape)

    def subclass(self, base: str, name: str, fields: tuple[str, ...]) -> Any:
        """A class of that name below a class that is known, with nothing of its own but names of its places."""
        key = base, name, fields
        kind = self.classes.get(key)
        if kind is None:
            places = {field: _place(k) for k, field in enumerate(fields) if not field.startswith("_")}
            kind = self.classes[key] = type(named(name, base), (BASES[base],), {"__module__": "answer", **places})
        return kind

    def with_methods(self, base: type, name: str, methods: list[str]) -> type:
        """A class below one of the chapters', whose methods run on the side of the checks."""
        key = base, name, tuple(methods)
        kind = self.classes.get(key)
        if kind is None:
            body = {method: _method(self.peer, method) for method in methods}
            kind = self.classes[key] = type(name, (base,), {"__slots__": (), **body})
        return kind

    # Messages

    def outgoing(self, scan: bool) -> tuple[list[Any], list[str]]:
        """What the other side does not know yet: new things, and the states of those that have changed."""
        states: list[str] = []
        news: list[Any] = []
        if scan:
            for entry in list(self.entries.values()):
                if entry.last is not None:
                    text = entry.changed(self)
                    if text is not None:
                        states.append(f"[{entry.number},{text}]")
        done = 0
        while done < len(self.fresh):
            entry = self.fresh[done]
            done += 1
            news.append([entry.number, entry.code, entry.meta(self)])
            states.append(f"[{entry.number},{entry.changed(self)}]")
        self.fresh.clear()
        return news, states

    def incoming(self, news: list[Any], states: list[Any]) -> None:
        """Take in what the other side has sent."""
        for number, code, meta in news:
            if number in self.entries or number % 2 == self.next % 2:
                raise Garbled(f"a new thing under the number {number}")
            kind = ENTRIES[code]
            thing = kind.make(self, meta)  # type: ignore[attr-defined]
            entry = self.entries[number] = kind(number, thing, False)
            if isinstance(entry, ArrayEntry):
                block = self.entries[meta[0]]
                assert isinstance(block, Block)
                entry.lies_in(block)
            if not isinstance(entry, Block):
                self.numbers[id(thing)] = number
        for number, state in states:
            entry = self.entries[number]
            if self.trusted and entry.mine and entry.before is None:
                entry.before = (entry.copy(),)
            entry.fill(self, state)
        for number, _ in states:
            self.entries[number].remember(self)
        for number, code, meta in news:
            if code == "M" and meta[3] is not True:
                self.entries[number].thing.flags.writeable = False

    def sweep(self) -> list[int]:
        """Let go of what nobody on this side holds any more; its numbers, for the other side to do the same."""
        dropped = []
        for number, entry in list(self.entries.items()):
            if held(entry) <= entry.holders + HELD and entry.last is not None:
                if isinstance(entry, Block) and any(
                    isinstance(other, ArrayEntry) and other.block is entry for other in self.entries.values()
                ):
                    continue
                dropped.append(number)
                self.drop(number)
        return dropped

    def drop(self, number: int) -> None:
        """Forget one thing."""
        entry = self.entries.pop(number, None)
        if entry is not None and self.numbers.get(id(entry.thing)) == number:
            del self.numbers[id(entry.thing)]

    def release(self, number: int) -> None:
        """The other side holds no proxy of that any more."""
        thing = self.exports.pop(number, None)
        if self.exported.get(id(thing)) == number:
            del self.exported[id(thing)]


PLAIN: dict[type, Callable[[Shared, Any, int], Any]] = {
    bytes: lambda shared, value, depth: ["s", to_text(value)],
    complex: lambda shared, value, depth: ["c", value.real, value.imag],
    range: lambda shared, value, depth: ["g", value.start, value.stop, value.step],
    slice: lambda shared, value, depth: [
        "z", *[shared.pack(part, depth + 1) for part in (value.start, value.stop, value.step)],
    ],
    frozenset: lambda shared, value, depth: ["f", *[shared.pack(part, depth + 1) for part in value]],
    Decimal: lambda shared, value, depth: ["D", str(value)],
    Fraction: lambda shared, value, depth: ["F", hex(value.numerator), hex(value.denominator)],
    weakref.ref: lambda shared, value, depth: ["w", shared.pack(value(), depth + 1)],
}  # fmt: skip


def _whole(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise Garbled("a number that is too long")
    return int(text, 16)


class _Gone:
    """What a weak reference to nothing referred to."""


UNPACKERS: dict[str, Callable[[Shared, Any, int], Any]] = {
    "r": Shared.unpack_reference,
    "t": lambda shared, value, depth: tuple([shared.unpack(part, depth) for part in value[1:]]),
    "y": Shared.unpack_own,
    "x": Shared.unpack_proxy,
    "b": Shared.unpack_bound,
    "u": Shared.unpack_subclass,
    "N": Shared.unpack_record,
    "n": Shared.unpack_scalar,
    "O": Shared.unpack_objects,
    "i": lambda shared, value, depth: _whole(value[1]),
    "_": lambda shared, value, depth: blank,
    "...": lambda shared, value, depth: Ellipsis,
    "d": lambda shared, value, depth: known_dtype(value[1]),
    "T": lambda shared, value, depth: TYPES[value[1]],
    "s": lambda shared, value, depth: to_bytes(value[1]),
    "c": lambda shared, value, depth: complex(float(value[1]), float(value[2])),
    "g": lambda shared, value, depth: range(*value[1:4]),
    "z": lambda shared, value, depth: slice(*[shared.unpack(part, depth) for part in value[1:4]]),
    "f": lambda shared, value, depth: frozenset([shared.unpack(part, depth) for part in value[1:]]),
    "D": lambda shared, value, depth: Decimal(value[1]),
    "F": lambda shared, value, depth: Fraction(_whole(value[1]), _whole(value[2])),
    "w": lambda shared, value, depth: weakref.ref(
        _Gone() if value[1] is None else shared.unpack(value[1], depth)
    ),
}  # fmt: skip


def _place(k: int) -> Any:
    return property(lambda self: self[k])


def _method(peer: Asks, name: str) -> Any:
    def method(self: Any, *arguments: Any, **named: Any) -> Any:
        return peer.ask("method", self, name, arguments, tuple(named.items()))

    return method


def held(entry: Entry) -> int:
    """How many references to a thing there are."""
    return sys.getrefcount(entry.thing)


class _Nothing:
    """A thing that nobody holds but its entry."""


HELD = held(Entry(0, _Nothing(), True)) - 1
"""References that asking for them makes."""
