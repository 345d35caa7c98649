# misconception: shell_only
# fails: test_setting_a_leaf_to_zero
import copy

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
    held = {id(node.output.grad) for node in graph.nodes}
    leaves = {tensor for node in graph.nodes for tensor in node.inputs if tensor.grad_fn_index is None}
    for leaf in leaves:
        if leaf.grad is not None:
            if id(leaf.grad) in held:
                leaf.grad = copy.copy(leaf.grad)
            held.add(id(leaf.grad))
