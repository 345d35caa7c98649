"""Every contribution is kept until its sum is needed."""

from collections import defaultdict
from functools import reduce

from chapters.ch12_elementwise.reference import elementwise_add
from chapters.ch18_define_by_run.engine import count_dependencies, gradient_edge
from chapters.flat import Buffer


def grad(root, inputs):
    start = gradient_edge(root)
    waiting, arrived = count_dependencies(start), defaultdict(list)
    arrived[start].append(Buffer.full(1.0, root.shape))
    complete, ready = {}, [start]
    for node in ready:
        complete[node] = reduce(elementwise_add, arrived.pop(node))
        results = node.apply(complete[node]) if node.inputs else []
        for link, result in zip(node.inputs, results, strict=True):
            if link.edge is not None:
                arrived[link.edge].append(result)
                if len(arrived[link.edge]) == waiting[link.edge]:
                    ready.append(link.edge)
    return tuple(complete.get(gradient_edge(tensor)) for tensor in inputs)
