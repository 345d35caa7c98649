# misconception: as_deep_as_the_graph
# fails: test_deep_chain
def order_by_counting(offsets, inputs, root):
    waits_for, order = {root: 0}, []

    def mark(node):
        for source in inputs[offsets[node] : offsets[node + 1]]:
            if source >= 0:
                new = source not in waits_for
                waits_for[source] = waits_for.get(source, 0) + 1
                if new:
                    mark(source)

    def run(node):
        order.append(node)
        for source in inputs[offsets[node] : offsets[node + 1]]:
            if source >= 0:
                waits_for[source] -= 1
                if waits_for[source] == 0:
                    run(source)

    mark(root)
    if waits_for[root] == 0:
        run(root)
    if len(order) < len(waits_for):
        raise ValueError("cycle")
    return order
