"""Random graphs against the recursive walk, and a deep one in which every node is shared."""

import sys

import pytest

from kael.testing import Mismatch, assert_equal


@pytest.fixture(autouse=True)
def limit():
    """Python's limit as it was, whatever an answer makes of it."""
    depth = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(depth)


def recursive(graph, root):
    """The order by definition, for graphs that are not deep."""
    done = {}

    def finish(node):
        for source in graph[node]:
            if source not in done:
                finish(source)
        done[node] = True

    finish(root)
    return list(done)[::-1]


def test_random_graphs(answer, numbers, because):
    for _ in range(20):
        nodes = int(numbers.integers(1, 14))
        graph = {k: [int(s) for s in numbers.integers(0, k, numbers.integers(0, 4))] if k else [] for k in range(nodes)}
        root = int(numbers.integers(nodes // 2, nodes))
        reason = because(f"backward_order from {root} in {graph}", entered_is_not_finished=preorder(graph, root))
        assert_equal(answer.backward_order(graph.__getitem__, root), recursive(graph, root), because=reason)


def preorder(graph, root):
    """Nodes as they are entered."""
    order, waiting = {}, [root]
    while waiting:
        node = waiting.pop()
        if node not in order:
            order[node] = True
            waiting.extend(reversed(graph[node]))
    return list(order)


def test_deep_ladder_with_a_shortcut_around_each_step(answer, because):
    steps = 3_000
    graph = {}
    for k in range(steps):  # inner k takes outer k - 1, outer k takes outer k - 1 and inner k
        below = [("outer", k - 1)] if k else []
        graph["inner", k] = below
        graph["outer", k] = [*below, ("inner", k)]
    expected = [node for k in reversed(range(steps)) for node in (("outer", k), ("inner", k))]
    asked = []

    def sources(node):
        asked.append(node)
        if len(asked) > 2 * len(graph):
            reason = because(f"backward_order of {steps:,} steps with a shortcut around each", "every_path")
            raise Mismatch(reason, f"{len(graph):,} questions", f"{len(asked):,}, and no end")
        return graph[node]

    try:
        found = answer.backward_order(sources, ("outer", steps - 1)) == expected
    except RecursionError:
        found = "RecursionError"
    reason = because(f"backward_order of {steps:,} steps with a shortcut around each: as recursion would have it")
    assert_equal(found, True, because=reason)
