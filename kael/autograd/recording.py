"""Recording: when an operation leaves a node behind, and what the node keeps."""

from __future__ import annotations

from typing import Any

from kael.agreement import has_shape
from kael.autograd.grad_mode import grad_enabled
from kael.autograd.meta import NodeInput
from kael.autograd.node import function_node, link_to
from kael.autograd.op import OUTPUT, Op
from kael.collector import leave_out, leave_out_record
from kael.tensors import Tensor, memory_of

_watcher: Any = None


def watch(watcher: Any) -> None:
    """Let `watcher` note every node that is recorded, and run those of a backward pass; None for nobody."""
    global _watcher
    _watcher = watcher


def watched() -> Any:
    """Who watches, or None."""
    return _watcher


class SavedTensor(Tensor):
    """A forward value kept for the backward pass, with the version its storage had.

    It is a handle on the value's memory without the value's history, so that an output can be saved without a
    reference cycle.

    Parameters
    ----------
    tensor : Tensor
        The value.
    """

    __slots__ = ("saved_version",)

    # [saved-init]
    def __init__(self, tensor: Tensor) -> None:
        super().__init__(tensor.storage, tensor.array, tensor.dtype)
        self.saved_version = tensor.storage.version

    # [/saved-init]

    def get(self) -> Tensor:
        """The value as it was in the forward pass.

        Raises
        ------
        RuntimeError
            When an in-place operation has written to its storage since.
        """
        # [saved-get]
        if self.memory.version != self.saved_version:
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified by an inplace operation: "
                f"expected version {self.saved_version}, got {self.memory.version}"
            )
        return self
        # [/saved-get]


def saved_tensor(tensor: Tensor) -> SavedTensor:
    """A value to keep; made field by field, which is quicker than calling the class."""
    saved = SavedTensor.__new__(SavedTensor)
    saved.memory = memory_of(tensor)
    saved.array = tensor.array
    saved.dtype = tensor.dtype
    saved.link = None
    saved.base = None
    saved.saved_version = saved.memory.version
    leave_out(saved)
    return saved


def requires_grad(tensor: Tensor) -> bool:
    """Whether a tensor takes part in differentiation."""
    link: NodeInput | None = tensor.link
    return link is not None and link.requires_grad


def should_record(output: Tensor, inputs: tuple[Tensor, ...]) -> bool:
    """Grad mode is on, the output is floating point, and an input requires grad."""
    # [should-record]
    for tensor in inputs:
        if requires_grad(tensor):
            return output.dtype.is_floating_point and bool(grad_enabled.get())
    return False
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
    saved: list[Any] | None = [None] * (len(inputs) + 1) if op.needs else None
    for position, tensor in enumerate(inputs):
        link = link_to(tensor)
        links.append(link)
        if link.requires_grad and saved is not None:
            for which in op.needs[position]:
                if saved[which] is None:
                    saved[which] = saved_tensor(output if which == OUTPUT else inputs[which])
    produce(output, op, tuple(links), () if saved is None else tuple(saved), attributes)
    # [/set-history]


def produce(
    output: Tensor, op: Op, inputs: tuple[NodeInput, ...], saved: tuple[Any, ...], attributes: tuple[Any, ...]
) -> None:
    """Make a new node the ``grad_fn`` of an output."""
    first = inputs[0].shape  # one tuple for both, so that equal shapes are seen at a glance
    shape = first if has_shape(output.array, first) else output.array.shape
    node = function_node(op, inputs, saved, attributes, shape, output.dtype)
    output.link = node
    leave_out_record(node, inputs, saved, output)
    if _watcher is not None:
        _watcher.note(node)


def record_unary(output: Tensor, op: Op, x: Tensor) -> Tensor:
    """`record` for an operation of one input without attributes."""
    if not requires_grad(x) or not output.dtype.is_floating_point or not grad_enabled.get():
        return output
    saved: tuple[Any, ...] = ()
    if op.needs:
        first = op.needs[0]
        saved = (saved_tensor(x) if 0 in first else None, saved_tensor(output) if OUTPUT in first else None)
    produce(output, op, (x.link,), saved, ())
    return output


def record_binary(output: Tensor, op: Op, x: Tensor, y: Tensor) -> Tensor:
    """`record` for an operation of two inputs without attributes.

    The same node as `set_history` makes, without its lists: most nodes of a graph are made here.
    """
    first: NodeInput | None = x.link
    second: NodeInput | None = y.link
    left = first is not None and first.requires_grad
    right = second is not None and second.requires_grad
    if not (left or right) or not output.dtype.is_floating_point or not grad_enabled.get():
        return output
    saved: tuple[Any, ...] = ()
    if op.needs:
        mine = op.needs[0] if left else ()
        other = op.needs[1] if right else ()
        saved = (
            saved_tensor(x) if 0 in mine or 0 in other else None,
            saved_tensor(y) if 1 in mine or 1 in other else None,
            saved_tensor(output) if OUTPUT in mine or OUTPUT in other else None,
        )
    produce(output, op, (first if left else link_to(x), second if right else link_to(y)), saved, ())  # type: ignore[arg-type]
    return output


def record(output: Tensor, op: Any, inputs: tuple[Tensor, ...], attributes: tuple[Any, ...] = ()) -> Tensor:
    """The last step of every differentiable operation: leave a node behind if one is wanted; gives `output` back."""
    if should_record(output, inputs):
        set_history(output, op, inputs, attributes)
    return output
