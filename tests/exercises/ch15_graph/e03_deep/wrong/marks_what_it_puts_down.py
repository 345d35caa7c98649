# misconception: marked_too_early
# fails: test_node_that_waits_on_the_list
def backward_order(sources, root):
    order, met = [], {root}
    waiting = [(root, False)]
    while waiting:
        node, all_in = waiting.pop()
        if all_in:
            order.append(node)
            continue
        waiting.append((node, True))
        fresh = [source for source in dict.fromkeys(sources(node)) if source not in met]
        met.update(fresh)
        waiting.extend((source, False) for source in reversed(fresh))
    return order[::-1]
