"""Pairs of a node and an iterator over its sources: calls that wait, in a list."""


def backward_order(sources, root):
    """The nodes that `root` leads back to, each before the nodes that made its inputs."""
    order, met = [], {root}
    waiting = [(root, iter(sources(root)))]
    while waiting:
        node, rest = waiting[-1]
        for source in rest:
            if source not in met:
                met.add(source)
                waiting.append((source, iter(sources(source))))
                break
        else:
            waiting.pop()
            order.append(node)
    return order[::-1]
