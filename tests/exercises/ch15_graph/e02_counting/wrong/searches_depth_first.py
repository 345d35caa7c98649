# misconception: newest_first
# fails: test_first_ready_runs_first
def order_by_counting(offsets, inputs, root):
    """The post-order of section 15.4, read backwards: sound, and not what was asked."""
    finished, order, stack = set(), [], [(root, False)]
    open_now = set()
    while stack:
        node, done = stack.pop()
        if done:
            open_now.discard(node)
            finished.add(node)
            order.append(node)
        elif node in open_now:
            raise ValueError("a cycle")
        elif node not in finished:
            open_now.add(node)
            stack.append((node, True))
            for source in reversed(inputs[offsets[node] : offsets[node + 1]]):
                if source in open_now:
                    raise ValueError("a cycle")
                if source >= 0 and source not in finished:
                    stack.append((source, False))
    return order[::-1]
