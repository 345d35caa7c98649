"""Who holds what is counted once, over all handles; a leaf that is one of several holders moves out."""

from collections import Counter

from chapters.ch12_elementwise.reference import elementwise_add
from chapters.ch15_graph.graph import topological_backward_order
from chapters.ch16_rules.registry import chain_rule_step
from chapters.ch17_engine.engine import accumulate_gradient, unbroadcast_gradient
from chapters.flat import Buffer


def clip(leaves, limit):
    """Bring every element of the leaves' gradients between -limit and limit, in place."""
    for leaf in leaves:
        for k, value in enumerate(leaf.grad):
            leaf.grad[k] = max(-limit, min(value, limit))


def backward(graph, loss):
    """Fill `grad` of every tensor that led to the loss."""
    loss.grad = Buffer.full(1.0, loss.shape, loss.data.typecode)
    for index in topological_backward_order(graph):
        node = graph.nodes[index]
        if node.output.grad is None:
            continue
        *operands, result = node.saved
        gradients = chain_rule_step(node.op_name, node.output.grad, operands, result)
        for tensor, gradient in zip(node.inputs, gradients, strict=True):
            if tensor.requires_grad:
                accumulate_gradient(tensor, unbroadcast_gradient(gradient, tensor.shape))
    handles = {handle: None for node in graph.nodes for handle in (node.output, *node.inputs)}
    holders = Counter(id(handle.grad) for handle in handles if handle.grad is not None)
    for handle in handles:
        if handle.grad_fn_index is None and handle.grad is not None and holders[id(handle.grad)] > 1:
            holders[id(handle.grad)] -= 1
            handle.grad = elementwise_add(handle.grad, Buffer.full(0.0, handle.shape, handle.grad.typecode))
