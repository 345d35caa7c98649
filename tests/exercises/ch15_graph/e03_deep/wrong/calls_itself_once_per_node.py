# misconception: as_deep_as_the_graph
# fails: test_long_chain
def backward_order(sources, root):
    done = {}

    def finish(node):
        for source in sources(node):
            if source not in done:
                finish(source)
        done[node] = True

    finish(root)
    return list(done)[::-1]
