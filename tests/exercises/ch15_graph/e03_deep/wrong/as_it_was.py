# misconception: every_path
# fails: test_every_node_is_asked_once
def backward_order(sources, root):
    order = []

    def finish(node):
        for source in sources(node):
            finish(source)
        if node not in order:
            order.append(node)

    finish(root)
    return order[::-1]
