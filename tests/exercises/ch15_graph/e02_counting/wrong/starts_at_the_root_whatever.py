# misconception: root_waits
# fails: test_cycle_is_refused
def order_by_counting(offsets, inputs, root):
    """The nodes that `root` leads back to, each before the nodes that made its inputs."""
    nodes = len(offsets) - 1
    waits_for, reached = [0] * nodes, [False] * nodes
    reached[root] = True
    found = [root]
    for node in found:
        for source in inputs[offsets[node] : offsets[node + 1]]:
            if source >= 0:
                waits_for[source] += 1
                if not reached[source]:
                    reached[source] = True
                    found.append(source)
    order = []
    ready = [root]
    while ready:
        node = ready.pop(0)
        order.append(node)
        for source in inputs[offsets[node] : offsets[node + 1]]:
            if source >= 0:
                waits_for[source] -= 1
                if waits_for[source] == 0:
                    ready.append(source)
    if len(order) < len(found):
        raise ValueError(f"order_by_counting: a cycle; {len(found) - len(order)} nodes wait for each other")
    return order
