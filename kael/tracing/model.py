"""What a record of a backward pass holds: plain data, the same from every engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Contribution", "GraphTensor", "Gradient", "Node", "Pass", "Step", "shown"]


@dataclass(slots=True)
class Gradient:
    """A gradient as it was when the engine reported it.

    Attributes
    ----------
    shape : tuple of int
        Its shape.
    value : float, list or None
        Its elements, nested as ``tolist`` gives them; None where there were too many to keep.
    buffer : int or None
        Number of the memory that held it: two gradients with one number share their memory. None for a contribution
        that was added to something and then dropped.
    """

    shape: tuple[int, ...]
    value: Any
    buffer: int | None


@dataclass(slots=True)
class GraphTensor:
    """A tensor that the record mentions.

    Attributes
    ----------
    name : str
        The name given to it, or one made up.
    shape : tuple of int
        Its shape.
    value : float, list or None
        Its elements, None where there were too many to keep.
    producer : int or None
        The node whose output it is; None for a leaf.
    requires_grad : bool
        Whether a gradient is wanted for it.
    grad : Gradient or None
        The gradient it held when the pass was over.
    """

    name: str
    shape: tuple[int, ...]
    value: Any = None
    producer: int | None = None
    requires_grad: bool = True
    grad: Gradient | None = None


@dataclass(slots=True)
class Node:
    """One recorded operation.

    Attributes
    ----------
    op : str
        Name of the operation, such as ``mul`` or ``MulBackward``.
    label : str
        How tables and pictures call it: ``mul(x, y) → z``, ``MulBackward(a)``.
    inputs : list of int or None
        The tensors it took; None where the engine keeps no tensor.
    edges : list of int or None
        For each input the node that produced it, None for a leaf or where no gradient is wanted.
    output : int or None
        The tensor it gave.
    count : int or None
        How many edges pointed to it when the pass began, where the engine counts them.
    rule : str
        Its local rule in words, where the engine knows one.
    """

    op: str
    label: str = ""
    inputs: list[int | None] = field(default_factory=list)
    edges: list[int | None] = field(default_factory=list)
    output: int | None = None
    count: int | None = None
    rule: str = ""


@dataclass(slots=True)
class Contribution:
    """One gradient that a node passed on to one of its inputs.

    Attributes
    ----------
    position : int
        Which input.
    tensor : int or None
        The tensor that received it, where the engine keeps tensors.
    target : int or None
        The node that made the input, None for a leaf.
    gradient : Gradient
        What was passed on.
    total : Gradient
        What the receiver held afterwards.
    before : Gradient or None
        What it held before.
    action : {"assign", "add", "overwrite"}
        What was done with it.
    pending : int or None
        How many contributions the target still waits for, where the engine counts them.
    """

    position: int
    tensor: int | None
    target: int | None
    gradient: Gradient
    total: Gradient
    before: Gradient | None
    action: str
    pending: int | None = None


@dataclass(slots=True)
class Step:
    """What happened from one visit to the next.

    Attributes
    ----------
    kind : {"seed", "visit", "skip"}
        What began the step.
    node : int or None
        The node concerned.
    gradient : Gradient or None
        The seed, or the gradient that had arrived at the node.
    tensor : int or None
        The tensor that was seeded.
    ready : list of int or None
        The other nodes that were ready, last in first out, where the engine keeps such a list.
    reason : str
        Why a node was skipped.
    contributions : list of Contribution
        What the node passed on.
    mirrored : list of (int, Gradient)
        The writes to the gradient that a node itself keeps (GraphNode.grad).
    """

    kind: str
    node: int | None = None
    gradient: Gradient | None = None
    tensor: int | None = None
    ready: list[int] | None = None
    reason: str = ""
    contributions: list[Contribution] = field(default_factory=list)
    mirrored: list[tuple[int, Gradient]] = field(default_factory=list)


@dataclass(slots=True)
class Pass:
    """One backward pass with the graph it walked, or a graph that nobody has walked yet.

    Attributes
    ----------
    counted : bool
        The engine counts dependencies and keeps a ready list (kael's); otherwise it walks a list (chapter 17's).
    nodes : dict of int to Node
        The graph, by the engine's own node number or by order of discovery.
    tensors : list of GraphTensor
        The tensors, by number.
    steps : list of Step
        What happened, in order.
    finished : bool
        Whether the engine reported its end; False where an error stopped it.
    """

    counted: bool = False
    nodes: dict[int, Node] = field(default_factory=dict)
    tensors: list[GraphTensor] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    finished: bool = False


def shown(passes: list[Pass]) -> list[Pass]:
    """The passes that views show: those that were walked; where there are none, the graphs as they were recorded."""
    return [record for record in passes if record.steps] or [record for record in passes if record.nodes]
