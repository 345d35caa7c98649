"""Mark and count in one walk, run in a second: what is in the order and has not run yet is the queue."""


def order_by_counting(offsets, inputs, root):
    """The nodes that `root` leads back to, each before the nodes that made its inputs."""
    waits_for = {root: 0}
    found = [root]
    for node in found:
        for source in inputs[offsets[node] : offsets[node + 1]]:
            if source >= 0:
                if source not in waits_for:
                    waits_for[source] = 0
                    found.append(source)
                waits_for[source] += 1
    order = [root] if waits_for[root] == 0 else []
    for node in order:
        for source in inputs[offsets[node] : offsets[node + 1]]:
            if source >= 0:
                waits_for[source] -= 1
                if waits_for[source] == 0:
                    order.append(source)
    if len(order) < len(found):
        raise ValueError(f"order_by_counting: a cycle; {len(found) - len(order)} nodes wait for each other")
    return order
