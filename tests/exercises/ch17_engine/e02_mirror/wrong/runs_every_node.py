# misconception: never_skips
# fails: test_branch_that_does_not_lead_to_the_loss
from chapters.ch12_elementwise.reference import elementwise_add
from chapters.ch15_graph.graph import topological_backward_order
from chapters.ch16_rules.registry import chain_rule_step
from chapters.flat import Buffer


def accumulate_gradient(graph, tensor, incoming):
    """Let one contribution arrive at a tensor."""
    if tensor.grad is None:
        tensor.grad = incoming
    else:
        tensor.grad = elementwise_add(tensor.grad, incoming)
    if tensor.grad_fn_index is not None:
        graph.nodes[tensor.grad_fn_index].grad = tensor.grad


def backward(graph, loss):
    """Fill `grad` of every tensor that led to the loss."""
    loss.grad = Buffer.full(1.0, loss.shape)
    graph.nodes[loss.grad_fn_index].grad = loss.grad
    for index in topological_backward_order(graph):
        node = graph.nodes[index]
        *operands, result = node.saved
        gradients = chain_rule_step(node.op_name, node.grad, operands, result)
        for tensor, gradient in zip(node.inputs, gradients, strict=True):
            if tensor.requires_grad:
                accumulate_gradient(graph, tensor, gradient)
