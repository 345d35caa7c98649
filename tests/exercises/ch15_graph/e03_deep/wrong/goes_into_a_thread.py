# misconception: larger_stack
# fails: test_calls_within_each_other
import sys
import threading


def backward_order(sources, root):
    done = {}

    def finish(node):
        for source in sources(node):
            if source not in done:
                finish(source)
        done[node] = True

    sys.setrecursionlimit(10**6)
    threading.stack_size(64 * 2**20)
    thread = threading.Thread(target=finish, args=(root,))
    thread.start()
    thread.join()
    return list(done)[::-1]
