"""Leaves accumulate as they are reached; when something raises, they get back what they had."""

from chapters.ch12_elementwise.reference import elementwise_add
from chapters.ch18_define_by_run.engine import AccumulateGrad, count_dependencies, gradient_edge
from chapters.flat import Buffer


def backward(root, retain_graph=False):
    start = gradient_edge(root)
    waiting = count_dependencies(start)
    before = {node: node.variable.grad for node in waiting if isinstance(node, AccumulateGrad)}
    inner = [node for node in waiting if node not in before]
    if any(node.saved is None for node in inner):
        names = ", ".join(node.name for node in inner if node.saved is None)
        raise RuntimeError(f"{names}: released; the earlier pass needs retain_graph=True")
    for node in inner:
        _ = [kept.get() for kept in node.saved if kept is not None]
    try:
        run(start, Buffer.full(1.0, root.shape), waiting, retain_graph)
    except BaseException:
        for leaf, gradient in before.items():
            leaf.variable.grad = gradient
        raise


def run(start, seed, waiting, retain_graph):
    totals, ready = {start: seed}, [start]
    while ready:
        node = ready.pop(0)
        if isinstance(node, AccumulateGrad):
            node.accumulate(totals[node])
            continue
        for link, arriving in zip(node.inputs, node.apply(totals[node]), strict=True):
            if link.edge is not None:
                totals[link.edge] = elementwise_add(totals[link.edge], arriving) if link.edge in totals else arriving
                waiting[link.edge] -= 1
                if waiting[link.edge] == 0:
                    ready.append(link.edge)
        if not retain_graph and set(node.saved) != {None}:
            node.release()
