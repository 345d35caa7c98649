"""Looks through all that is left for the next that is ready."""


def order_by_counting(offsets, inputs, root):
    order = []
    left, fresh = set(), {root}
    while fresh:
        left |= fresh
        fresh = {s for node in fresh for s in inputs[offsets[node] : offsets[node + 1]] if s >= 0} - left
    while left:
        users = {source for node in left for source in inputs[offsets[node] : offsets[node + 1]]}
        ready = [node for node in left if node not in users]
        if not ready:
            raise ValueError("cycle")
        order += ready
        left -= set(ready)
    return order
