"""The gradient engine of chapter 17 on objects: seed, walk the list backwards, call the rules, add up.

The keyword arguments of `backward` are the switches of the chapter. Their defaults are the mended engine; the engine
exactly as first written down is ``backward(graph, loss, mirror=False, skip="is_zero")``, which sets no gradient at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from chapters.ch12_elementwise.reference import elementwise_add
from chapters.ch13_reductions.reference import sum as sum_kernel
from chapters.ch15_graph.graph import ComputationGraph, Handle, Tensor, topological_backward_order
from chapters.ch16_rules.registry import RULES, chain_rule_step
from chapters.flat import Buffer

__all__ = [
    "accumulate_gradient",
    "backward",
    "is_zero",
    "keep_for_backward",
    "keep_nothing_of_add",
    "needs_input_for_backward",
    "reduce_sum_axis",
    "unbroadcast_gradient",
    "zero_grad",
]


SWITCHES = {
    "skip": ("no gradient", "is_zero"),
    "accumulate": ("add", "overwrite"),
    "shapes": ("unbroadcast", "check", "ignore"),
}


def check_switches(**switches: str) -> None:
    """Refuse a switch that is set to none of its positions."""
    for name, position in switches.items():
        if position not in SWITCHES[name]:
            raise ValueError(f"backward: {name} is {position!r}; choose one of {', '.join(map(repr, SWITCHES[name]))}")


# [backward]
def backward(
    graph: ComputationGraph,
    loss: Tensor,
    *,
    mirror: bool = True,
    skip: str = "no gradient",
    accumulate: str = "add",
    shapes: str = "unbroadcast",
    trace: Any = None,
) -> None:
    """Fill `grad` of every tensor that led to a scalar loss.

    Parameters
    ----------
    graph : ComputationGraph
        The recorded forward pass; used up by this call.
    loss : Tensor
        A tensor with one element that `graph` recorded.
    mirror : bool
        Write every gradient of a node's output into the node's own `grad` too, which is the field the loop reads.
    skip : {"no gradient", "is_zero"}
        When a node is passed over: when no gradient has arrived, or when the node's `grad` is all zeros.
    accumulate : {"add", "overwrite"}
        What a second contribution does.
    shapes : {"unbroadcast", "check", "ignore"}
        What happens to a gradient whose operand was repeated: it is summed down to the operand's shape, or it is
        refused, or nobody looks.
    trace : object, optional
        Is told of every step; the graph's own trace when left out.

    Raises
    ------
    ValueError
        When the loss has not exactly one element or was not recorded by this graph, or a switch has no such position.
    RuntimeError
        When the graph has been used already.

    Examples
    --------
    >>> graph = ComputationGraph()
    >>> x, y = Tensor(3.0, requires_grad=True), Tensor(4.0, requires_grad=True)
    >>> backward(graph, graph.add(graph.mul(x, y), x))
    >>> x.grad.tolist(), y.grad.tolist()
    (5.0, 3.0)
    """
    check_switches(skip=skip, accumulate=accumulate, shapes=shapes)
    if len(loss.data) != 1:
        raise ValueError(f"backward() requires a scalar; loss has shape {loss.shape}")
    if graph.consumed:
        raise RuntimeError("backward: this graph has been used by an earlier backward; reset it and build it again")
    start = loss.grad_fn_index
    nodes = graph.nodes
    if start is None or start >= len(nodes) or nodes[start].output is not loss.handle:
        raise ValueError("backward: loss was not recorded by this graph; compute it with the graph's own operations")
    graph.consumed = True
    trace = graph.trace if trace is None else trace

    # [seed]
    loss.grad = Buffer.full(1.0, loss.shape, loss.data.typecode)
    if trace is not None:
        trace.seed(start, loss.handle, loss.grad)
    if mirror:
        nodes[start].grad = loss.grad
        if trace is not None:
            trace.node_gradient(start, loss.grad)
    # [/seed]

    # [backward-loop]
    for index in topological_backward_order(graph):
        node = nodes[index]
        if node.output.grad is None if skip == "no gradient" else is_zero(node.grad):
            if trace is not None:
                trace.skip(index, skip)
            continue
        if trace is not None:
            trace.visit(index, node.grad, None)
        *operands, result = node.saved
        gradients = chain_rule_step(node.op_name, node.grad, operands, result)
        for position, handle in enumerate(node.inputs):
            if not handle.requires_grad:
                continue
            gradient = gradients[position]
            if handle.grad_fn_index is None:
                gradient = nodes.outlive(gradient)
            if shapes == "unbroadcast":
                gradient = unbroadcast_gradient(gradient, handle.shape)
            elif shapes == "check":
                check_shape(gradient, handle.shape)
            action = accumulate_gradient(handle, gradient, graph if mirror else None, accumulate)
            if trace is not None:
                target = handle.grad_fn_index
                trace.contribution(index, position, handle, target, gradient, handle.grad, action, None)
                if mirror and target is not None:
                    trace.node_gradient(target, nodes[target].grad)
    # [/backward-loop]
    if trace is not None:
        trace.done()


# [/backward]


# [check-shape]
def check_shape(gradient: Buffer, shape: tuple[int, ...]) -> None:
    """Refuse a gradient that has not the shape of the tensor it arrives at."""
    if gradient.shape != shape:
        raise ValueError(f"backward: a gradient of shape {gradient.shape} arrives at a tensor of shape {shape}")


# [/check-shape]


# [is-zero]
def is_zero(gradient: Buffer) -> bool:
    """Whether every element is zero."""
    return all(value == 0 for value in gradient)


# [/is-zero]


# [accumulate-gradient]
def accumulate_gradient(
    tensor: Tensor | Handle, incoming_grad: Buffer, graph: ComputationGraph | None = None, accumulate: str = "add"
) -> str:
    """Let one contribution arrive at a tensor: assign the first, add every later one into a fresh buffer.

    No buffer is ever changed, so a buffer that two tensors share stays what it was for the other.

    Parameters
    ----------
    tensor : Tensor or Handle
        Where the contribution arrives.
    incoming_grad : Buffer
        The contribution.
    graph : ComputationGraph, optional
        With it, the new total is mirrored into `grad` of the node that made the tensor.
    accumulate : {"add", "overwrite"}
        "overwrite" forgets what was there: the bug, for study.

    Returns
    -------
    str
        The branch taken: "assign", "add" or "overwrite".
    """
    # [branches]
    if tensor.grad is None:
        action, total = "assign", incoming_grad
    elif accumulate == "overwrite":
        action, total = "overwrite", incoming_grad
    else:
        action, total = "add", elementwise_add(tensor.grad, incoming_grad)
    tensor.grad = total
    if graph is not None and tensor.grad_fn_index is not None:
        graph.nodes[tensor.grad_fn_index].grad = tensor.grad
    # [/branches]
    return action


# [/accumulate-gradient]


# [zero-grad]
def zero_grad(params: Iterable[Tensor]) -> None:
    """Give every parameter a gradient of zeros of its own shape."""
    for p in params:
        p.grad = Buffer.full(0.0, p.shape, p.data.typecode)


# [/zero-grad]


# [reduce-sum-axis]
def reduce_sum_axis(grad: Buffer, axis: int, keepdims: bool = False) -> Buffer:
    """Sum over one axis, which goes away or, with `keepdims`, stays with size 1."""
    kept = (*grad.shape[:axis], 1, *grad.shape[axis + 1 :])
    out = Buffer.full(0.0, kept, grad.typecode)
    sum_kernel(grad, out)
    if not keepdims:
        out.shape = (*kept[:axis], *kept[axis + 1 :])
    return out


# [/reduce-sum-axis]


# [unbroadcast-gradient]
def unbroadcast_gradient(grad: Buffer, target_shape: tuple[int, ...]) -> Buffer:
    """Sum a gradient down to the shape that an operand had before it was repeated.

    First every axis that the operand lacks, then every axis where it had size 1.

    Raises
    ------
    ValueError
        When what is left is not the target shape, so that no broadcast can have made the gradient.

    Examples
    --------
    >>> unbroadcast_gradient(Buffer([1] * 60, (4, 3, 5)), (3, 1)).tolist()
    [[20.0], [20.0], [20.0]]
    """
    # [sum-down]
    result = grad
    while len(result.shape) > len(target_shape):
        result = reduce_sum_axis(result, axis=0)
    for axis, (size, wanted) in enumerate(zip(result.shape, target_shape, strict=False)):
        if wanted == 1 and size != 1:
            result = reduce_sum_axis(result, axis=axis, keepdims=True)
    if result.shape != target_shape:
        raise ValueError(f"unbroadcast_gradient: cannot reduce {grad.shape} to {target_shape}")
    # [/sum-down]
    return result


# [/unbroadcast-gradient]


# [pruning]
def needs_input_for_backward(op_name: str) -> bool:
    """Whether the backward rule of an operation reads its operands' values; the rule itself says so."""
    return "operands" in RULES[op_name].saves


def keep_for_backward(op_name: str) -> frozenset[str]:
    """Keep every edge, and of the values only what the rule reads."""
    return RULES[op_name].saves | {"edges"}


# [/pruning]


# [literal-pruning]
def keep_nothing_of_add(op_name: str) -> frozenset[str]:
    """The pruning taken at its word: an operation that needs no input drops its inputs, edges and all."""
    kept = frozenset({"operands", "result"})
    return kept | {"edges"} if needs_input_for_backward(op_name) else kept


# [/literal-pruning]
