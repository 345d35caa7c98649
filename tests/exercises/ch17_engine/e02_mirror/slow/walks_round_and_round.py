"""Never leaves the loop over the list."""


def backward(graph, loss):
    index = len(graph.nodes) - 1
    while index >= 0:
        index = index
