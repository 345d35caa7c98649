# misconception: not_turned_back
# fails: test_matrix_times_its_own_transpose
from chapters.ch12_elementwise.reference import elementwise_add
from chapters.ch15_graph.graph import topological_backward_order
from chapters.ch16_rules.registry import chain_rule_step
from chapters.ch17_engine.engine import unbroadcast_gradient
from chapters.flat import Buffer


def backward(graph, loss):
    """Fill `grad` of every tensor that led to the loss."""
    arrived = {loss.handle: Buffer.full(1.0, loss.shape)}
    for index in topological_backward_order(graph):
        node = graph.nodes[index]
        if node.output not in arrived:
            continue
        *operands, result = node.saved
        if node.op_name == "transpose":  # the same numbers as its operand
            gradients = [arrived[node.output]]
        else:
            gradients = chain_rule_step(node.op_name, arrived[node.output], operands, result)
        for tensor, gradient in zip(node.inputs, gradients, strict=True):
            if not tensor.requires_grad:
                continue
            gradient = unbroadcast_gradient(gradient, tensor.shape)
            if tensor in arrived:
                arrived[tensor] = elementwise_add(arrived[tensor], gradient)
            else:
                arrived[tensor] = gradient
    for tensor, gradient in arrived.items():
        tensor.grad = gradient if tensor.grad is None else elementwise_add(tensor.grad, gradient)
