"""The loop of section 15.4: one list of nodes, and for each node how far it has come."""


def backward_order(sources, root):
    stack, taken, position = [root], {root: sources(root)}, {root: 0}
    done = []
    while stack:
        node = stack[-1]
        if position[node] == len(taken[node]):
            done.insert(len(done), stack.pop())
            continue
        child = taken[node][position[node]]
        position[node] += 1
        if child not in taken:
            taken[child] = sources(child)
            position[child] = 0
            stack.append(child)
    return [done[-k] for k in range(1, len(done) + 1)]
