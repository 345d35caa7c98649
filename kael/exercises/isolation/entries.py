"""Things that can change, one kind after the other: what each holds, and how it is made to hold it."""

from __future__ import annotations

import importlib
import types
from array import array
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kael.exercises.isolation.library import chapters_class, class_name, found_class, global_name, slots_of
from kael.exercises.isolation.wire import MOST_BYTES, Garbled, dumps, to_bytes, to_text

if TYPE_CHECKING:
    from kael.exercises.isolation.values import Shared

__all__ = ["MUTABLE"]

PLAINEST = frozenset({float, str, bool, type(None)})


class _Unset:
    """Stands for a slot that has no value."""


UNSET = _Unset()


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

    def remember(self, shared: Shared) -> None:
        """The other side knows what it holds now."""
        self.changed(shared)

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
        return shared.pack(self.thing.array)

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


MUTABLE: dict[type, type[Entry]] = {
    list: ListEntry, dict: DictEntry, set: SetEntry, bytearray: BytesEntry, array: NumbersEntry,
}  # fmt: skip


def check_buffer(thing: Any) -> None:
    """Refuse a Buffer whose shape claims more than there is room for."""
    shape = getattr(thing, "shape", ()) if type(thing).__name__ == "Buffer" else ()
    sizes = [max(size, 1) for size in shape if isinstance(size, int)] if isinstance(shape, tuple) else []
    if prod(sizes) > MOST_BYTES // 8:
        raise Garbled(f"a Buffer of shape {shape}")
