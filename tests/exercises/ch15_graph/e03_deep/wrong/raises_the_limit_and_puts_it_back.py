# misconception: higher_limit
# fails: test_calls_within_each_other
import sys


def backward_order(sources, root):
    done = {}

    def finish(node):
        for source in sources(node):
            if source not in done:
                finish(source)
        done[node] = True

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 200_000)
    try:
        finish(root)
    finally:
        sys.setrecursionlimit(limit)
    return list(done)[::-1]
