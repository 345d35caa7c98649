"""Chapters 15 and 18 over integer arrays: every rung gives what the plain loops give, and what a graph demands."""

import inspect

import numpy as np
import pytest

from tests.kernels.rungs import load_rungs

GRAPH = load_rungs("ch15_graph")
RUN = load_rungs("ch18_define_by_run")
UNREACHED = -1


def csr(*inputs):
    """Offsets and inputs of a graph given as one list of inputs per node."""
    offsets = np.cumsum([0, *(len(row) for row in inputs)])
    return offsets.astype(np.int64), np.array([i for row in inputs for i in row], np.int64)


EXAMPLE = csr([-1, -1], [0, -1])
DIAMOND = csr([-1], [0, -1], [0, -1], [1, 2], [3])
REPEATED = csr([-1], [0, 0], [1, 0])


def random_graph(seed, nodes=60, shuffled=False):
    numbers = np.random.default_rng(seed)
    rows = [list(numbers.integers(-1, k, numbers.integers(0, 4))) for k in range(nodes)]
    if shuffled:
        name = numbers.permutation(nodes)
        renamed = [[] for _ in range(nodes)]
        for k, row in enumerate(rows):
            renamed[name[k]] = [-1 if i < 0 else int(name[i]) for i in row]
        rows = renamed
    return csr(*rows)


GRAPHS = {
    "example": EXAMPLE,
    "diamond": DIAMOND,
    "repeated": REPEATED,
    "single": csr([]),
    "none": csr(),
    **{f"recorded-{seed}": random_graph(seed) for seed in range(3)},
    **{f"shuffled-{seed}": random_graph(seed, shuffled=True) for seed in range(3)},
}


@pytest.fixture(params=GRAPH)
def walks(request):
    return GRAPH[request.param]


@pytest.fixture(params=RUN)
def run(request):
    return RUN[request.param]


def order_of(module, graph):
    out = np.full(len(graph[0]) - 1, 77, np.int64)
    module.topological_backward_order(*graph, out)
    return out.tolist()


@pytest.mark.promise("S40")
def test_the_running_example_comes_out_backwards(walks):
    assert order_of(walks, EXAMPLE) == [1, 0]


@pytest.mark.parametrize("name", GRAPHS)
def test_every_node_precedes_its_inputs(walks, name):
    offsets, inputs = GRAPHS[name]
    order = order_of(walks, GRAPHS[name])
    assert sorted(order) == list(range(len(order)))
    place = {node: k for k, node in enumerate(order)}
    for node in order:
        assert all(place[node] < place[i] for i in inputs[offsets[node] : offsets[node + 1]] if i >= 0)


@pytest.mark.parametrize("name", GRAPHS)
def test_every_rung_gives_the_order_of_the_plain_loops(walks, name):
    assert order_of(walks, GRAPHS[name]) == order_of(GRAPH["python"], GRAPHS[name])


@pytest.mark.parametrize("seed", range(3))
def test_a_recorded_graph_is_its_list_read_backwards(walks, seed):
    assert order_of(walks, random_graph(seed)) == list(range(59, -1, -1))


@pytest.mark.parametrize("rows", [[[0]], [[1], [0]], [[-1], [2, 0], [3], [1]]])
def test_a_cycle_is_refused_and_a_node_on_it_named(walks, rows):
    messages = []
    for module in (walks, GRAPH["python"]):
        with pytest.raises(ValueError, match=r"node \d is an input of itself, over a cycle") as caught:
            order_of(module, csr(*rows))
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("name", [name for name in GRAPHS if name != "none"])
def test_reachability_is_what_a_set_of_paths_says(walks, name):
    offsets, inputs = GRAPHS[name]
    nodes = len(offsets) - 1
    for root in {0, nodes // 2, nodes - 1}:
        marks = np.full(nodes, True)
        walks.reachable(offsets, inputs, root, marks)
        seen, fresh = {root}, {root}
        while fresh:
            fresh = {int(i) for n in fresh for i in inputs[offsets[n] : offsets[n + 1]] if i >= 0} - seen
            seen |= fresh
        assert set(np.flatnonzero(marks)) == seen


@pytest.mark.parametrize("name", [name for name in GRAPHS if name != "none"])
def test_counts_are_the_edges_from_reached_nodes(run, name):
    offsets, inputs = GRAPHS[name]
    nodes = len(offsets) - 1
    root = nodes - 1
    counts = np.zeros(nodes, np.int64)
    run.count_dependencies(offsets, inputs, root, counts)
    marks = np.zeros(nodes, bool)
    GRAPH["python"].reachable(offsets, inputs, root, marks)
    for node in range(nodes):
        pointing = sum(int(np.sum(inputs[offsets[n] : offsets[n + 1]] == node)) for n in np.flatnonzero(marks))
        assert counts[node] == (pointing if marks[node] else UNREACHED)


def test_the_diamond_counts_two_edges_into_its_leaf(run):
    counts = np.zeros(5, np.int64)
    run.count_dependencies(*DIAMOND, 4, counts)
    assert counts.tolist() == [2, 1, 1, 1, 0]


def test_of_two_ready_nodes_the_one_pushed_last_runs_first(run):
    order = np.zeros(5, np.int64)
    run.ready_order(*DIAMOND, 4, order)
    assert order.tolist() == [4, 3, 2, 1, 0]


@pytest.mark.parametrize("name", [name for name in GRAPHS if name != "none"])
def test_a_node_runs_once_and_after_all_that_point_to_it(run, name):
    offsets, inputs = GRAPHS[name]
    nodes = len(offsets) - 1
    order, counts = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    run.ready_order(offsets, inputs, nodes - 1, order)
    RUN["python"].count_dependencies(offsets, inputs, nodes - 1, counts)
    ran = [node for node in order.tolist() if node != UNREACHED]
    assert order.tolist() == ran + [UNREACHED] * (nodes - len(ran))
    assert sorted(ran) == np.flatnonzero(counts != UNREACHED).tolist()
    waiting = counts.copy()
    for node in ran:
        assert waiting[node] == 0
        for child in inputs[offsets[node] : offsets[node + 1]]:
            if child >= 0:
                waiting[child] -= 1


@pytest.mark.parametrize("name", [name for name in GRAPHS if name != "none"])
def test_every_rung_runs_the_nodes_in_the_same_order(run, name):
    orders = []
    for module in (run, RUN["python"]):
        order = np.zeros(len(GRAPHS[name][0]) - 1, np.int64)
        module.ready_order(*GRAPHS[name], len(order) - 1, order)
        orders.append(order.tolist())
    assert orders[0] == orders[1]


@pytest.mark.parametrize("rows, root", [([[1], [0]], 0), ([[-1], [2, 0], [3], [1], [1]], 4)])
def test_a_cycle_keeps_nodes_waiting(run, rows, root):
    offsets, inputs = csr(*rows)
    with pytest.raises(ValueError, match=r"ready_order: the graph has a cycle; \d of \d nodes wait for ever"):
        run.ready_order(offsets, inputs, root, np.zeros(len(rows), np.int64))


def test_a_chain_of_a_hundred_thousand_needs_no_recursion(walks, run):
    nodes = 100_000
    offsets, inputs = np.arange(nodes + 1), np.arange(-1, nodes - 1)
    if walks is not GRAPH.get("numpy"):  # there each level is a call of NumPy
        marks = np.zeros(nodes, bool)
        walks.reachable(offsets, inputs, nodes - 1, marks)
        assert marks.all()
    order = np.zeros(nodes, np.int64)
    walks.topological_backward_order(offsets, inputs, order)
    assert order[0] == nodes - 1 and order[-1] == 0
    run.ready_order(offsets, inputs, nodes - 1, order)
    assert order[0] == nodes - 1 and order[-1] == 0


def test_strided_arrays_are_read_and_written_in_place(walks, run):
    offsets, inputs = (np.repeat(x, 2)[::2] for x in DIAMOND)
    wide = np.full(10, -9, np.int64)
    walks.topological_backward_order(offsets, inputs, wide[::2])
    assert wide.tolist() == [4, -9, 3, -9, 2, -9, 1, -9, 0, -9]
    run.count_dependencies(offsets, inputs, 4, wide[::-2])
    assert wide[::-2].tolist() == [2, 1, 1, 1, 0]


BAD = {
    "float offsets": (np.array([0.0, 1.0]), np.array([-1]), 0, 1, TypeError),
    "two axes": (np.array([[0, 1]]), np.array([-1]), 0, 1, ValueError),
    "no offsets": (np.array([], np.int64), np.array([], np.int64), 0, 0, ValueError),
    "offsets that fall": (np.array([0, 2, 1, 2]), np.array([-1, -1]), 0, 3, ValueError),
    "offsets that begin late": (np.array([1, 1]), np.array([-1]), 0, 1, ValueError),
    "offsets that end early": (np.array([0, 1]), np.array([-1, -1]), 0, 1, ValueError),
    "an input that is no node": (np.array([0, 1]), np.array([1]), 0, 1, ValueError),
    "an input below -1": (np.array([0, 1]), np.array([-2]), 0, 1, ValueError),
    "a short result": (np.array([0, 1, 1]), np.array([-1]), 0, 1, ValueError),
}
BAD_ROOT = {
    "a root that is no node": (np.array([0, 1]), np.array([-1]), 1, 1, ValueError),
    "a negative root": (np.array([0, 1]), np.array([-1]), -1, 1, ValueError),
}


def refusal(function, error, *arguments):
    with pytest.raises(error) as caught:
        function(*arguments)
    return f"{type(caught.value).__name__}: {caught.value}"


@pytest.mark.parametrize("case", BAD)
def test_walks_refuse_alike(walks, case):
    offsets, inputs, _, nodes, error = BAD[case]
    said = [
        refusal(m.topological_backward_order, error, offsets, inputs, np.zeros(nodes, np.int64))
        for m in (walks, GRAPH["python"])
    ]
    assert said[0] == said[1]
    assert said[0].partition(": ")[2].startswith("topological_backward_order: ")


@pytest.mark.parametrize("case", [*BAD, *BAD_ROOT])
def test_reachable_refuses_alike(walks, case):
    offsets, inputs, root, nodes, error = (BAD | BAD_ROOT)[case]
    said = [refusal(m.reachable, error, offsets, inputs, root, np.zeros(nodes, bool)) for m in (walks, GRAPH["python"])]
    assert said[0] == said[1]


@pytest.mark.parametrize("case", [*BAD, *BAD_ROOT])
@pytest.mark.parametrize("name", ["count_dependencies", "ready_order"])
def test_the_engines_loops_refuse_alike(run, case, name):
    offsets, inputs, root, nodes, error = (BAD | BAD_ROOT)[case]
    said = [
        refusal(getattr(m, name), error, offsets, inputs, root, np.zeros(nodes, np.int64)) for m in (run, RUN["python"])
    ]
    assert said[0] == said[1]


@pytest.mark.parametrize("rungs", [GRAPH, RUN, load_rungs("ch16_rules"), load_rungs("ch17_engine")])
def test_rungs_offer_the_same_functions_with_the_same_parameters(rungs):
    reference = rungs["python"]
    for module in rungs.values():
        assert module.__all__ == reference.__all__
        for name in module.__all__:
            ours = inspect.signature(getattr(module, name)).parameters.values()
            theirs = inspect.signature(getattr(reference, name)).parameters.values()
            assert [(p.name, p.default) for p in ours] == [(p.name, p.default) for p in theirs]
