"""The arena store: a graph whose nodes are rows of numbers and whose values and gradients lie in one arena.

It offers what `NodeList` of chapter 15 offers, so `backward` runs on either. Recording writes a row and moves two
cursors, the next row and the next free byte; `reset` moves both back. What a Python program still pays for are views:
a node is made here each time one is asked for, and lives as long as somebody holds it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from math import prod
from typing import Any
from weakref import WeakValueDictionary

from chapters.ch11_memory.reference import Arena
from chapters.flat import Buffer

__all__ = ["ArenaStore", "RowHandle", "RowNode", "Slice"]

Shape = tuple[int, ...]

# [row]
OP, INPUTS, TYPECODE, NDIM = 0, 1, 2, 3
SIZES, MAX_NDIM = 4, 6
SOURCES, MAX_INPUTS = SIZES + MAX_NDIM, 3
SAVED = SOURCES + MAX_INPUTS
RESULT = SAVED + MAX_INPUTS
OUTPUT_GRAD = RESULT + 1
NODE_GRAD = OUTPUT_GRAD + 1
ROW = NODE_GRAD + 1
NONE = -1
# [/row]

ITEMSIZE = {"f": 4, "d": 8, "q": 8, "?": 1}


class ValueArena(Arena):
    """Chapter 11's arena, whose bytes can be found again by their offset alone."""

    __slots__ = ()

    def view(self, offset: int, nbytes: int) -> memoryview:
        """The bytes of an allocation, given its offset."""
        if nbytes == 0:
            return memoryview(b"")
        index = bisect_right(self._ends, offset)
        start = offset - (self._ends[index - 1] if index else 0)
        return self.block(index)[start : start + nbytes]


class Slice(Buffer):
    """A stretch of an arena seen as a buffer: good until the store's next reset."""

    __slots__ = ("__weakref__", "generation", "offset", "store")

    def __init__(self, store: ArenaStore, offset: int, shape: Shape, typecode: str) -> None:
        self.store = store
        self.offset = offset
        self.generation = store.values.generation
        self.shape = shape
        self.typecode = typecode

    @property
    def data(self) -> Any:  # type: ignore[override]
        """The elements, where they lie."""
        self.store.check(self.generation)
        nbytes = prod(self.shape) * ITEMSIZE[self.typecode]
        elements: Any = self.store.values.view(self.offset, nbytes)
        return elements.cast(self.typecode)


# [row-view]
class RowView:
    """A row of a store, and the generation in which it was taken."""

    __slots__ = ("__weakref__", "_index", "generation", "store")

    def __init__(self, store: ArenaStore, index: int) -> None:
        self.store = store
        self._index = index
        self.generation = store.values.generation

    def index(self) -> int:
        """Number of the row.

        Raises
        ------
        RuntimeError
            When the store was reset since: the row may be another node by now.
        """
        self.store.check(self.generation)
        return self._index


# [/row-view]


class RowHandle(RowView):
    """The handle of a recorded result: a view on the row of the node that made it."""

    __slots__ = ()
    requires_grad = True

    @property
    def grad_fn_index(self) -> int:
        """Index of the node that made the result."""
        return self.index()

    @property
    def shape(self) -> Shape:
        """Shape of the result."""
        return self.store.result_type(self.index())[0]

    @property
    def grad(self) -> Buffer | None:
        """The gradient of the result; None before the first contribution."""
        return self.store.gradient(self.index(), OUTPUT_GRAD)

    @grad.setter
    def grad(self, gradient: Buffer) -> None:
        self.store.write_gradient(self.index(), OUTPUT_GRAD, gradient)


# [row-node]
class RowNode(RowView):
    """A GraphNode that holds nothing itself: a view on one row."""

    __slots__ = ()

    @property
    def op_name(self) -> str:
        """Name of the operation."""
        return self.store.op_name(self.index())

    @property
    def inputs(self) -> list[Any]:
        """Handles of the operands."""
        return self.store.inputs(self.index())

    @property
    def output(self) -> RowHandle:
        """Handle of the result."""
        return self.store.handle(self.index())

    @property
    def saved(self) -> list[Buffer | None]:
        """The buffers that the backward rule reads."""
        return self.store.saved(self.index())

    @property
    def grad(self) -> Buffer:
        """The node's own gradient; zeros until it is written."""
        gradient = self.store.gradient(self.index(), NODE_GRAD)
        return Buffer.full(0.0, *self.store.result_type(self.index())) if gradient is None else gradient

    @grad.setter
    def grad(self, gradient: Buffer) -> None:
        self.store.write_gradient(self.index(), NODE_GRAD, gradient)

    def __repr__(self) -> str:
        return f"GraphNode({self.op_name!r}, grad={self.grad.tolist()})"


# [/row-node]


# [arena-store]
class ArenaStore:
    """Nodes as rows of fixed slots; values and gradients in one arena.

    Parameters
    ----------
    capacity : int
        Bytes for values and gradients to begin with; the arena grows.

    Attributes
    ----------
    values : Arena
        Holds values and gradients.
    most_rows : int
        The largest number of nodes there has been.

    Notes
    -----
    Recording copies an operand that a rule will read, unless it lies in this arena already. `reset` takes constant
    time whatever was recorded. The handles of leaves are Python objects; they stay listed until a later graph puts
    others in their place.

    Examples
    --------
    >>> from chapters.ch15_graph.graph import ComputationGraph, Tensor
    >>> graph = ComputationGraph(ArenaStore())
    >>> x, y = Tensor(3.0, requires_grad=True), Tensor(4.0, requires_grad=True)
    >>> w = graph.add(graph.mul(x, y), x)
    >>> node = graph.nodes[1]
    >>> node
    GraphNode('add', grad=0.0)
    >>> graph.reset()
    >>> node.grad
    Traceback (most recent call last):
    RuntimeError: this node belongs to a graph that was reset; build the graph again and take its nodes
    """

    def __init__(self, capacity: int = 4096) -> None:
        self.values = ValueArena(capacity)
        self.most_rows = 0
        self._count = 0
        self._rows = array("q")
        self._leaves: list[Any] = []
        self._op_names: list[str] = []
        self._slices: WeakValueDictionary[int, Slice] = WeakValueDictionary()
        self._handles: WeakValueDictionary[int, RowHandle] = WeakValueDictionary()

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> RowNode:
        if not 0 <= index < self._count:
            raise IndexError(f"no node {index}; the graph has {self._count}")
        return RowNode(self, index)

    def __iter__(self) -> Iterator[RowNode]:
        return (RowNode(self, index) for index in range(self._count))

    def empty(self, shape: Shape, typecode: str) -> Slice:
        """Room for the result of an operation."""
        size = ITEMSIZE[typecode]
        offset = self.values.allocate(prod(shape) * size, size).offset
        return self.slice(offset, shape, typecode)

    def record(self, op_name: str, inputs: list[Any], output: Buffer, saved: list[Buffer | None]) -> RowHandle:
        """Fill the next row and return the handle of its result.

        Raises
        ------
        ValueError
            When a row has too few slots for the result's axes or for the operands.
        """
        if len(output.shape) > MAX_NDIM or len(saved) > MAX_INPUTS + 1:
            raise ValueError(
                f"{op_name}: a row holds {MAX_NDIM} axes and {MAX_INPUTS} operands, "
                f"not {len(output.shape)} and {len(saved) - 1}; use NodeList"
            )
        index = self._count
        if index == self.most_rows:
            self._rows.extend([NONE] * ROW)
            self._leaves.extend([None] * MAX_INPUTS)
            self.most_rows += 1
        row = self._rows
        at = index * ROW
        if op_name not in self._op_names:
            self._op_names.append(op_name)
        row[at + OP] = self._op_names.index(op_name)
        row[at + INPUTS] = len(inputs)
        row[at + TYPECODE] = ord(output.typecode)
        row[at + NDIM] = len(output.shape)
        for axis, size in enumerate(output.shape):
            row[at + SIZES + axis] = size
        for position, handle in enumerate(inputs):
            here = isinstance(handle, RowHandle)
            row[at + SOURCES + position] = handle.index() if here else NONE
            self._leaves[index * MAX_INPUTS + position] = None if here else handle
        *operands, result = saved
        for position, buffer in enumerate(operands):
            row[at + SAVED + position] = NONE if buffer is None else self.settle(buffer)
        row[at + RESULT] = NONE if result is None else self.settle(result)
        row[at + OUTPUT_GRAD] = row[at + NODE_GRAD] = NONE
        self._count += 1
        return self.handle(index)

    # [reset]
    def reset(self) -> None:
        """Discard every node in constant time: both cursors go back to the start."""
        self._count = 0
        self.values.reset()

    # [/reset]

    # [/arena-store]

    @property
    def peak(self) -> int:
        """Bytes of the largest graph so far: its values and gradients, and its rows."""
        return self.values.peak + self.most_rows * ROW * self._rows.itemsize

    def check(self, generation: int) -> None:
        """Raise when a view was taken before the last reset."""
        if generation != self.values.generation:
            raise RuntimeError("this node belongs to a graph that was reset; build the graph again and take its nodes")

    def slice(self, offset: int, shape: Shape, typecode: str) -> Slice:
        """The buffer at an offset; one object for as long as somebody holds it, so that identity can be asked."""
        known = self._slices.get(offset)
        if known is None or (known.generation, known.shape) != (self.values.generation, shape):
            known = self._slices[offset] = Slice(self, offset, shape, typecode)
        return known

    def handle(self, index: int) -> RowHandle:
        """The handle of a row's result; one object for as long as somebody holds it."""
        known = self._handles.get(index)
        if known is None or known.generation != self.values.generation:
            known = self._handles[index] = RowHandle(self, index)
        return known

    def settle(self, buffer: Buffer) -> int:
        """The offset of a buffer, which is copied into the arena if it does not lie there."""
        if isinstance(buffer, Slice) and buffer.store is self:
            self.check(buffer.generation)
            return buffer.offset
        copy = self.empty(buffer.shape, buffer.typecode)
        source: Any = buffer.data
        copy.data[:] = memoryview(source)
        return copy.offset

    def outlive(self, gradient: Buffer) -> Buffer:
        """A gradient that stays valid when the store is reset: a leaf's must."""
        return Buffer(list(gradient), gradient.shape, gradient.typecode) if isinstance(gradient, Slice) else gradient

    def result_type(self, index: int) -> tuple[Shape, str]:
        """Shape and type code of a node's result."""
        at = index * ROW
        sizes = self._rows[at + SIZES : at + SIZES + self._rows[at + NDIM]]
        return tuple(sizes), chr(self._rows[at + TYPECODE])

    def op_name(self, index: int) -> str:
        """Name of a node's operation."""
        return self._op_names[self._rows[index * ROW + OP]]

    def inputs(self, index: int) -> list[Any]:
        """Handles of a node's operands: views on rows, and the objects that leaves brought along."""
        at = index * ROW
        handles = []
        for position in range(self._rows[at + INPUTS]):
            source = self._rows[at + SOURCES + position]
            leaf = self._leaves[index * MAX_INPUTS + position]
            handles.append(leaf if source == NONE else self.handle(source))
        return handles

    def saved(self, index: int) -> list[Buffer | None]:
        """A node's saved buffers, one per operand and then the result's."""
        at = index * ROW
        shape, typecode = self.result_type(index)
        shapes = [handle.shape for handle in self.inputs(index)]
        places = zip([*range(SAVED, SAVED + len(shapes)), RESULT], [*shapes, shape], strict=True)
        return [
            None if self._rows[at + slot] == NONE else self.slice(self._rows[at + slot], size, typecode)
            for slot, size in places
        ]

    def gradient(self, index: int, slot: int) -> Slice | None:
        """The gradient that a row's slot points to."""
        offset = self._rows[index * ROW + slot]
        return None if offset == NONE else self.slice(offset, *self.result_type(index))

    def write_gradient(self, index: int, slot: int, gradient: Buffer) -> None:
        """Let a row's slot point to a gradient."""
        self._rows[index * ROW + slot] = self.settle(gradient)
