# misconception: in_place
# fails: test_what_a_tensor_holds_stays
from chapters.ch15_graph.graph import topological_backward_order
from chapters.ch16_rules.registry import chain_rule_step
from chapters.ch17_engine.engine import is_zero
from chapters.flat import Buffer


def accumulate_gradient(graph, tensor, incoming):
    """Let one contribution arrive at a tensor."""
    if tensor.grad is None:
        tensor.grad = incoming
    else:
        for k, value in enumerate(incoming):
            tensor.grad[k] += value
    if tensor.grad_fn_index is not None:
        graph.nodes[tensor.grad_fn_index].grad = tensor.grad


def backward(graph, loss):
    """Fill `grad` of every tensor that led to the loss."""
    loss.grad = Buffer.full(1.0, loss.shape)
    graph.nodes[loss.grad_fn_index].grad = loss.grad
    for index in topological_backward_order(graph):
        node = graph.nodes[index]
        if is_zero(node.grad):
            continue
        *operands, result = node.saved
        gradients = chain_rule_step(node.op_name, node.grad, operands, result)
        for tensor, gradient in zip(node.inputs, gradients, strict=True):
            if tensor.requires_grad:
                accumulate_gradient(graph, tensor, gradient)
