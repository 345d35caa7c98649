# misconception: higher_limit
# fails: test_calls_within_each_other
import sys

sys.setrecursionlimit(10**6)


def backward_order(sources, root):
    done = {}

    def finish(node):
        for source in sources(node):
            if source not in done:
                finish(source)
        done[node] = True

    finish(root)
    return list(done)[::-1]
