"""Asks all nodes of the graph, after each edge, whether one of them still uses its source."""


def order_by_counting(offsets, inputs, root):
    def sources(node):
        return [s for s in inputs[offsets[node] : offsets[node + 1]] if s >= 0]

    reached = [root]
    for node in reached:
        reached += {s for s in sources(node) if s not in reached}
    order = [root] if all(root not in sources(node) for node in reached) else []
    for place, node in enumerate(order, 1):
        for source in sources(node):
            if source not in order and all(user in order[:place] for user in reached if source in sources(user)):
                order.append(source)
    if len(order) < len(reached):
        raise ValueError("cycle")
    return order
