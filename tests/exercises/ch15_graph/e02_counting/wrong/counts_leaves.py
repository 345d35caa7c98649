# misconception: last_by_minus_one
# fails: test_leaf_is_no_node
def order_by_counting(offsets, inputs, root):
    nodes = len(offsets) - 1
    waits_for, reached = [0] * nodes, [False] * nodes
    reached[root] = True
    found = [root]
    for node in found:
        for source in inputs[offsets[node] : offsets[node + 1]]:
            waits_for[source] += 1
            if not reached[source]:
                reached[source] = True
                found.append(source)
    order, ready = [], [root]
    while ready:
        node = ready.pop(0)
        order.append(node)
        for source in inputs[offsets[node] : offsets[node + 1]]:
            waits_for[source] -= 1
            if waits_for[source] == 0:
                ready.append(source)
    return order
