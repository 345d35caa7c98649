"""What crosses, and how things that can change are kept alike on both sides.

A value becomes JSON: None, bool, int, float and str as themselves, everything else as a list that begins with a tag.
What can change (lists, arrays, buffers, tensors, nodes) crosses once and gets a number; both sides keep it under that
number, and every message brings along what has changed since the last one. So a result that is a view of an argument is
one on both sides, and a list that an answer has changed is changed for the check. What has no other form stays where it
is, and a proxy stands for it.
"""

from __future__ import annotations

import binascii
import importlib
import json
import sys
import types
import weakref
from array import array
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import prod
from typing import Any, ClassVar

import numpy as np
from numpy.lib.array_utils import byte_bounds

from kael.exercises import blank
from kael.exercises.forbidden import Factor
from kael.exercises.isolation.errors import named
from kael.exercises.isolation.proxies import SPECIAL, Asks, Lent, Proxy, Remote, proxy_class, special_of

__all__ = ["Garbled", "Shared"]

MOST_BYTES = 1 << 26
"""Bytes that one array may claim."""
MOST_DIGITS = 1 << 14
DEEPEST = 64
CLASSES = 1000
"""Different classes of proxies that are kept."""

PLAINEST = frozenset({float, str, bool, type(None)})

_slow = json.JSONEncoder(separators=(",", ":")).encode
_maker: Any = getattr(json.encoder, "c_make_encoder", None)
_encode = _maker and _maker(None, None, json.encoder.encode_basestring_ascii, None, ":", ",", False, False, True)


def dumps(value: Any) -> str:
    """A value as JSON, by an encoder that is made once: what crosses is short and comes often."""
    return "".join(_encode(value, 0)) if _encode else _slow(value)


class Garbled(Exception):
    """What came is not what the protocol knows."""


class _Unset:
    """Stands for a slot that has no value."""


UNSET = _Unset()


def to_text(data: Any) -> str:
    """Bytes as text."""
    return binascii.b2a_base64(data, newline=False).decode("ascii")


def to_bytes(text: str) -> bytes:
    """Bytes from their text."""
    return binascii.a2b_base64(text, strict_mode=True)


class Entry:
    """A thing that can change, kept alike on both sides.

    Attributes
    ----------
    number : int
        What both sides call it.
    thing : object
        The thing on this side.
    mine : bool
        Whether it comes from this side.
    last : object
        What the other side knows of it.
    """

    code: ClassVar[str] = ""
    holders = 1
    """References that are held on the inside."""

    def __init__(self, number: int, thing: Any, mine: bool) -> None:
        self.number = number
        self.thing = thing
        self.mine = mine
        self.last: Any = None
        self.before: Any = None

    def meta(self, shared: Shared) -> Any:
        """What is needed to make one, before it is filled."""
        return None

    def state(self, shared: Shared) -> Any:
        """What it holds."""
        raise NotImplementedError

    def fill(self, shared: Shared, state: Any) -> None:
        """Make it hold what it holds on the other side."""
        raise NotImplementedError

    def changed(self, shared: Shared) -> str | None:
        """What it holds, when that is not what the other side knows."""
        text = dumps(self.state(shared))
        if text == self.last:
            return None
        self.last = text
        return text

    def copy(self) -> Any:
        """What it holds, for `put_back`."""
        raise NotImplementedError

    def put_back(self, copy: Any) -> None:
        """Make it hold that again."""
        raise NotImplementedError


class ListEntry(Entry):
    """A list."""

    code = "l"

    def state(self, shared: Shared) -> Any:
        kinds = set(map(type, self.thing))
        if kinds <= PLAINEST or (kinds == {int} and min(self.thing) >= -(1 << 63) and max(self.thing) < 1 << 63):
            return self.thing
        return [shared.pack(value) for value in self.thing]

    def fill(self, shared: Shared, state: Any) -> None:
        plain = {list, dict}.isdisjoint(map(type, state))
        self.thing[:] = state if plain else [shared.unpack(value) for value in state]

    def copy(self) -> Any:
        return list(self.thing)

    def put_back(self, copy: Any) -> None:
        self.thing[:] = copy

    @staticmethod
    def make(shared: Shared, meta: Any) -> Any:
        """A list to be filled."""
        return []


class DictEntry(Entry):
    """A dictionary, of a class of its own where it has a name."""

    code = "m"

    def meta(self, shared: Shared) -> Any:
        return "" if type(self.thing) is dict else type(self.thing).__name__

    def state(self, shared: Shared) -> Any:
        return [[shared.pack(key), shared.pack(value)] for key, value in self.thing.items()]

    def fill(self, shared: Shared, state: Any) -> None:
        self.put_back({shared.unpack(key): shared.unpack(value) for key, value in state})

    def copy(self) -> Any:
        return dict(self.thing)

    def put_back(self, copy: Any) -> None:
        dict.clear(self.thing)
        dict.update(self.thing, copy)

    @staticmethod
    def make(shared: Shared, meta: Any) -> Any:
        """A dictionary to be filled."""
        return shared.subclass("dict", meta, ())() if meta else {}


class SetEntry(Entry):
    """A set."""

    code = "S"

    def state(self, shared: Shared) -> Any:
        return [shared.pack(value) for value in self.thing]

    def fill(self, shared: Shared, state: Any) -> None:
        self.put_back({shared.unpack(value) for value in state})

    def copy(self) -> Any:
        return set(self.thing)

    def put_back(self, copy: Any) -> None:
        self.thing.clear()
        self.thing.update(copy)

    @staticmethod
    def make(shared: Shared, meta: Any) -> Any:
        """A set to be filled."""
        return set()


class BytesEntry(Entry):
    """A bytearray."""

    code = "B"

    def state(self, shared: Shared) -> Any:
        return to_text(self.thing)

    def fill(self, shared: Shared, state: Any) -> None:
        self.thing[:] = to_bytes(state)

    def copy(self) -> Any:
        return bytes(self.thing)

    put_back = ListEntry.put_back

    @staticmethod
    def make(shared: Shared, meta: Any) -> Any:
        """One to be filled."""
        return bytearray()


class NumbersEntry(Entry):
    """An `array.array`."""

    code = "a"

    def meta(self, shared: Shared) -> Any:
        return self.thing.typecode

    def state(self, shared: Shared) -> Any:
        return to_text(self.thing)

    def fill(self, shared: Shared, state: Any) -> None:
        self.put_back(to_bytes(state))

    def copy(self) -> Any:
        return self.thing.tobytes()

    def put_back(self, copy: Any) -> None:
        fresh = array(self.thing.typecode)
        fresh.frombytes(copy)
        if len(fresh) == len(self.thing):  # also where a memoryview holds it
            memoryview(self.thing).cast("B")[:] = copy
        else:
            self.thing[:] = fresh

    @staticmethod
    def make(shared: Shared, meta: Any) -> Any:
        """One to be filled."""
        if meta not in tuple("bBhHiIlLqQfd"):
            raise Garbled(f"an array.array of {meta!r}")
        return array(meta)


class Block(Entry):
    """The memory that NumPy arrays lie in: all that the outermost of them has."""

    code = "M"

    def __init__(self, number: int, thing: Any, mine: bool) -> None:
        super().__init__(number, thing, mine)
        self.low, self.high = byte_bounds(thing)
        self.raw = raw_bytes(thing)
        self.holders = 1 + (self.raw.base is thing)

    def meta(self, shared: Shared) -> Any:
        thing = self.thing
        return [thing.dtype.str, list(thing.shape), axes_by_stride(thing), bool(thing.flags.writeable)]

    def changed(self, shared: Shared) -> str | None:
        data = self.raw.tobytes()
        if data == self.last:
            return None
        self.last = data
        return f'"{to_text(data)}"'

    def fill(self, shared: Shared, state: Any) -> None:
        self.put_back(np.frombuffer(to_bytes(state), np.uint8))

    def copy(self) -> Any:
        return self.raw.copy()

    def put_back(self, copy: Any) -> None:
        if self.raw.flags.writeable:
            self.raw[...] = copy
            return
        flags = self.thing.flags
        flags.writeable = True
        try:
            raw_bytes(self.thing)[...] = copy
        finally:
            flags.writeable = False

    @staticmethod
    def make(shared: Shared, meta: Any) -> Any:
        """Memory of its own, as an array."""
        dtype, shape, axes, _ = meta
        kind = known_dtype(dtype)
        if prod(max(size, 1) for size in shape) * kind.itemsize > MOST_BYTES or sorted(axes) != list(range(len(shape))):
            raise Garbled(f"an array of shape {shape}")
        if axes == sorted(axes) or axes == sorted(axes, reverse=True):
            return np.zeros(shape, kind, "C" if axes == sorted(axes) else "F")
        return np.zeros([shape[axis] for axis in axes], kind).transpose(np.argsort(axes))


class ArrayEntry(Entry):
    """A NumPy array: where it lies in its block."""

    code = "A"
    block: Block

    def lies_in(self, block: Block) -> None:
        """Say in which block; the array that has the memory is held there as well."""
        self.block = block
        self.holders = 1 + block.holders if block.thing is self.thing else 1

    def meta(self, shared: Shared) -> Any:
        block = self.block
        offset = self.thing.__array_interface__["data"][0] - block.low if self.thing.size else 0
        whole = block.thing is self.thing
        return [block.number, whole, offset, ARRAYS[type(self.thing)], *self.geometry()]

    def geometry(self) -> list[Any]:
        thing = self.thing
        return [thing.dtype.str, list(thing.shape), list(thing.strides), bool(thing.flags.writeable)]

    def state(self, shared: Shared) -> Any:
        return self.geometry()

    def fill(self, shared: Shared, state: Any) -> None:
        if self.geometry() != state:
            self.put_back(state)

    def copy(self) -> Any:
        return self.geometry()

    def put_back(self, copy: Any) -> None:
        dtype, shape, strides, writeable = copy
        if known_dtype(dtype) != self.thing.dtype or prod(shape) != self.thing.size:
            raise Garbled(f"an array that is now {dtype} of shape {shape}")
        if self.geometry()[:3] != copy[:3]:
            self.thing.shape = tuple(shape)
            if self.geometry()[2] != strides:
                raise Garbled(f"an array whose strides are now {strides}")
        self.thing.flags.writeable = writeable is True

    @staticmethod
    def make(shared: Shared, meta: Any) -> Any:
        """An array in a block that is there."""
        number, whole, offset, kind, dtype, shape, strides, writeable = meta
        block = shared.entries[number]
        if not isinstance(block, Block) or kind not in ARRAY_KINDS:
            raise Garbled("an array without memory")
        element = known_dtype(dtype)
        if prod(max(size, 1) for size in shape) * element.itemsize > MOST_BYTES:
            raise Garbled(f"an array of shape {shape}")
        if whole is True and kind == "ndarray" and list(block.thing.strides) == strides:
            thing = block.thing
        else:
            thing = np.ndarray(tuple(shape), element, block.raw, offset, tuple(strides))
            thing = thing.view(ARRAY_KINDS[kind]) if kind != "ndarray" else thing
        if [element, list(thing.shape), list(thing.strides)] != [thing.dtype, list(shape), list(strides)]:
            raise Garbled("an array that is not as it says")
        thing.flags.writeable = writeable is True and thing.flags.writeable
        return thing


class ThingEntry(Entry):
    """An object of one of the chapters: its fields."""

    code = "o"

    def meta(self, shared: Shared) -> Any:
        kind = type(self.thing)
        base = chapters_class(kind)
        assert base is not None
        if base is kind:
            return [class_name(base)]
        between = kind.__mro__[: kind.__mro__.index(base)]
        own = {name for part in between for name, value in vars(part).items() if isinstance(value, types.FunctionType)}
        return [class_name(base), kind.__name__, sorted(own - {"__init__", "__new__"})]

    def base(self) -> type:
        """The class of the chapters that it belongs to."""
        found = chapters_class(type(self.thing))
        assert found is not None
        return found

    def state(self, shared: Shared) -> Any:
        slots = [
            ["?"] if (value := getattr(self.thing, name, UNSET)) is UNSET else shared.pack(value)
            for name in slots_of(self.base())
        ]
        named = {name: shared.pack(value) for name, value in getattr(self.thing, "__dict__", {}).items()}
        return [slots, named, [shared.pack(value) for value in self.thing] if isinstance(self.thing, list) else None]

    def fill(self, shared: Shared, state: Any) -> None:
        slots, named, items = state
        values = [UNSET if value == ["?"] else shared.unpack(value) for value in slots]
        self.put_back((values, {name: shared.unpack(value) for name, value in named.items()},
                       None if items is None else [shared.unpack(value) for value in items]))  # fmt: skip
        check_buffer(self.thing)

    def copy(self) -> Any:
        values = [getattr(self.thing, name, UNSET) for name in slots_of(self.base())]
        return values, dict(getattr(self.thing, "__dict__", {})), list(self.thing) if self.is_list else None

    @property
    def is_list(self) -> bool:
        """Whether it is a list as well."""
        return isinstance(self.thing, list)

    def put_back(self, copy: Any) -> None:
        values, named, items = copy
        for name, value in zip(slots_of(self.base()), values, strict=True):
            if value is UNSET:
                if getattr(self.thing, name, UNSET) is not UNSET:
                    object.__delattr__(self.thing, name)
            else:
                object.__setattr__(self.thing, name, value)
        if hasattr(self.thing, "__dict__"):
            if any(not name.isidentifier() or name.startswith("__") for name in named):
                raise Garbled(f"fields named {sorted(named)}")
            vars(self.thing).clear()
            vars(self.thing).update(named)
        if self.is_list:
            self.thing[:] = items

    @staticmethod
    def make(shared: Shared, meta: Any) -> Any:
        """An object to be filled, made without its constructor."""
        kind = found_class(meta[0])
        if len(meta) > 1:
            if shared.trusted:
                raise Garbled("an object of a class of the answer")
            kind = shared.with_methods(kind, *meta[1:])
        return object.__new__(kind) if not issubclass(kind, list) else list.__new__(kind)


class GlobalEntry(Entry):
    """A function or a class of a library, by its name; only checks send them."""

    code = "G"

    def meta(self, shared: Shared) -> Any:
        return global_name(self.thing)

    def state(self, shared: Shared) -> Any:
        return 0

    def fill(self, shared: Shared, state: Any) -> None:
        """Nothing to fill."""

    def copy(self) -> Any:
        return None

    def put_back(self, copy: Any) -> None:
        """Nothing to put back."""

    @staticmethod
    def make(shared: Shared, meta: Any) -> Any:
        """What has that name here."""
        if shared.trusted:
            raise Garbled("a function by its name")
        module, name = meta
        found = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
        return found


class TensorEntry(Entry):
    """A tensor of kael that is a leaf: its array, and its gradient."""

    code = "K"

    def meta(self, shared: Shared) -> Any:
        return shared.pack(self.thing.detach().numpy())

    def state(self, shared: Shared) -> Any:
        return [bool(self.thing.requires_grad), shared.pack(self.thing.grad)]

    def fill(self, shared: Shared, state: Any) -> None:
        requires_grad, grad = state
        self.put_back((requires_grad is True, shared.unpack(grad)))

    def copy(self) -> Any:
        return self.thing.requires_grad, self.thing.grad

    def put_back(self, copy: Any) -> None:
        requires_grad, grad = copy
        if self.thing.requires_grad != requires_grad:
            self.thing.requires_grad_(requires_grad)
        if self.thing.grad is not grad:
            self.thing.grad = grad

    @staticmethod
    def make(shared: Shared, meta: Any) -> Any:
        """A tensor on an array that is there."""
        import kael.creation

        values = shared.unpack(meta)
        if not isinstance(values, np.ndarray):
            raise Garbled("a tensor without an array")
        return kael.creation.from_numpy(values)


ENTRIES: dict[str, type[Entry]] = {
    kind.code: kind
    for kind in (
        ListEntry, DictEntry, SetEntry, BytesEntry, NumbersEntry, Block, ArrayEntry, ThingEntry, GlobalEntry,
        TensorEntry,
    )
}  # fmt: skip
ARRAYS: dict[type, str] = {np.ndarray: "ndarray", Factor: "Factor"}
ARRAY_KINDS = {name: kind for kind, name in ARRAYS.items()}
MUTABLE: dict[type, type[Entry]] = {
    list: ListEntry, dict: DictEntry, set: SetEntry, bytearray: BytesEntry, array: NumbersEntry,
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
LIBRARIES = ("chapters", "kael", "numpy", "math", "operator", "builtins", "itertools", "functools")


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
            self.entries[number].changed(self)
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


def known_dtype(text: str) -> np.dtype[Any]:
    """An element type of plain numbers or text.

    Raises
    ------
    Garbled
        When it is another.
    """
    kind = np.dtype(text) if isinstance(text, str) and len(text) < 12 else None
    if kind is None or kind.kind not in "biufcSU" or not kind.isnative or kind.itemsize > MOST_BYTES:
        raise Garbled(f"elements of type {text!r:.40}")
    return kind


def raw_bytes(value: Any) -> Any:
    """The memory of an array that lies in one piece, as bytes."""
    if not value.size:
        return np.empty(0, np.uint8)
    flat = value.view(np.ndarray)
    return flat.transpose(axes_by_stride(flat)).reshape(-1).view(np.uint8)


def axes_by_stride(value: Any) -> list[int]:
    """Axes of an array in the order in which they lie in memory, the last one moving by single elements."""
    axes = list(range(value.ndim))
    if value.flags.c_contiguous:
        return axes
    return axes[::-1] if value.flags.f_contiguous else sorted(axes, key=lambda axis: -value.strides[axis])


def outermost(value: Any) -> Any:
    """The array that has the memory of `value`; a copy where that does not lie in one piece."""
    root = value
    base = value.base
    while base is not None:
        if isinstance(base, memoryview):
            base = base.obj
        if type(base) is np.ndarray and base.dtype.kind in "biufcSU":
            root = base
        base = getattr(base, "base", None)
    low, high = byte_bounds(value)
    inside = byte_bounds(root)
    if not (inside[0] <= low and high <= inside[1]):
        root = value
    if type(root) is not np.ndarray:
        root = root.view(np.ndarray)
    return root if root.transpose(axes_by_stride(root)).flags.c_contiguous else root.copy()


def class_name(kind: type) -> str:
    """Where a class is found."""
    return f"{kind.__module__}.{kind.__qualname__}"


_CHAPTERS: dict[type, type | None] = {}


def chapters_class(kind: type) -> type | None:
    """The class of the chapters' plain Python that a class is, or is made from; None for any other."""
    if kind not in _CHAPTERS:
        found = next((base for base in kind.__mro__ if str(base.__module__).startswith("chapters.")), None)
        try:
            _CHAPTERS[kind] = None if found is None else found_class(class_name(found))
        except Garbled:
            _CHAPTERS[kind] = None
    return _CHAPTERS[kind]


def found_class(name: Any) -> type:
    """A class of the chapters by its name.

    Raises
    ------
    Garbled
        When that is none whose objects are only fields.
    """
    module, _, short = name.rpartition(".") if isinstance(name, str) else ("", "", "")
    if module.startswith("chapters.") and module.replace(".", "").isidentifier() and "kernels" not in module:
        try:
            found = getattr(importlib.import_module(module), short, None)
        except ImportError:
            found = None
        if (
            isinstance(found, type)
            and found.__module__ == module
            and not issubclass(found, int | float | str | dict | set | BaseException | type)
        ):
            return found
    raise Garbled(f"an object of class {name!r:.80}")


_SLOTS: dict[type, tuple[str, ...]] = {}


def slots_of(kind: type) -> tuple[str, ...]:
    """The slots of a class and of those that it is made from."""
    if kind not in _SLOTS:
        found: list[str] = []
        for part in kind.__mro__:
            slots = vars(part).get("__slots__", ())
            found += [slots] if isinstance(slots, str) else list(slots)
        _SLOTS[kind] = tuple(name for name in found if name not in ("__weakref__", "__dict__"))
    return _SLOTS[kind]


def global_name(value: Any) -> list[str] | None:
    """Module and name of a function or class of a library; None where it is no such thing."""
    if isinstance(value, np.ufunc):
        return ["numpy", value.__name__]
    if not isinstance(value, type | types.FunctionType | types.BuiltinFunctionType):
        return None
    module, name = getattr(value, "__module__", None), value.__qualname__
    if not isinstance(module, str) or module.partition(".")[0] not in LIBRARIES:
        return None
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return [module, name] if found is value else None


def is_leaf(value: Any) -> bool:
    """Whether a value is a tensor of kael that no operation made."""
    tensors = sys.modules.get("kael.tensors")
    return tensors is not None and type(value) is tensors.Tensor and value.grad_fn is None


def check_buffer(thing: Any) -> None:
    """Refuse a Buffer whose shape claims more than there is room for."""
    shape = getattr(thing, "shape", ()) if type(thing).__name__ == "Buffer" else ()
    sizes = [max(size, 1) for size in shape if isinstance(size, int)] if isinstance(shape, tuple) else []
    if prod(sizes) > MOST_BYTES // 8:
        raise Garbled(f"a Buffer of shape {shape}")
