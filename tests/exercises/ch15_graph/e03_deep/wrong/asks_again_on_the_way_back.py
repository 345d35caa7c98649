# misconception: asks_twice
# fails: test_every_node_is_asked_once
def backward_order(sources, root):
    order, met = [], {root}
    waiting = [root]
    while waiting:
        node = waiting[-1]
        for source in sources(node):
            if source not in met:
                met.add(source)
                waiting.append(source)
                break
        else:
            order.append(waiting.pop())
    return order[::-1]
