"""Follows every path by itself; a value that was doubled forty times has 2**40 of them."""

from chapters.ch12_elementwise.reference import elementwise_add
from chapters.ch18_define_by_run.engine import gradient_edge
from chapters.flat import Buffer


def grad(root, inputs):
    totals = {}

    def walk(node, gradient):
        totals[node] = elementwise_add(totals[node], gradient) if node in totals else gradient
        if node.inputs:
            for link, arriving in zip(node.inputs, node.apply(gradient), strict=True):
                if link.edge is not None:
                    walk(link.edge, arriving)

    walk(gradient_edge(root), Buffer.full(1.0, root.shape))
    return tuple(totals.get(gradient_edge(tensor)) for tensor in inputs)
