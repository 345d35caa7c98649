# misconception: stands_twice
# fails: test_node_that_two_use
def backward_order(sources, root):
    known, order = {}, []
    waiting = [(root, False)]
    while waiting:
        node, all_in = waiting.pop()
        if all_in:
            order.append(node)
            continue
        waiting.append((node, True))
        if node not in known:
            known[node] = sources(node)
            waiting.extend((source, False) for source in reversed(known[node]))
    return order[::-1]
