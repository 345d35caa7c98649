# misconception: every_path
# fails: test_every_node_is_asked_once
def backward_order(sources, root):
    order = {}
    waiting = [(root, iter(sources(root)))]
    while waiting:
        node, rest = waiting[-1]
        source = next(rest, None)
        if source is None:
            waiting.pop()
            order[node] = True
        else:
            waiting.append((source, iter(sources(source))))
    return list(order)[::-1]
