# misconception: written_half_way
# fails: test_value_written_in_place
from chapters.ch12_elementwise.reference import elementwise_add
from chapters.ch18_define_by_run.engine import AccumulateGrad, count_dependencies, gradient_edge
from chapters.flat import Buffer


def backward(root, retain_graph=False):
    """Add to the `grad` of each leaf the gradient of `root`, a tensor of one element."""
    start = gradient_edge(root)
    waiting = count_dependencies(start)
    for node in waiting:
        if isinstance(node, AccumulateGrad):
            continue
        if node.saved is None:
            raise RuntimeError(f"{node.name} was released by an earlier pass; give that one retain_graph=True")
        if node.saved[0] is not None:
            node.saved[0].get()
    complete = []
    totals = {start: Buffer.full(1.0, root.shape)}
    ready = [start]
    while ready:
        node = ready.pop()
        total = totals.pop(node)
        if isinstance(node, AccumulateGrad):
            complete.append((node, total))
            continue
        for link, arriving in zip(node.inputs, node.apply(total), strict=True):
            edge = link.edge
            if edge is None:
                continue
            held = totals.get(edge)
            totals[edge] = arriving if held is None else elementwise_add(held, arriving)
            waiting[edge] -= 1
            if waiting[edge] == 0:
                ready.append(edge)
        if not retain_graph and any(kept is not None for kept in node.saved):
            node.release()
    for leaf, total in complete:
        leaf.accumulate(total)
