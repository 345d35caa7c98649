# misconception: everything
# fails: test_onlookers_do_not_count
def order_by_counting(offsets, inputs, root):
    nodes = len(offsets) - 1
    waits_for = [0] * nodes
    for source in inputs:
        if source >= 0:
            waits_for[source] += 1
    order = [node for node in range(nodes) if waits_for[node] == 0]
    for node in order:
        for source in inputs[offsets[node] : offsets[node + 1]]:
            if source >= 0:
                waits_for[source] -= 1
                if waits_for[source] == 0:
                    order.append(source)
    if len(order) < nodes:
        raise ValueError("cycle")
    return order
