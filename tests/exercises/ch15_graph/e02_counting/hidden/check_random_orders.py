"""Random graphs, numbered at random, from every root."""

from kael.testing import assert_equal


def test_random_graphs_from_every_root(answer, numbers, because):
    for _ in range(8):
        nodes = int(numbers.integers(1, 12))
        rows = [[int(s) for s in numbers.integers(-1, node, numbers.integers(0, 4))] for node in range(nodes)]
        name = [int(n) for n in numbers.permutation(nodes)]
        new = [[] for _ in rows]
        for node, row in enumerate(rows):
            new[name[node]] = [-1 if source < 0 else name[source] for source in row]
        offsets = [sum(map(len, new[:k])) for k in range(nodes + 1)]
        inputs = [source for row in new for source in row]
        for root in range(nodes):
            order = answer.order_by_counting(offsets, inputs, root)
            reached = {root}
            while True:
                more = {s for node in reached for s in new[node] if s >= 0} | reached
                if more == reached:
                    break
                reached = more
            reason = because(f"the nodes in the order of inputs by node {new} from node {root}", "starved")
            assert_equal(sorted(order), sorted(reached), because=reason)
            early = [(n, s) for k, n in enumerate(order) for s in new[n] if s >= 0 and s in order[: k + 1]]
            reason = because(f"pairs out of order for inputs by node {new} from node {root}", "too_early")
            assert_equal(early, [], because=reason)
