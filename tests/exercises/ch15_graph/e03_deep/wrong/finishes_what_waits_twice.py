# misconception: stands_twice
# fails: test_node_that_waits_on_the_list
def backward_order(sources, root):
    order, met = [], set()
    waiting = [root]
    while waiting:
        node = waiting[-1]
        if node in met:
            waiting.pop()
            order.append(node)
            continue
        met.add(node)
        waiting.extend(source for source in reversed(sources(node)) if source not in met)
    return order[::-1]
