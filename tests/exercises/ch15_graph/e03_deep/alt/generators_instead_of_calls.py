"""The recursive walk as it was, with every call a generator that says whom it waits for."""


def backward_order(sources, root):
    order, met = [], set()

    def finish(node):
        met.add(node)
        for source in sources(node):
            if source not in met:
                yield source
        order.append(node)

    waiting = [finish(root)]
    while waiting:
        inner = next(waiting[-1], waiting)
        if inner is waiting:
            waiting.pop()
        else:
            waiting.append(finish(inner))
    order.reverse()
    return order
