"""An order worked out beforehand, and nothing taken out of the totals."""

from chapters.ch12_elementwise.reference import elementwise_add
from chapters.ch18_define_by_run.engine import FunctionNode, gradient_edge
from chapters.flat import Buffer


def grad(root, inputs):
    order, seen = [], set()

    def visit(node):
        seen.add(node)
        for link in node.inputs:
            if link.edge is not None and link.edge not in seen:
                visit(link.edge)
        order.append(node)

    visit(gradient_edge(root))
    totals = {gradient_edge(root): Buffer.full(1.0, root.shape)}
    for node in reversed(order):
        if isinstance(node, FunctionNode):
            for link, arriving in zip(node.inputs, node.apply(totals[node]), strict=True):
                if link.edge in totals:
                    totals[link.edge] = elementwise_add(totals[link.edge], arriving)
                elif link.edge is not None:
                    totals[link.edge] = arriving
    return tuple(totals.get(gradient_edge(tensor)) for tensor in inputs)
