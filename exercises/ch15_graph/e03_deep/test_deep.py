"""Orders that the recursive walk gives, on graphs that it can walk and on graphs that it cannot."""

import sys
import threading

import pytest

from kael.testing import Mismatch, assert_equal, calls_waiting

DIAMOND = {"w": ["z", "v"], "v": ["u"], "u": ["z"], "z": []}


@pytest.fixture(autouse=True)
def limit():
    """Python's limits as they were, whatever an answer makes of them."""
    depth, stack = sys.getrecursionlimit(), threading.stack_size()
    yield depth
    sys.setrecursionlimit(depth)
    threading.stack_size(stack)


def chain(nodes):
    """Node k takes from node k - 1."""
    return {k: [k - 1] if k else [] for k in range(nodes)}


def ladder(steps):
    """h + h, `steps` times over: two edges from each node to the one before."""
    return {k: [k - 1, k - 1] if k else [] for k in range(steps)}


def called(answer, graph, root):
    """The order that an answer gives for a copy of a graph, or the error in a word."""
    own = {node: list(sources) for node, sources in graph.items()}
    try:
        return answer.backward_order(own.__getitem__, root)
    except RecursionError:
        return "RecursionError"


def order_of(graph, root):
    """How the walk from a root is called in a message."""
    return f"backward_order from {root}, where " + ", ".join(f"{n} takes {s}" for n, s in graph.items() if s)


def test_diamond(answer, because):
    early = because(order_of(DIAMOND, "w"), entered_is_not_finished=["w", "z", "v", "u"])
    assert_equal(called(answer, DIAMOND, "w"), ["w", "v", "u", "z"], because=early)
    assert_equal(called(answer, DIAMOND, "u"), ["u", "z"], because=because(order_of(DIAMOND, "u")))


def test_inputs_are_followed_as_they_stand(answer, because):
    tree = {"w": ["a", "b", "c"], "a": ["d", "e"], "b": [], "c": [], "d": [], "e": []}
    turned = ["w", "a", "d", "e", "b", "c"]
    reason = because(order_of(tree, "w"), last_input_first=turned, entered_is_not_finished=turned)
    assert_equal(called(answer, tree, "w"), ["w", "c", "b", "a", "e", "d"], because=reason)


def test_node_that_waits_on_the_list(answer, because):
    shared = {"w": ["v", "z"], "v": ["z"], "z": []}
    reason = because(order_of(shared, "w"), marked_too_early=["w", "z", "v"], stands_twice=["w", "z", "v", "z"])
    assert_equal(called(answer, shared, "w"), ["w", "v", "z"], because=reason)


def test_node_that_two_use(answer, because):
    square = {"w": ["z", "z"], "z": ["y", "y"], "y": []}
    reason = because(order_of(square, "w"), "stands_twice")
    assert_equal(called(answer, square, "w"), ["w", "z", "y"], because=reason)


def test_node_may_be_zero_or_none(answer, because):
    keys = {"w": [0, None], 0: ["z"], None: [0], "z": []}
    found = called(answer, keys, "w")
    reason = because(order_of(keys, "w"), "no_node" if len(found) < len(keys) else "")
    assert_equal(found, ["w", None, 0, "z"], because=reason)


def test_list_of_the_graph_stays(answer, because):
    graph = {node: list(sources) for node, sources in DIAMOND.items()}
    answer.backward_order(graph.__getitem__, "w")
    reason = because("the lists that sources returned, after the walk of the diamond from w", "empties_the_graph")
    assert_equal(graph, DIAMOND, because=reason)


def test_every_node_is_asked_once(answer, because):
    steps, asked = 60, []
    graph = ladder(steps)

    def sources(node):
        asked.append(node)
        if len(asked) > 10 * steps:
            reason = because(f"backward_order of {steps} doublings, h + h: what sources was asked", "every_path")
            raise Mismatch(reason, f"{steps} questions, one for each node", f"{len(asked)}, and no end")
        return graph[node]

    answer.backward_order(sources, steps - 1)
    key = "asks_twice" if len(asked) > steps else "no_node"
    again = because(f"backward_order of {steps} doublings, h + h: how often sources was asked", key)
    assert_equal(len(asked), steps, because=again)


def test_long_chain(answer, because):
    nodes = 40_000
    order = called(answer, chain(nodes), nodes - 1)
    found = (
        "the order" if order == list(range(nodes - 1, -1, -1)) else order if order == "RecursionError" else "another"
    )
    key = "as_deep_as_the_graph" if found == "RecursionError" else "no_node" if 0 not in order else ""
    reason = because(f"backward_order of a chain of {nodes:,} nodes", key)
    assert_equal(found, "the order", because=reason)


def test_calls_within_each_other(answer, limit, because):
    keys = {"as_deep_as_the_graph"}

    def depth(nodes):
        """How many calls wait, at most, while a chain is walked."""
        deepest, graph = 0, chain(nodes)

        def sources(node):
            nonlocal deepest
            calls = calls_waiting()
            deepest = max(deepest, calls.waiting)
            if calls.limit > limit:
                keys.add("higher_limit")
            if not calls.first_thread:
                keys.add("larger_stack")
            return graph[node]

        answer.backward_order(sources, nodes - 1)
        return deepest

    more = depth(330) - depth(30)
    key = next(key for key in ("larger_stack", "higher_limit", "as_deep_as_the_graph") if key in keys)
    reason = because("calls that wait for each other in a chain of 330 nodes, beyond those in one of 30", key)
    assert_equal(more, 0, because=reason)
