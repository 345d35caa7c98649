# misconception: too_early
# fails: test_unbalanced_diamond
def order_by_counting(offsets, inputs, root):
    order, met = [root], {root}
    for node in order:
        for source in inputs[offsets[node] : offsets[node + 1]]:
            if source >= 0 and source not in met:
                met.add(source)
                order.append(source)
    return order
