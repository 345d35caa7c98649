# misconception: bypassed
# fails: test_every_node_holds_the_gradient_of_its_output
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


def backward(graph, loss):
    """Fill `grad` of every tensor that led to the loss."""
    loss.grad = Buffer.full(1.0, loss.shape)
    for index in topological_backward_order(graph):
        node = graph.nodes[index]
        if node.output.grad is None:
            continue
        *operands, result = node.saved
        gradients = chain_rule_step(node.op_name, node.output.grad, operands, result)
        for tensor, gradient in zip(node.inputs, gradients, strict=True):
            if tensor.requires_grad:
                accumulate_gradient(graph, tensor, gradient)
