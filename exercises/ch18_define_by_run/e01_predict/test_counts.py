"""Your tables beside the record of the engine, column by column; the first row that differs is named."""

import pytest

from chapters.ch18_define_by_run.engine import Tensor, backward, gradient_edge
from kael.exercises.answers import filled
from kael.testing import assert_equal, assert_tensor

X, Y = 2.0, 5.0
VALUES = {"loss": 50.0, "c": 40.0}
ABSENT = "absent"


class Record:
    """Listens to the pass: the counts; per step the node, its gradient, the ready list afterwards; who got what."""

    def __init__(self, names):
        self.names, self.counts, self.steps = names, dict.fromkeys(names.values(), ABSENT), []
        self.arrived = {name: [] for name in names.values()}

    def dependency(self, node, count):
        self.counts[self.names[node]] = count

    def visit(self, node, gradient, ready):
        """A node has been taken off the list: with it, this is the list that the step before left."""
        if self.steps:
            self.steps[-1][2] = tuple(self.names[other] for other in [*ready, node])
        self.steps.append([self.names[node], gradient.tolist(), ()])

    def contribution(self, node, position, tensor, target, gradient, total, action, pending):
        self.arrived[self.names[target]].append(gradient.tolist())

    def seed(self, *event):
        """Nothing to note."""

    done = seed


@pytest.fixture(scope="module")
def record():
    """What the engine did."""
    x, y = Tensor(X, requires_grad=True), Tensor(Y, requires_grad=True)
    a, b = x * y, x * x
    c = a * b
    d = a + a
    loss = c + a
    tensors = {"x": x, "y": y, "a": a, "b": b, "c": c, "d": d, "loss": loss}
    found = Record({gradient_edge(tensor): name for name, tensor in tensors.items()})
    backward(loss, trace=found)
    return found


@pytest.fixture
def counts(answer, record):
    """The reader's rows of COUNTS."""
    rows = filled(answer.COUNTS, "COUNTS")
    assert sorted(row[0] for row in rows) == sorted(record.counts), "COUNTS: keep its rows as they were"
    return rows


@pytest.fixture
def steps(answer, record):
    """The reader's rows of STEPS."""
    rows = filled(answer.STEPS, "STEPS")
    assert [row[0] for row in rows] == list(range(1, len(record.steps) + 1)), "STEPS: keep its rows as they were"
    return rows


def test_what_each_node_waits_for(counts, record, because):
    all_edges = {"loss": 0, "c": 1, "a": 4, "b": 1, "d": 0, "x": 3, "y": 1}
    users = {"x": 2}
    for name, given in counts:
        expected = record.counts[name]
        key = "unreached_counts" if name == "a" and given == 3 else ""  # d taken for one use of a
        reason = because(f"the node of {name}: contributions it waits for", key, unreached_counts=all_edges[name],
                         once_per_node=users.get(name), seed_counts=1 if name == "loss" else None)  # fmt: skip
        assert_equal(given, expected, because=reason)


def test_which_node_runs(steps, record, because):
    queue = ["loss", "c", "a", "b", "y", "x"]
    early = ["loss", "a", "y", "x", "c", "b"]
    for (step, node, _, _), (expected, _, _) in zip(steps, record.steps, strict=True):
        known = {"queue": queue[step - 1], "too_early": early[step - 1]}
        reason = because(
            f"step {step}: the node that runs", "from_the_left" if (step, node) == (5, "x") else "", **known
        )
        assert_equal(node, expected, because=reason)


def test_what_had_arrived(steps, record, because):
    for (step, _, given, _), (name, expected, _) in zip(steps, record.steps, strict=True):
        parts = record.arrived[name] or [expected]
        known = {"incomplete": parts[0], "last_alone": parts[-1]} if len(parts) > 1 else {}
        if name == "x":
            known["once_per_node"] = parts[0] + parts[-1]
        if name in VALUES:
            known["value_for_gradient"] = VALUES[name]
        reason = because(f"step {step}: the gradient that had arrived at {name}", **known)
        assert_tensor(given, expected, because=reason)


def test_ready_lists(steps, record, because):
    waiting = {1: ("a", "c"), 3: ("x", "a")}
    for (step, _, _, given), (name, _, expected) in zip(steps, record.steps, strict=True):
        key = "no_tuple" if isinstance(given, str) else ""
        reason = because(f"step {step}: the ready list after {name} has run", key, runs_and_waits=(name, *expected),
                         upside_down=expected[::-1], not_yet_ready=waiting.get(step))  # fmt: skip
        assert_equal(given, expected, because=reason)
