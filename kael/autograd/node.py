"""Nodes of the backward graph, and the edges that own them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

from kael.agreement import has_shape, same_strides
from kael.autograd.meta import AutogradMeta, NodeInput
from kael.autograd.op import Op
from kael.collector import leave_out
from kael.dtypes import DType
from kael.kernels import table
from kael.strides import axes_in_memory
from kael.tensors import Tensor, fresh

Gradient = Callable[..., Any]


class Node(AutogradMeta):
    """One recorded operation: maps the gradient of its output to the gradients of its inputs.

    The inputs are a tuple, whose own deallocation is bounded: a chain of a million nodes goes without a deep stack.
    While a backward pass is under way, the node also holds what that pass knows of it: `owner` is the pass, `pending`
    how many contributions are still to come, `total` their sum so far, and `borrowed` whether that sum lies in memory
    that somebody else may hold.
    """

    __slots__ = ("__weakref__", "borrowed", "inputs", "owner", "pending", "total")

    inputs: tuple[NodeInput, ...]
    owner: Any
    pending: int
    total: Tensor | None
    borrowed: bool

    @property
    def edge(self) -> Node:
        """Itself: the gradient of its tensor goes here."""
        return self

    @property
    def name(self) -> str:
        """The name shown in reprs and errors."""
        return type(self).__name__

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """The edges as pairs of a node and its output's number, as PyTorch spells them."""
        return tuple((link.edge, link.output) for link in self.inputs)

    def __repr__(self) -> str:
        return f"<{self.name}>"


class FunctionNode(Node):
    """The node of an operation.

    Attributes
    ----------
    op : Op
        What the operation declares: its name and gradient functions.
    saved : tuple
        Saved tensors that the gradient functions read.
    released : bool
        A backward pass has used the node and dropped its gradient functions and saved tensors.
    attributes : tuple
        Plain values that they read: axes, shapes, indices.
    retains : bool
        Its output asked to keep its gradient.
    """

    __slots__ = ("attributes", "op", "released", "retains", "saved")

    op: Op
    saved: tuple[Any, ...] | None
    released: bool
    attributes: tuple[Any, ...]
    retains: bool

    @property
    def grad_fn(self) -> Node:
        """Itself."""
        return self

    @property
    def name(self) -> str:
        """The name of the operation's node, such as ``MulBackward``."""
        return self.op.node

    @property
    def gradients(self) -> tuple[Gradient | None, ...] | None:
        """One gradient function per input, None for an input that needs no gradient; None as a whole once released."""
        if self.released:
            return None
        return tuple([None if link.edge is None else self.op.gradient for link in self.inputs])

    def apply(self, gradient: Tensor, total: Tensor | None = None) -> list[Tensor | None]:
        """The vector-Jacobian product: one gradient per input, None where none is wanted.

        An operation with `adds` may be given the `total` of its input, and adds its gradient there in place.

        Raises
        ------
        RuntimeError
            When an earlier backward pass has released the node, or a saved tensor has changed since.
        """
        if self.released:
            raise RuntimeError(
                f"Trying to backward through the graph a second time ({self.name} has released its saved tensors); "
                "specify retain_graph=True. kael frees a graph when backward has used it, also where nothing was "
                "saved; pass retain_graph=True to the first call, or add the losses"
            )
        if total is not None:
            self.op.adds(self, gradient, total)  # type: ignore[misc]
            return [None]
        # [apply-loop]
        function: Any = self.op.gradient
        if self.op.jointly:
            return function(self, gradient)  # type: ignore[no-any-return]
        results: list[Tensor | None] = []
        for position, link in enumerate(self.inputs):
            results.append(leave_out(None if link.edge is None else function(self, gradient, position)))
        return results
        # [/apply-loop]

    def release_variables(self) -> None:
        """Drop the gradient functions and the tensors they saved."""
        # [release]
        self.released = True
        self.saved = None
        self.attributes = ()
        # [/release]


class AccumulateGrad(Node):
    """The node of a leaf: adds the gradient that arrives to the leaf's ``grad``.

    The leaf owns it, and it knows the leaf weakly: no cycle keeps the two alive. A graph that outlives the leaf still
    has the leaf's memory and its hooks.

    Attributes
    ----------
    handle : Tensor
        The leaf's memory. Once the leaf has data of another shape or dtype, the handle's link is the leaf's new node.
    leaf : weakref to Tensor
        The leaf.
    """

    __slots__ = ("handle", "leaf")

    handle: Tensor
    leaf: Any

    @property
    def variable(self) -> Tensor:
        """The leaf, or one just like it where it is gone."""
        found: Tensor | None = self.leaf()
        if found is None:
            found = self.handle.detach()
            found.link = self
            self.leaf = ref(found)
        return found

    def accumulate(self, gradient: Tensor, owned: bool) -> None:
        """Put the complete gradient into the leaf's ``grad``.

        The leaf owns its gradient's buffer, for readers write to it (clipping): a gradient that nobody else holds is
        taken over, another is copied, and a sum with an earlier gradient is a fresh buffer. Its strides are the
        leaf's. A leaf that has ceased to require grad gets nothing.

        Raises
        ------
        RuntimeError
            When the leaf was given data of another shape or dtype since it was read, or since it got its ``grad``.
        """
        # [accumulate-leaf]
        if not self.requires_grad:
            return
        if self.handle.link is not None:
            raise RuntimeError(
                f"backward: a leaf was read as {self.dtype.name} of shape {self.shape} and given data that are "
                f"{self.handle.link.dtype.name} of shape {self.handle.link.shape} since; run the forward pass again"
            )
        if self.grad is not None:
            if not has_shape(self.grad.array, self.shape) or self.grad.dtype is not self.dtype:
                raise RuntimeError(
                    f"backward: a leaf is {self.dtype.name} of shape {self.shape} and its grad is from before, "
                    f"{self.grad.dtype.name} of shape {self.grad.array.shape}; set .grad to None after setting .data"
                )
            gradient, owned = accumulate(self.grad, gradient), True
        place = self.handle.array
        if owned and same_strides(gradient.array, place):
            self.grad = gradient
        elif place.flags.c_contiguous:
            self.grad = copied(gradient)
        else:
            self.grad = laid_out_like(place, gradient, owned)
        # [/accumulate-leaf]


def leaf_node(tensor: Tensor) -> AccumulateGrad:
    """The node of a leaf, made and given to it; it does not require grad yet."""
    node = AccumulateGrad.__new__(AccumulateGrad)
    node.inputs = ()
    node.shape = tensor.array.shape
    node.dtype = tensor.dtype
    node.requires_grad = False
    node.grad = None
    node.hooks = None
    node.owner = None
    node.leaf = ref(tensor)
    node.handle = tensor.detach()
    leave_out(node)
    tensor.link = node
    return node


def see_anew(tensor: Tensor) -> None:
    """Let what nodes know of a tensor follow, after it was given other memory or another view of it.

    Graphs that have read a leaf keep what they know of it: one of another shape or dtype gets a node of its own.
    """
    if not isinstance(tensor.link, AccumulateGrad):
        tensor.link = tensor.grad_fn
        return
    node: AccumulateGrad = tensor.link
    if has_shape(tensor.array, node.shape) and node.dtype is tensor.dtype:
        node.handle = tensor.detach()
        return
    latest = leaf_node(tensor)
    latest.requires_grad, latest.grad, latest.hooks = node.requires_grad, node.grad, node.hooks
    node.handle.link = latest


def constant(tensor: Tensor) -> NodeInput:
    """The input that stands for a tensor that does not require grad."""
    link = NodeInput.__new__(NodeInput)
    link.requires_grad = False
    link.shape = tensor.array.shape
    link.dtype = tensor.dtype
    leave_out(link)
    if tensor.link is None:
        tensor.link = link
    return link


def link_to(tensor: Tensor) -> NodeInput:
    """How a node that reads a tensor refers to it."""
    link: NodeInput | None = tensor.link
    if link is None or (not link.requires_grad and isinstance(link, AccumulateGrad)):
        return constant(tensor)
    return link


def function_node(
    op: Op, inputs: tuple[NodeInput, ...], saved: tuple[Any, ...], attributes: tuple[Any, ...],
    shape: tuple[int, ...], dtype: DType,
) -> FunctionNode:  # fmt: skip
    """The node of one operation, whose result has this shape and dtype.

    It is made field by field, which is quicker than calling the class.
    """
    node = FunctionNode.__new__(FunctionNode)
    node.op = op
    node.inputs = inputs
    node.saved = saved
    node.attributes = attributes
    node.shape = shape
    node.dtype = dtype
    node.requires_grad = True
    node.released = False
    node.retains = False
    node.grad = None
    node.hooks = None
    node.owner = None
    return node


def accumulate(total: Tensor, incoming: Tensor) -> Tensor:
    """The sum of two gradients in a fresh buffer; neither operand is written."""
    dtype = total.dtype
    out = table.empty(total.array.shape, dtype.numpy)
    if dtype.wide is None:
        table.add(total.array, incoming.array, out)
    else:
        out[...] = total.array + incoming.array
    return fresh(out, dtype)


def copied(gradient: Tensor) -> Tensor:
    """A contiguous copy that shares no memory with the gradient and has no history."""
    dtype = gradient.dtype
    if dtype.wide is not None:
        return fresh(gradient.array.copy(order="C"), dtype)
    out = table.empty(gradient.array.shape, dtype.numpy)
    table.copy(gradient.array, out)
    return fresh(out, dtype)


def laid_out_like(leaf: Any, gradient: Tensor, owned: bool) -> Tensor:
    """The gradient in the axis order in which a dense leaf lies in memory, row by row for a leaf that has gaps.

    A gradient that nobody else holds is given back as it is where it lies so already.
    """
    order = axes_in_memory(leaf)
    turned = gradient.array.transpose(order)
    if owned and turned.flags.c_contiguous:
        return gradient
    dense = copied(fresh(turned, gradient.dtype)).array
    return fresh(dense.transpose(sorted(range(leaf.ndim), key=order.__getitem__)), gradient.dtype)


def filled(shape: tuple[int, ...], dtype: Any, value: float) -> Tensor:
    """A gradient of one repeated value."""
    out = table.empty(shape, dtype.numpy)
    if dtype.wide is None:
        table.fill(out, value)
    else:
        out[...] = value
    return fresh(out, dtype)


def gradient_edge(tensor: Tensor) -> Node | None:
    """The node to which the gradient of a tensor goes; all uses of a leaf share it. None where it requires none."""
    link: NodeInput | None = tensor.link
    return link if isinstance(link, Node) and link.requires_grad else None
