# misconception: last_input_first
# fails: test_inputs_are_followed_as_they_stand
def backward_order(sources, root):
    entered, order = set(), []
    waiting = [(root, False)]
    while waiting:
        node, all_in = waiting.pop()
        if all_in:
            order.append(node)
        elif node not in entered:
            entered.add(node)
            waiting.append((node, True))
            waiting.extend((source, False) for source in sources(node))
    return order[::-1]
