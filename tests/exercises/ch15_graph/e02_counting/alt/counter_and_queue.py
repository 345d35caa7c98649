"""A Counter over the edges of a set of nodes, and a queue."""

from collections import Counter, deque


def order_by_counting(offsets, inputs, root):
    def sources(node):
        return [source for source in inputs[offsets[node] : offsets[node + 1]] if source != -1]

    reachable, fresh = set(), {root}
    while fresh:
        reachable |= fresh
        fresh = {source for node in fresh for source in sources(node)} - reachable
    pending = Counter(source for node in reachable for source in sources(node))
    queue, order = deque(node for node in reachable if not pending[node]), []
    while queue:
        order.append(queue.popleft())
        for source in sources(order[-1]):
            pending[source] -= 1
            if not pending[source]:
                queue.append(source)
    if len(order) != len(reachable):
        raise ValueError("the graph has a cycle")
    return order
