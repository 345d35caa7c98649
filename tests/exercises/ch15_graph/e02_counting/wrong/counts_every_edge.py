# misconception: starved
# fails: test_onlookers_do_not_count
def order_by_counting(offsets, inputs, root):
    nodes = len(offsets) - 1
    waits_for = [0] * nodes
    for source in inputs:
        if source >= 0:
            waits_for[source] += 1
    reached, found = {root}, [root]
    for node in found:
        for source in inputs[offsets[node] : offsets[node + 1]]:
            if source >= 0 and source not in reached:
                reached.add(source)
                found.append(source)
    order, ready = [], [root]
    while ready:
        node = ready.pop(0)
        order.append(node)
        for source in inputs[offsets[node] : offsets[node + 1]]:
            if source >= 0:
                waits_for[source] -= 1
                if waits_for[source] == 0:
                    ready.append(source)
    return order
