# misconception: entered_is_not_finished
# fails: test_diamond
def backward_order(sources, root):
    order, waiting = {}, [root]
    while waiting:
        node = waiting.pop()
        if node not in order:
            order[node] = True
            waiting.extend(reversed(sources(node)))
    return list(order)
