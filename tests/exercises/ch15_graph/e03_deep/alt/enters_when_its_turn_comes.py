"""Each node is put on the list twice: to be entered, and below its sources to be finished."""


def backward_order(sources, root):
    entered, finished = set(), {}
    waiting = [(root, False)]
    while waiting:
        node, all_in = waiting.pop()
        if all_in:
            finished[node] = True
        elif node not in entered:
            entered.add(node)
            waiting.append((node, True))
            waiting.extend((source, False) for source in reversed(sources(node)))
    return list(reversed(finished))
