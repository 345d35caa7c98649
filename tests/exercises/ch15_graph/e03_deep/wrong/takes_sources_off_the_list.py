# misconception: empties_the_graph
# fails: test_list_of_the_graph_stays
def backward_order(sources, root):
    order, met = [], {root}
    waiting = [(root, sources(root))]
    while waiting:
        node, rest = waiting[-1]
        if not rest:
            waiting.pop()
            order.append(node)
            continue
        source = rest.pop(0)
        if source not in met:
            met.add(source)
            waiting.append((source, sources(source)))
    return order[::-1]
