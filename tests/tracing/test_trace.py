"""The recorder, fed by hand with the calls that an engine makes."""

import pytest

from kael.tracing.trace import Trace
from tests.tracing.samples import Array, running_example


def test_each_step_of_the_running_example_is_a_row():
    lines = running_example().table().splitlines()
    assert [line[0] for line in lines if line[:1].isdigit()] == ["0", "1", "2"]


@pytest.mark.parametrize(
    "part",
    [
        "(seed)",
        "add(z, x) → w",
        "mul(x, y) → z",
        "1.0 + 4.0 = 5.0",
        "1.0 × 4.0 = 4.0",
        "nodes[1]: 1.0",
        "nodes[0]: 1.0",
    ],
)
def test_the_running_example_shows(part):
    assert part in running_example().table()


def test_five_names_share_one_buffer_until_x_gets_a_second_contribution():
    rows = running_example().to_markdown().splitlines()[2:]
    cells = [row.split(" | ")[-1] for row in rows[:3]]
    assert cells[1].count("grad") == 5 and "b1" not in cells[1]
    assert "b1: x.grad" in cells[2] and "b2: y.grad" in cells[2]


def test_the_last_line_gives_the_gradients_of_the_leaves():
    assert running_example().table().splitlines()[-1] == "x.grad = 5.0, y.grad = 3.0"


def test_a_leaf_that_nothing_reached_is_said_to_be_unset():
    x, w = Array(3.0), Array(9.0)
    trace = Trace(x=x, w=w)
    trace.forward(0, "mul", [x, x], w)
    trace.seed(0, w, Array(1.0))
    trace.skip(0, "is_zero")
    trace.done()
    assert "x.grad is not set" in trace.table()
    assert "skipped: its gradient is zero" in trace.table()
    assert "nodes[0]: never written" in trace.table()


def test_names_may_be_given_after_the_pass():
    x, y = Array(2.0), Array(4.0)
    trace = Trace()
    trace.forward(0, "mul", [x, x], y)
    trace.seed(0, y, Array(1.0))
    trace.done()
    assert "mul(v0, v0) → v1" not in trace.name(x=x, y=y).table()
    assert "y.grad = 1.0" in trace.table()


def test_a_suggested_name_does_not_replace_one_that_was_given():
    x, y = Array(2.0), Array(4.0)
    trace = Trace(x=x)
    trace.forward(0, "mul", [x, x], y)
    trace.seed(0, y, Array(1.0))
    trace.done()
    trace.suggest(other=x, y=y, again=y)
    assert [entry.name for entry in trace.passes[0].tensors] == ["x", "y"]


def test_only_tensors_have_names():
    with pytest.raises(TypeError, match="name: x is a float, not a tensor; name tensors only"):
        Trace(x=3.0)


def test_a_record_without_a_pass_says_so():
    assert Trace().table() == "no backward ran\n"


class TestBeforeAnyWalk:
    """A graph that was recorded and not walked."""

    def recorded(self):
        x, y, z, w = (Array(value) for value in (3.0, 4.0, 12.0, 15.0))
        trace = Trace("w = x*y + x")
        trace.forward(0, "mul", [x, y], z)
        trace.forward(1, "add", [z, x], w)
        return trace.name(x=x, y=y, z=z, w=w)

    def test_each_operation_is_a_row_with_who_made_its_inputs(self):
        rows = self.recorded().to_markdown().splitlines()[2:4]
        assert rows == [
            "| 1 | mul | x = 3.0<br>y = 4.0 | x: no node<br>y: no node | z = 12.0 | 0 |",
            "| 2 | add | z = 12.0<br>x = 3.0 | z: nodes\\[0\\]<br>x: no node | w = 15.0 | 1 |",
        ]

    def test_the_last_line_says_that_nobody_walked_it(self):
        assert self.recorded().table().splitlines()[-1] == "2 nodes recorded; no backward ran"

    def test_the_picture_can_be_stepped_through(self):
        html = self.recorded().to_html(assets=False)
        assert html.count("<tbody") == 1 and html.count('class="kt-box') == 4
        assert "Step 2 of 2. add(z, x) → w is recorded as nodes[1]. w = 15.0." in html

    def test_once_a_graph_is_walked_others_are_not_shown(self):
        trace, x, w = self.recorded(), Array(2.0), Array(4.0)
        trace.done()
        trace.forward(0, "mul", [x, x], w)
        trace.seed(0, w, Array(1.0))
        trace.done()
        assert "recorded" not in trace.table() and "(seed)" in trace.table()


def test_gradients_that_are_plain_numbers_have_no_buffers():
    x, w = Array(3.0), Array(9.0)
    trace = Trace(x=x, w=w)
    trace.forward(0, "mul", [x, x], w)
    trace.seed(0, w, 1.0)
    trace.visit(0, 1.0)
    trace.contribution(0, 0, x, None, 3.0, 3.0, "assign")
    trace.contribution(0, 1, x, None, 3.0, 6.0, "add")
    trace.done()
    assert "x: 3.0 + 3.0 = 6.0" in trace.table()
    assert "Buffers" not in trace.table() and "GraphNode.grad" not in trace.table()
    assert trace.passes[0].tensors[0].grad.value == 6.0
