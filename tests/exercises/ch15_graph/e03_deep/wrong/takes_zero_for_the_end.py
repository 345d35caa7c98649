# misconception: no_node
# fails: test_node_may_be_zero_or_none
def backward_order(sources, root):
    order, met = [], {root}
    waiting = [(root, iter(sources(root)))]
    while waiting:
        node, rest = waiting[-1]
        source = next(rest, None)
        if not source:
            waiting.pop()
            order.append(node)
        elif source not in met:
            met.add(source)
            waiting.append((source, iter(sources(source))))
    return order[::-1]
