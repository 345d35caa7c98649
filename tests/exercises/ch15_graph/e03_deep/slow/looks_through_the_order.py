"""A loop, and right; but whether a node is known is looked up in the lists."""


def backward_order(sources, root):
    order, waiting = [], [(root, iter(sources(root)))]
    while waiting:
        node, rest = waiting[-1]
        for source in rest:
            if source not in order and source not in [entered for entered, _ in waiting]:
                waiting.append((source, iter(sources(source))))
                break
        else:
            waiting.pop()
            order.append(node)
    return order[::-1]
