"""Graphs with paths of unequal length, onlookers, cycles and great depth."""

import random

from kael.testing import assert_equal

DIAMOND = [[-1, -1], [0, -1], [1, -1], [0, 2]]
SOUND = "the order of the rule"


def lists(rows):
    """Offsets and inputs of a graph given as one list of sources per node."""
    offsets = [0]
    for row in rows:
        offsets.append(offsets[-1] + len(row))
    return offsets, [source for row in rows for source in row]


def renumbered(rows, name):
    """The same graph with node k called name[k]."""
    new = [[] for _ in rows]
    for node, row in enumerate(rows):
        new[name[node]] = [-1 if source < 0 else name[source] for source in row]
    return new


def behind(rows, root):
    """What a root leads back to."""
    found, waiting = {root}, [root]
    while waiting:
        for source in rows[waiting.pop()]:
            if source >= 0 and source not in found:
                found.add(source)
                waiting.append(source)
    return found


def by_rounds(rows, root):
    """The order of the rule: rounds by the longest way from the root, in each by the last edge that arrives."""
    wanted = behind(rows, root)
    users = {node: [] for node in wanted}
    for node in wanted:
        for slot, source in enumerate(rows[node]):
            if source >= 0:
                users[source].append((node, slot))
    place, order = {root: 0}, [root]
    while len(order) < len(wanted):
        ready = [node for node in wanted - place.keys() if all(user in place for user, _ in users[node])]
        ready.sort(key=lambda node: max((place[user], slot) for user, slot in users[node]))
        place.update({node: len(order) + k for k, node in enumerate(ready)})
        order += ready
    return order


def judged(order, rows, root):
    """What an order is, in words, and the misconception that it shows."""
    if not isinstance(order, list) or any(type(node) is not int for node in order):
        return f"{order!r}, no list of node numbers", ""
    if any(not 0 <= node < len(rows) for node in order):
        return f"{next(n for n in order if not 0 <= n < len(rows))} stands in it, no node", "last_by_minus_one"
    place = {node: k for k, node in enumerate(order)}
    if len(place) < len(order):
        return f"node {next(n for n in order if order.count(n) > 1)} stands in it more than once", "too_early"
    wanted = behind(rows, root)
    if place.keys() - wanted:
        return f"node {min(place.keys() - wanted)} stands in it", "everything"
    if wanted - place.keys():
        return f"node {min(wanted - place.keys())} is missing", "starved"
    for node in order:
        for source in rows[node]:
            if source >= 0 and place[source] <= place[node]:
                key = "forward" if order[-1] == root and len(order) > 1 else "too_early"
                return f"node {source} stands before node {node}, which uses it", key
    if len(rows) < 1000:
        first = next((pair for pair in zip(order, by_rounds(rows, root), strict=True) if pair[0] != pair[1]), None)
        if first:
            return f"node {first[0]} stands where node {first[1]}, ready before it, belongs", "newest_first"
    return SOUND, ""


def check(answer, because, rows, root, called, key=""):
    """Judge the order of one graph; `key` is what it shows when this graph is wrong in any way."""
    found, shown = judged(answer.order_by_counting(*lists(rows), root), rows, root)
    assert_equal(found, SOUND, because=because(called, key or shown))


def test_unbalanced_diamond(answer, because):
    check(answer, because, DIAMOND, 3, "the order of the unbalanced diamond from node 3")


def test_nodes_numbered_in_any_way(answer, numbers, because):
    for _ in range(10):
        name = [int(n) for n in numbers.permutation(len(DIAMOND))]
        rows = renumbered(DIAMOND, name)
        check(answer, because, rows, name[3], f"the order of inputs by node {rows} from node {name[3]}")


def test_first_ready_runs_first(answer, because):
    rows = [[-1], [-1], [-1], [0, -1], [1], [2, 0], [3, 4, 5]]
    check(answer, because, rows, 6, f"the order of inputs by node {rows} from node 6")
    rows = [[-1], [0], [0, 1], [1], [2, 3], [3, 2], [5, 4, 1]]
    check(answer, because, rows, 6, f"the order of inputs by node {rows} from node 6")


def test_leaf_is_no_node(answer, because):
    rows = [[-1, 2], [0], [-1], [-1]]
    check(answer, because, rows, 1, f"the order of inputs by node {rows} from node 1", "last_by_minus_one")
    rows = [[-1], [0, -1], [1, -1]]
    check(answer, because, rows, 2, f"the order of inputs by node {rows} from node 2", "last_by_minus_one")


def test_onlookers_do_not_count(answer, because):
    rows = [*DIAMOND, [0, 3], [4, 1]]
    check(answer, because, rows, 3, "the order of the diamond from node 3, where nodes 4 and 5 use its results too")
    check(answer, because, rows, 1, "the order of the same graph from node 1")


def test_operand_that_stands_twice(answer, because):
    for last in ([2, 0, 2], [2, 0, 0], [0, 0, 2]):
        for rows in ([[-1, -1], [0, 0], [1, 1], last], [[-1], [0], [1], last]):
            check(answer, because, rows, 3, f"the order of inputs by node {rows} from node 3", "each_edge_once")


def outcome(answer, rows, root):
    """Whether a graph is refused."""
    try:
        order = answer.order_by_counting(*lists(rows), root)
    except ValueError as error:
        return "ValueError about a cycle" if "cycle" in str(error) else f"ValueError({str(error)!r})"
    except RecursionError:
        return "RecursionError"
    return f"{order}"


def test_cycle_is_refused(answer, because):
    for rows, root in [([[0]], 0), ([[1], [0]], 0), ([[-1], [2, 0], [3], [1], [1, 0]], 4), ([[1], [2], [1]], 0)]:
        found = outcome(answer, rows, root)
        key = "root_waits" if found.startswith("[") and found.count(f"{root}") > 1 else "silent_cycle"
        reason = because(f"order_by_counting for inputs by node {rows} from node {root}", key)
        assert_equal(found, "ValueError about a cycle", because=reason)


def test_cycle_elsewhere(answer, because):
    rows = [*DIAMOND, [5, 0], [4]]
    reason = because("order_by_counting for the diamond from node 3, beside a cycle of two others", "cycle_elsewhere")
    assert_equal(outcome(answer, rows, 3), "[3, 2, 1, 0]", because=reason)


def test_deep_chain(answer, because):
    nodes = 50_000
    name = list(range(nodes))
    random.Random(15).shuffle(name)
    rows = renumbered([[node - 1] for node in range(nodes)], name)
    given = lists(rows)
    kept = [list(part) for part in given]
    try:
        order = answer.order_by_counting(*given, name[-1])
    except RecursionError:
        order = "RecursionError"
    found = judged(order, rows, name[-1])[0] if isinstance(order, list) else order
    reason = because(f"the order of a chain of {nodes:,} nodes", "as_deep_as_the_graph")
    assert_equal(found, SOUND, because=reason)
    same = ["as they were" if list(now) == then else "changed" for now, then in zip(given, kept, strict=True)]
    reason = because("offsets and inputs after the call", "changes_the_graph")
    assert_equal(same, ["as they were"] * 2, because=reason)
