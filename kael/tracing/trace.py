"""The recorder: listens to an engine's backward pass and keeps plain data about it.

An engine tells a trace what it does through nine calls, with its live objects; anything that has ``shape`` and
``tolist()`` is a tensor to the trace. kael's engine does so inside ``with kael.record()``, the engine of chapters 15
to 17 when it is given ``trace=``. This module uses the standard library alone, so that a page can run it.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from kael.tracing.model import Contribution, Gradient, GraphTensor, Node, Pass, Step
from kael.tracing.views import Views

__all__ = ["Trace"]

KEPT_ELEMENTS = 64


def memory_of(tensor: Any) -> Any:
    """What tells the memory of a tensor's elements: equal for two tensors that share it.

    An object that holds the elements, or for a slice of an arena its place there.
    """
    held = getattr(tensor, "storage", None)
    if held is not None:
        return held
    if hasattr(tensor, "offset"):
        return id(tensor.store), tensor.generation, tensor.offset
    held = getattr(tensor, "data", None)
    made_anew = held is None or held is not tensor.data
    return tensor if made_anew else held


class _Buffers:
    """Numbers for the memory that gradients live in.

    Weak references where the memory allows one: holding a gradient would keep an engine from taking its memory over,
    and the record would show a copy that an unwatched pass does not make.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[int, Any]] = {}
        self._count = 0

    def known(self, tensor: Any) -> int | None:
        """The number of a tensor's memory, None for memory that holds no gradient which stays."""
        memory = memory_of(tensor)
        number, reference = self._known.get(_address(memory), (0, None))
        return number if reference is not None and reference() is not None else None

    def number(self, tensor: Any) -> int:
        """The number of a tensor's memory, a new one for new memory."""
        found = self.known(tensor)
        if found is not None:
            return found
        memory = memory_of(tensor)
        number, self._count = self._count, self._count + 1
        self._known[_address(memory)] = (number, _reference(memory))
        return number


def _address(memory: Any) -> Any:
    return memory if isinstance(memory, tuple) else id(memory)


def _reference(memory: Any) -> Callable[[], Any]:
    """A reference that dies with the memory, so that its address can be given to another number."""
    try:
        return weakref.ref(memory)
    except TypeError:
        return lambda: memory


def _elements(tensor: Any) -> Any:
    return tensor.tolist() if hasattr(tensor, "tolist") and math.prod(tensor.shape) <= KEPT_ELEMENTS else None


def _gradient(gradient: Any, buffer: Callable[[Any], int | None]) -> Gradient:
    """A gradient and the number of its memory; a plain number has no memory that could be shared."""
    if isinstance(gradient, float):
        return Gradient((), gradient, None)
    return Gradient(tuple(gradient.shape), _elements(gradient), buffer(gradient))


class Trace(Views):
    """A record of what an engine does, and the views of it.

    Parameters
    ----------
    title : str
        What the record shows, such as ``w = x*y + x``.
    **tensors : tensor
        Tensors by the name that the views give them.

    Attributes
    ----------
    passes : list of Pass
        The backward passes recorded so far, in order.

    Examples
    --------
    >>> from kael.tracing.trace import Trace
    >>> Trace().passes
    []
    """

    def __init__(self, title: str = "", /, **tensors: Any) -> None:
        super().__init__(title)
        self._names: dict[Any, tuple[str, Any]] = {}
        self._buffers = _Buffers()
        self._open: _Recording | None = None
        self._recordings: list[_Recording] = []
        self.name(**tensors)

    def name(self, **tensors: Any) -> Trace:
        """Give tensors the names that the views show, also after the pass.

        Parameters
        ----------
        **tensors : tensor
            A name and the tensor that it stands for.

        Returns
        -------
        Trace
            The trace itself.

        Raises
        ------
        TypeError
            For a value that is no tensor.
        """
        for name, tensor in tensors.items():
            if not hasattr(tensor, "shape") or not hasattr(tensor, "tolist"):
                raise TypeError(f"name: {name} is a {type(tensor).__name__}, not a tensor; name tensors only")
            self._names[_key(tensor)] = (name, tensor)
        for recording in self._recordings:
            recording.relabel(self._names)
        return self

    def suggest(self, **tensors: Any) -> None:
        """Give names to those tensors that have none yet; the first name given to a tensor stays.

        Parameters
        ----------
        **tensors : tensor
            A name and the tensor that it may stand for.
        """
        taken = set(self._names).union(*(recording.names for recording in self._recordings))
        new: dict[Any, tuple[str, Any]] = {}
        for name, tensor in tensors.items():
            if _key(tensor) not in taken:
                new.setdefault(_key(tensor), (name, tensor))
        self.name(**dict(new.values()))

    def adopt(self, other: Trace) -> None:
        """Take over the passes that another trace recorded, under the names that it gave.

        Parameters
        ----------
        other : Trace
            The trace whose passes to show here too.
        """
        self._recordings += other._recordings
        self.passes += other.passes

    def forward(self, node: Any, op: str, inputs: Sequence[Any], output: Any) -> None:
        """An operation was recorded as `node`."""
        recording = self._recording()
        if node in recording.data.nodes:
            recording = self._begin()
        recording.forward(node, op, inputs, output)

    def dependency(self, node: Any, count: int) -> None:
        """`count` edges point to `node` in the graph that is about to be walked."""
        recording = self._recording()
        recording.data.counted = True
        recording.node(recording.number(node)).count = count

    def seed(self, node: Any, tensor: Any, gradient: Any) -> None:
        """The walk begins at `tensor`, made by `node`, with `gradient`."""
        recording = self._recording()
        if any(step.kind != "seed" for step in recording.data.steps):
            recording = self._begin()
        recording.seed(node, tensor, gradient)
        recording.relabel(self._names)

    def visit(self, node: Any, gradient: Any, ready: Sequence[Any] | None = None) -> None:
        """`node` runs with `gradient` while the nodes in `ready` wait."""
        self._recording().visit(node, gradient, ready)

    def skip(self, node: Any, reason: str) -> None:
        """`node` was passed over."""
        recording = self._recording()
        recording.data.steps.append(Step("skip", recording.number(node), reason=reason))

    def contribution(
        self, node: Any, position: int, tensor: Any, target: Any, gradient: Any, total: Any, action: str,
        pending: int | None = None,
    ) -> None:  # fmt: skip
        """`node` passed `gradient` on to its input at `position`, which holds `total` now."""
        self._recording().contribution(position, tensor, target, gradient, total, action, pending)

    def node_gradient(self, node: Any, gradient: Any) -> None:
        """The gradient that `node` itself keeps was written."""
        recording = self._recording()
        recording.data.steps[-1].mirrored.append((recording.number(node), recording.gradient(gradient)))

    def done(self) -> None:
        """The pass is over."""
        recording = self._recording()
        recording.relabel(self._names)
        recording.data.finished = True
        self._open = None

    def _recording(self) -> _Recording:
        if self._open is None:
            return self._begin()
        self._open.settle_leaf()
        return self._open

    def _begin(self) -> _Recording:
        self._open = _Recording(self._buffers)
        self._recordings.append(self._open)
        self.passes.append(self._open.data)
        return self._open


class _Recording:
    """One pass while it is recorded: its data, and which live object each number stands for."""

    def __init__(self, buffers: _Buffers) -> None:
        self.data = Pass()
        self._buffers = buffers
        self._tensors: dict[Any, tuple[int, Any]] = {}
        self._nodes: dict[int, tuple[int, Any]] = {}
        self._totals: dict[tuple[str, int], Gradient] = {}
        self._leaf: tuple[Step, Any, Any] | None = None
        self.names: dict[Any, tuple[str, Any]] = {}

    def gradient(self, gradient: Any) -> Gradient:
        return _gradient(gradient, self._buffers.number)

    def tensor(self, tensor: Any) -> int:
        """The number of a tensor; one seen for the first time is entered with the gradient it already has."""
        key = _key(tensor)
        known = self._tensors.get(key)
        if known is not None:
            return known[0]
        number = len(self.data.tensors)
        self._tensors[key] = (number, getattr(tensor, "handle", tensor))
        wanted = bool(getattr(tensor, "requires_grad", True))
        entry = GraphTensor(f"v{number}", tuple(tensor.shape), _elements(tensor), requires_grad=wanted)
        self.data.tensors.append(entry)
        earlier = getattr(tensor, "grad", None)
        if hasattr(earlier, "tolist"):
            entry.grad = self._totals["tensor", number] = self.gradient(earlier)
        return number

    def number(self, node: Any) -> int:
        """The number of a node: the engine's own, or the order in which its graph is found."""
        if isinstance(node, int):
            return node
        known = self._nodes.get(id(node))
        if known is None:
            self._discover(node)
            known = self._nodes[id(node)]
        return known[0]

    def node(self, number: int) -> Node:
        return self.data.nodes.setdefault(number, Node("node"))

    def _discover(self, root: Any) -> None:
        """Enter a node and all that its edges lead to, the root first, then the first edge's subgraph."""
        found, stack = [], [root]
        while stack:
            node = stack.pop()
            if id(node) in self._nodes:
                continue
            number = len(self._nodes)
            self._nodes[id(node)] = (number, node)
            found.append((number, node))
            entry = self.data.nodes[number] = Node(node.name)
            entry.rule = getattr(getattr(node, "op", None), "gradient_formula", "")
            entry.inputs = [None] * len(node.inputs)
            variable = getattr(node, "variable", None)
            if variable is not None:
                entry.output = self.tensor(variable)
            stack.extend(link.edge for link in reversed(node.inputs) if link.edge is not None)
        for number, node in found:
            self.data.nodes[number].edges = [
                None if link.edge is None else self._nodes[id(link.edge)][0] for link in node.inputs
            ]

    def forward(self, node: Any, op: str, inputs: Sequence[Any], output: Any) -> None:
        numbers = [self.tensor(tensor) for tensor in inputs]
        edges = [self.data.tensors[number].producer for number in numbers]
        made = self.tensor(output)
        self.data.tensors[made].producer = self.number(node)
        self.data.nodes[self.number(node)] = Node(op, inputs=list(numbers), edges=edges, output=made)

    def seed(self, node: Any, tensor: Any, gradient: Any) -> None:
        number, seed = self.number(node), self.gradient(gradient)
        step = Step("seed", number, seed)
        self._totals["node", number] = seed
        if isinstance(node, int):
            step.tensor = self.tensor(tensor)
            self._settle(step.tensor, seed)
        self.data.steps.append(step)

    def visit(self, node: Any, gradient: Any, ready: Sequence[Any] | None) -> None:
        waiting = None if ready is None else [self.number(other) for other in ready]
        step = Step("visit", self.number(node), None if gradient is None else self.gradient(gradient), ready=waiting)
        self.data.steps.append(step)
        variable = getattr(node, "variable", None)
        if variable is not None:
            self._leaf = (step, variable, variable.grad)

    def settle_leaf(self) -> None:
        """Enter what the accumulator visited last has put into its leaf: an engine reports the visit before."""
        if self._leaf is None:
            return
        step, variable, before = self._leaf
        self._leaf = None
        if variable.grad is not before and step.gradient is not None:
            receiver = self.tensor(variable)
            earlier = self._totals.get(("tensor", receiver))
            after = self.gradient(variable.grad)
            action = "assign" if before is None else "add"
            step.contributions.append(Contribution(0, receiver, None, step.gradient, after, earlier, action))
            self._settle(receiver, after)

    def contribution(
        self, position: int, tensor: Any, target: Any, gradient: Any, total: Any, action: str, pending: int | None
    ) -> None:
        goal = None if target is None else self.number(target)
        receiver = None if tensor is None else self.tensor(tensor)
        key = ("node", goal) if receiver is None and goal is not None else ("tensor", receiver or 0)
        after = self.gradient(total)
        part = _gradient(gradient, self._buffers.known)
        passed = Contribution(position, receiver, goal, part, after, self._totals.get(key), action, pending)
        self._totals[key] = after
        if receiver is not None:
            self._settle(receiver, after)
        self.data.steps[-1].contributions.append(passed)

    def _settle(self, tensor: int, gradient: Gradient) -> None:
        self._totals["tensor", tensor] = gradient
        self.data.tensors[tensor].grad = gradient

    def relabel(self, names: dict[Any, tuple[str, Any]]) -> None:
        """Put names on tensors and nodes."""
        self.names.update(names)
        names = self.names
        for key, (number, _) in self._tensors.items():
            if key in names:
                self.data.tensors[number].name = names[key][0]
        made = {id(made_by): name for name, tensor in names.values() if (made_by := _producer(tensor)) is not None}
        for identity, (number, _) in self._nodes.items():
            entry = self.data.nodes[number]
            name = made.get(identity)
            if entry.output is not None:
                name = self.data.tensors[entry.output].name
            entry.label = entry.op if name is None else f"{entry.op}({name})"
        if self._nodes:
            self._tell_apart()
        else:
            for entry in self.data.nodes.values():
                if entry.output is not None:
                    taken = ", ".join(self.data.tensors[number].name for number in entry.inputs if number is not None)
                    entry.label = f"{entry.op}({taken}) → {self.data.tensors[entry.output].name}"

    def _tell_apart(self) -> None:
        """Number the nodes that would otherwise share a label."""
        same: dict[str, list[Node]] = {}
        for entry in self.data.nodes.values():
            same.setdefault(entry.label, []).append(entry)
        for label, entries in same.items():
            if len(entries) > 1:
                for number, entry in enumerate(entries, 1):
                    entry.label = f"{label} #{number}"


def _key(tensor: Any) -> Any:
    """What a tensor is known by: the identity of its handle, which chapter 15 keeps apart from the values.

    A handle that is a view on a row is made anew at each look and tells its own key.
    """
    handle = getattr(tensor, "handle", tensor)
    return handle.key() if hasattr(handle, "key") else id(handle)


def _producer(tensor: Any) -> Any:
    """The node object that made a tensor, in an engine that has such objects."""
    return getattr(tensor, "grad_fn", None)
