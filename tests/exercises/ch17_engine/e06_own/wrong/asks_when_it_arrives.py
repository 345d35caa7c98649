# misconception: asks_too_early
# fails: test_another_rule_that_hands_out_one_buffer
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
    held = [loss.grad]
    for index in topological_backward_order(graph):
        node = graph.nodes[index]
        if node.output.grad is None:
            continue
        *operands, result = node.saved
        gradients = chain_rule_step(node.op_name, node.output.grad, operands, result)
        for tensor, gradient in zip(node.inputs, gradients, strict=True):
            if not tensor.requires_grad:
                continue
            gradient = unbroadcast_gradient(gradient, tensor.shape)
            if tensor.grad_fn_index is None and any(gradient is other for other in held):
                gradient = Buffer(list(gradient), gradient.shape, gradient.typecode)
            accumulate_gradient(tensor, gradient)
            held.append(tensor.grad)
