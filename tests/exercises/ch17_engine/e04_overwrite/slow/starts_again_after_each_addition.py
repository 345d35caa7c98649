"""Goes back to the end of the list whenever something was added."""


def backward(graph, loss):
    index = len(graph.nodes) - 1
    while index >= 0:
        index = len(graph.nodes) - 1 if graph.nodes[index].inputs else index - 1
