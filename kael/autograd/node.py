"""Nodes of the backward graph, and the edges that own them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

from kael.autograd.meta import AutogradMeta
from kael.autograd.op import Op
from kael.dtypes import DType
from kael.kernels import table
from kael.tensors import Tensor, fresh

Gradient = Callable[["FunctionNode", Tensor, int], Tensor]


class NodeInput:
    """One edge of a node: where the gradient of an input goes, and what it must look like.

    Attributes
    ----------
    edge : Node or None
        The node that produced the input, or the accumulator of a leaf; None where no gradient is wanted.
    shape : tuple of int
        Shape of the input in the forward pass.
    dtype : DType
        Its dtype.
    output : int
        Which output of `edge` the input was.
    """

    __slots__ = ("dtype", "edge", "output", "shape")

    # [node-input]
    edge: Node | None
    shape: tuple[int, ...]
    dtype: DType
    output: int
    # [/node-input]


class Node:
    """One recorded operation: maps the gradient of its output to the gradients of its inputs.

    The inputs are a tuple, whose own deallocation is bounded: a chain of a million nodes goes without a deep stack.
    """

    __slots__ = ("__weakref__", "inputs")

    def __init__(self, inputs: tuple[NodeInput, ...]) -> None:
        self.inputs = inputs

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
    hooks : dict or None
        Hooks of the output tensor.
    retains : weakref to Tensor, or None
        The output, once it asked to keep its gradient.
    """

    __slots__ = ("attributes", "hooks", "op", "released", "retains", "saved")

    op: Op
    saved: tuple[Any, ...] | None
    released: bool
    attributes: tuple[Any, ...]
    hooks: dict[int, Callable[[Tensor], Tensor | None]] | None
    retains: Any

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
        results: list[Tensor | None] = []
        for position, link in enumerate(self.inputs):
            results.append(None if link.edge is None else function(self, gradient, position))
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
    """The node of a leaf: adds the gradient that arrives to the leaf's ``grad``."""

    __slots__ = ("variable",)

    variable: Tensor

    def accumulate(self, gradient: Tensor, owned: bool) -> None:
        """Put the complete gradient into the leaf's ``grad``.

        The leaf owns its gradient's buffer, for readers write to it (clipping): a gradient that nobody else holds is
        taken over, another is copied, and a sum with an earlier gradient is a fresh buffer. Its strides are the
        leaf's. A leaf that has ceased to require grad gets nothing.
        """
        # [accumulate-leaf]
        variable = self.variable
        meta: AutogradMeta = variable.meta
        if meta is None or not meta.requires_grad:
            return
        if meta.grad is not None:
            gradient, owned = accumulate(meta.grad, gradient), True
        if owned and gradient.array.strides == variable.array.strides:
            meta.grad = gradient
        elif variable.array.flags.c_contiguous:
            meta.grad = copied(gradient)
        else:
            meta.grad = laid_out_like(variable.array, gradient, owned)
        # [/accumulate-leaf]


def link_to(edge: Node | None, tensor: Tensor) -> NodeInput:
    """The link from a node to an input; made field by field, which is quicker than calling the class."""
    link = NodeInput.__new__(NodeInput)
    link.edge = edge
    link.shape = tensor.array.shape
    link.dtype = tensor.dtype
    link.output = 0
    return link


def function_node(
    op: Op, inputs: tuple[NodeInput, ...], saved: tuple[Any, ...], attributes: tuple[Any, ...]
) -> FunctionNode:
    """The node of one operation; made field by field, as `link_to`."""
    node = FunctionNode.__new__(FunctionNode)
    node.op = op
    node.inputs = inputs
    node.saved = saved
    node.attributes = attributes
    node.released = False
    node.hooks = None
    node.retains = None
    return node


def accumulate(total: Tensor, incoming: Tensor) -> Tensor:
    """The sum of two gradients in a fresh buffer; neither operand is written."""
    dtype = total.dtype
    if dtype.wide is not None:
        return fresh(total.array + incoming.array, dtype)
    out = table.empty(total.array.shape, dtype.numpy)
    table.add(total.array, incoming.array, out)
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
    order = sorted(range(leaf.ndim), key=leaf.strides.__getitem__, reverse=True)
    if not leaf.transpose(order).flags.c_contiguous:
        order = list(range(leaf.ndim))
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


def gradient_edge(tensor: Tensor) -> Node:
    """The node to which the gradient of a tensor that requires grad goes.

    For a leaf it is the one AccumulateGrad that all uses share, made anew when the last graph that used it is gone.
    """
    meta: AutogradMeta = tensor.meta
    if meta.grad_fn is not None:
        found: Node = meta.grad_fn
        return found
    accumulator = None if meta.accumulator is None else meta.accumulator()
    if accumulator is None:
        leaf = AccumulateGrad.__new__(AccumulateGrad)
        leaf.inputs = ()
        leaf.variable = tensor
        meta.accumulator = ref(leaf)
        return leaf
    edge: Node = accumulator
    return edge
