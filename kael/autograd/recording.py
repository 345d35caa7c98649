"""Recording: when an operation leaves a node behind, and what the node keeps."""

from __future__ import annotations

from typing import Any

from kael.autograd.grad_mode import grad_enabled
from kael.autograd.meta import AutogradMeta
from kael.autograd.node import FunctionNode, NodeInput, function_node, gradient_edge, link_to
from kael.autograd.op import OUTPUT, Op
from kael.tensors import Tensor

_watcher: Any = None


def watch(watcher: Any) -> None:
    """Let `watcher` note every node that is recorded, and run those of a backward pass; None for nobody."""
    global _watcher
    _watcher = watcher


def watched() -> Any:
    """Who watches, or None."""
    return _watcher


class SavedTensor:
    """A forward value kept for the backward pass, with the version its storage had.

    Parameters
    ----------
    tensor : Tensor
        The value; a detached handle of it is kept, so that an output can be saved without a reference cycle.
    """

    __slots__ = ("data", "version")

    # [saved-init]
    def __init__(self, tensor: Tensor) -> None:
        self.data = tensor.detach()
        self.version = tensor.storage.version

    # [/saved-init]

    def get(self) -> Tensor:
        """The value as it was in the forward pass.

        Raises
        ------
        RuntimeError
            When an in-place operation has written to its storage since.
        """
        # [saved-get]
        data: Tensor = self.data
        if data.storage.version != self.version:
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified by an inplace operation: "
                f"expected version {self.version}, got {data.storage.version}"
            )
        return data
        # [/saved-get]


def saved_tensor(tensor: Tensor) -> SavedTensor:
    """A value to keep; made field by field, which is quicker than calling the class."""
    saved = SavedTensor.__new__(SavedTensor)
    saved.data = tensor.detach()
    saved.version = tensor.storage.version
    return saved


def requires_grad(tensor: Tensor) -> bool:
    """Whether a tensor takes part in differentiation."""
    meta: AutogradMeta = tensor.meta
    return meta is not None and meta.requires_grad


def should_record(output: Tensor, inputs: tuple[Tensor, ...]) -> bool:
    """Grad mode is on, the output is floating point, and an input requires grad."""
    # [should-record]
    wanted = False
    for tensor in inputs:
        if requires_grad(tensor):
            wanted = True
            break
    return wanted and output.dtype.is_floating_point and grad_enabled.get()
    # [/should-record]


def set_history(output: Tensor, op: Any, inputs: tuple[Tensor, ...], attributes: tuple[Any, ...] = ()) -> None:
    """Make `output` the result of a new FunctionNode with one edge per input.

    An input that does not require grad gets a null edge and no gradient function, so its gradient is never computed,
    and what only that gradient would read is not saved.

    Parameters
    ----------
    output : Tensor
        The result; it gets the node as its ``grad_fn``.
    op : Op
        The operation's row of the table.
    inputs : tuple of Tensor
        The operands.
    attributes : tuple
        Plain values that the gradient functions read.
    """
    # [set-history]
    links: list[NodeInput] = []
    needs: tuple[Any, ...] = op.needs
    saved: list[Any] | None = [None] * (len(inputs) + 1) if needs else None
    for position, tensor in enumerate(inputs):
        if requires_grad(tensor):
            links.append(link_to(gradient_edge(tensor), tensor))
            if saved is not None:
                for which in needs[position]:
                    if saved[which] is None:
                        saved[which] = saved_tensor(output if which == OUTPUT else inputs[which])
        else:
            links.append(link_to(None, tensor))
    produce(output, function_node(op, tuple(links), () if saved is None else tuple(saved), attributes))
    # [/set-history]


def produce(output: Tensor, node: FunctionNode) -> None:
    """Make a node the ``grad_fn`` of an output."""
    meta = AutogradMeta.__new__(AutogradMeta)
    meta.requires_grad = True
    meta.grad = None
    meta.grad_fn = node
    meta.accumulator = None
    meta.hooks = None
    output.meta = meta
    if _watcher is not None:
        _watcher.note(node)


def record_unary(output: Tensor, op: Op, x: Tensor) -> Tensor:
    """`record` for an operation of one input without attributes."""
    if not requires_grad(x) or not output.dtype.is_floating_point or not grad_enabled.get():
        return output
    links = (link_to(gradient_edge(x), x),)
    saved: tuple[Any, ...] = ()
    if op.needs:
        needs: tuple[Any, ...] = op.needs
        first = needs[0]
        saved = (saved_tensor(x) if 0 in first else None, saved_tensor(output) if OUTPUT in first else None)
    produce(output, function_node(op, links, saved, ()))
    return output


def record_binary(output: Tensor, op: Op, x: Tensor, y: Tensor) -> Tensor:
    """`record` for an operation of two inputs without attributes.

    The same node as `set_history` makes, without its lists: most nodes of a graph are made here.
    """
    left, right = requires_grad(x), requires_grad(y)
    if not (left or right) or not output.dtype.is_floating_point or not grad_enabled.get():
        return output
    links = (link_to(gradient_edge(x) if left else None, x), link_to(gradient_edge(y) if right else None, y))
    saved: tuple[Any, ...] = ()
    if op.needs:
        needs: tuple[Any, ...] = op.needs
        first = needs[0] if left else ()
        second = needs[1] if right else ()
        saved = (
            saved_tensor(x) if 0 in first or 0 in second else None,
            saved_tensor(y) if 1 in first or 1 in second else None,
            saved_tensor(output) if OUTPUT in first or OUTPUT in second else None,
        )
    produce(output, function_node(op, links, saved, ()))
    return output


def record(output: Tensor, op: Any, inputs: tuple[Tensor, ...], attributes: tuple[Any, ...] = ()) -> Tensor:
    """The last step of every differentiable operation: leave a node behind if one is wanted; gives `output` back."""
    if should_record(output, inputs):
        set_history(output, op, inputs, attributes)
    return output
