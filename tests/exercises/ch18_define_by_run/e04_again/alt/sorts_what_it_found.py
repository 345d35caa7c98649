"""Three walks: ask, run with all leaves left over in the totals, write."""

from chapters.ch12_elementwise.reference import elementwise_add
from chapters.ch18_define_by_run.engine import FunctionNode, count_dependencies, gradient_edge
from chapters.flat import Buffer


def values_of(node):
    if node.saved is None:
        raise RuntimeError(f"{node.name} has let go of its values: run the pass before this one with retain_graph=True")
    return [kept for kept in node.saved if kept]


def backward(root, retain_graph=False):
    start = gradient_edge(root)
    waiting = count_dependencies(start)
    needed = {node: values_of(node) for node in waiting if isinstance(node, FunctionNode)}
    for values in needed.values():
        for kept in values:
            kept.get()
    totals, ready = {start: Buffer.full(1.0, root.shape)}, [start]
    for node in ready:
        if node not in needed:
            continue
        for link, arriving in zip(node.inputs, node.apply(totals.pop(node)), strict=True):
            if link.edge:
                before = totals.get(link.edge)
                totals[link.edge] = elementwise_add(before, arriving) if before else arriving
                waiting[link.edge] -= 1
                if not waiting[link.edge]:
                    ready.append(link.edge)
        if needed.pop(node) and not retain_graph:
            node.release()
    for leaf, total in totals.items():
        leaf.accumulate(total)
