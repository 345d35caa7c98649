"""Every contribution is kept until its sum is needed."""

from functools import reduce

from chapters.ch12_elementwise.reference import elementwise_add
from chapters.ch16_rules.registry import chain_rule_step
from chapters.ch17_engine.engine import unbroadcast_gradient
from chapters.flat import Buffer


def backward(graph, loss):
    arrived = {loss.handle: [Buffer.full(1.0, loss.shape)]}
    for node in reversed(graph.nodes):
        if node.output in arrived:
            upstream = reduce(elementwise_add, arrived[node.output])
            gradients = chain_rule_step(node.op_name, upstream, node.saved[:-1], node.saved[-1])
            for tensor, gradient in zip(node.inputs, gradients, strict=True):
                if tensor.requires_grad:
                    arrived.setdefault(tensor, []).append(unbroadcast_gradient(gradient, tensor.shape))
    for tensor, contributions in arrived.items():
        earlier = [] if tensor.grad is None else [tensor.grad]
        tensor.grad = reduce(elementwise_add, earlier + contributions)
