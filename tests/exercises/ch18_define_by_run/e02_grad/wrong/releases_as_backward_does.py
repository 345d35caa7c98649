# misconception: released
# fails: test_graph_can_be_asked_again
from chapters.ch12_elementwise.reference import elementwise_add
from chapters.ch18_define_by_run.engine import FunctionNode, count_dependencies, gradient_edge
from chapters.flat import Buffer


def grad(root, inputs):
    """The gradient of a root of one element by each input; None where the root does not depend on it."""
    wanted = [gradient_edge(tensor) for tensor in inputs]
    start = gradient_edge(root)
    waiting = count_dependencies(start)
    totals = {start: Buffer.full(1.0, root.shape)}
    found = {}
    ready = [start]
    while ready:
        node = ready.pop()
        found[node] = totals.pop(node)
        if not isinstance(node, FunctionNode):
            continue
        for link, arriving in zip(node.inputs, node.apply(found[node]), strict=True):
            edge = link.edge
            if edge is None:
                continue
            totals[edge] = elementwise_add(totals[edge], arriving) if edge in totals else arriving
            waiting[edge] -= 1
            if waiting[edge] == 0:
                ready.append(edge)
        node.release()
    return tuple(found.get(node) for node in wanted)
