"""The two worked tables, from the engines themselves."""

import re
import threading

import pytest

import kael
from chapters.ch15_graph.graph import ComputationGraph, Tensor
from chapters.ch17_engine.arena import ArenaStore
from chapters.ch17_engine.engine import backward
from kael.autograd.recorder import recorder
from kael.tracing.running_example import running_example_trace
from kael.tracing.table import table_of
from kael.tracing.trace import Trace


def rows(trace):
    """The cells of a trace's one table, by column."""
    (record,) = trace.passes
    table = table_of(record)
    return [dict(zip(table.columns, row.cells, strict=True)) for row in table.rows]


def diamond():
    x = kael.tensor([1.0, 2.0], dtype=kael.float64, requires_grad=True)
    with kael.record("the diamond", x=x) as trace:
        a = x * 2
        b = x * 3
        (a + b).sum().backward()
    return trace.name(a=a, b=b), x


class TestRunningExample:
    """Chapter 17's table for w = x*y + x at x = 3, y = 4."""

    def test_the_seed_is_step_zero(self):
        seed = rows(running_example_trace())[0]
        assert seed["Node visited"] == ["(seed)"]
        assert seed["Incoming gradient"] == ["—"]
        assert seed["Result"] == ["w.grad = 1.0"]
        assert seed["Running totals"] == ["w: 1.0"]
        assert seed["GraphNode.grad"] == ["nodes[1]: 1.0"]

    def test_the_add_node_is_step_one(self):
        step = rows(running_example_trace())[1]
        assert step["Node visited"] == ["add(z, x) → w"]
        assert step["Incoming gradient"] == ["w.grad = 1.0"]
        assert step["Result"] == ["z gets 1.0", "x gets 1.0"]
        assert step["Running totals"] == ["z: 1.0", "x: 1.0"]
        assert step["GraphNode.grad"] == ["nodes[0]: 1.0"]

    def test_the_mul_node_is_step_two(self):
        step = rows(running_example_trace())[2]
        assert step["Node visited"] == ["mul(x, y) → z"]
        assert step["Incoming gradient"] == ["z.grad = 1.0"]
        assert step["Result"] == ["x gets 1.0 × 4.0 = 4.0", "y gets 1.0 × 3.0 = 3.0"]
        assert step["Running totals"] == ["x: 1.0 + 4.0 = 5.0", "y: 3.0"]

    def test_there_is_no_step_three(self):
        assert [row["Step"] for row in rows(running_example_trace())] == [["0"], ["1"], ["2"]]

    def test_its_totals_are_those_of_kaels_engine(self):
        x, y = (kael.tensor(value, dtype=kael.float64, requires_grad=True) for value in (3.0, 4.0))
        (x * y + x).backward()
        (record,) = running_example_trace().passes
        totals = {entry.name: entry.grad.value for entry in record.tensors}
        assert totals["x"] == x.grad.item() and totals["y"] == y.grad.item()

    @pytest.mark.promise("S47")
    def test_the_buffers_show_five_names_for_one_and_then_a_fresh_one(self):
        steps = [row["Buffers"] for row in rows(running_example_trace())]
        (shared,) = steps[1]
        names = set(shared.removeprefix("b0: ").split(", "))
        assert names == {"w.grad", "nodes[1].grad", "z.grad", "nodes[0].grad", "x.grad"}
        assert "x.grad" not in steps[2][0] and "z.grad" in steps[2][0]
        assert steps[2][1:] == ["b1: x.grad", "b2: y.grad"]

    def test_without_the_mirror_every_node_is_skipped(self):
        trace = running_example_trace(mirror=False, skip="is_zero")
        steps = rows(trace)[1:]
        assert [row["Result"] for row in steps] == [["skipped: its gradient is zero"]] * 2
        assert [row["GraphNode.grad"] for row in steps] == [["nodes[1]: never written"], ["nodes[0]: never written"]]
        assert "x.grad is not set, y.grad is not set" in trace.table()

    def test_overwriting_shows_what_is_lost(self):
        assert rows(running_example_trace(accumulate="overwrite"))[2]["Running totals"][0] == "x: 4.0 (its 1.0 is lost)"

    def test_pruning_changes_nothing_in_the_table(self):
        assert running_example_trace(prune=False).table() == running_example_trace(prune=True).table()

    def test_other_numbers_give_another_table(self):
        assert "x.grad = 3.0, y.grad = 5.0" in running_example_trace(x=5.0, y=2.0).table()

    def test_the_arena_store_shows_that_a_leafs_gradient_is_copied_out(self):
        trace = Trace()
        graph = ComputationGraph(ArenaStore(), trace=trace)
        x, y = Tensor(3.0, requires_grad=True), Tensor(4.0, requires_grad=True)
        z = graph.mul(x, y)
        w = graph.add(z, x)
        trace.name(x=x, y=y, z=z, w=w)
        backward(graph, w)
        buffers = rows(trace)[1]["Buffers"]
        assert "z.grad" in buffers[0] and buffers[1] == "b1: x.grad"
        assert "x.grad = 5.0, y.grad = 3.0" in trace.table()

    def test_a_graph_built_again_is_a_second_pass(self):
        trace = Trace()
        graph = ComputationGraph(trace=trace)
        for _ in range(2):
            x = Tensor(3.0, requires_grad=True)
            backward(graph, graph.mul(x, x))
            graph.reset()
        assert "backward 2 of 2" in trace.table()


class TestDiamond:
    """x = [1, 2], a = x * 2, b = x * 3, (a + b).sum(): five steps in the order of the ready stack."""

    @pytest.mark.promise("S26")
    def test_the_nodes_run_in_the_order_of_the_stack(self):
        trace, _ = diamond()
        nodes = [row["Node"][0] for row in rows(trace)]
        assert nodes == ["SumBackward", "AddBackward", "MulBackward(b)", "MulBackward(a)", "AccumulateGrad(x)"]

    @pytest.mark.promise("S26")
    def test_the_gradients_that_arrive(self):
        trace, _ = diamond()
        incoming = [row["Incoming gradient"][0] for row in rows(trace)]
        assert incoming == ["1.0 (seed, shape ())", "[1, 1]", "[1, 1]", "[1, 1]", "[5, 5]"]

    @pytest.mark.promise("S26")
    def test_what_each_node_passes_on(self):
        trace, _ = diamond()
        assert [row["Result"] for row in rows(trace)] == [
            ["[1, 1] to AddBackward"],
            ["[1, 1] to MulBackward(a)", "[1, 1] to MulBackward(b)"],
            ["[3, 3] to AccumulateGrad(x)"],
            ["[2, 2] added for AccumulateGrad(x): [5, 5]"],
            ["x.grad = [5, 5]"],
        ]

    @pytest.mark.promise("S25")
    def test_the_counts_come_down_to_zero(self):
        trace, _ = diamond()
        counts = [row["Dependency counts"] for row in rows(trace)]
        assert counts[2:4] == [["AccumulateGrad(x): 2 → 1"], ["AccumulateGrad(x): 1 → 0"]]
        assert [node.count for node in trace.passes[0].nodes.values()] == [0, 1, 1, 2, 1]

    def test_the_ready_list_is_a_stack(self):
        trace, _ = diamond()
        ready = [row["Ready list"][0] for row in rows(trace)]
        assert ready[1:4] == ["MulBackward(a), MulBackward(b)", "MulBackward(a)", "AccumulateGrad(x)"]
        assert ready[4] == "empty"

    def test_add_hands_one_buffer_to_both(self):
        trace, _ = diamond()
        assert rows(trace)[1]["Buffers"] == ["b1: AddBackward, MulBackward(a), MulBackward(b)"]

    def test_the_leaf_takes_over_the_buffer_that_nobody_else_holds(self):
        trace, _ = diamond()
        assert rows(trace)[4]["Buffers"] == ["b3: AccumulateGrad(x), x.grad"]

    def test_the_table_agrees_with_the_tensor(self):
        trace, x = diamond()
        assert trace.passes[0].tensors[0].grad.value == x.grad.tolist() == [5.0, 5.0]


class TestRecord:
    """The switch around kael's engine."""

    def test_a_pass_outside_the_block_is_not_recorded(self):
        x = kael.tensor(2.0, requires_grad=True)
        with kael.record(x=x) as trace:
            pass
        (x * x).backward()
        assert trace.table() == "no backward ran\n"

    def test_off_no_recorder_is_touched(self, monkeypatch):
        for call in ("seed", "visit", "contribution", "dependency", "done"):
            monkeypatch.setattr(Trace, call, lambda *_: pytest.fail("a recorder was called"))
        x = kael.tensor(2.0, requires_grad=True)
        (x * x).backward()
        assert x.grad.item() == 4.0

    def test_off_the_slot_is_read_once_per_backward(self, monkeypatch):
        reads = []

        class Slot:
            def get(self):
                reads.append(1)

        if not kael.autograd.engine.__file__.endswith(".py"):
            pytest.skip("a compiled engine binds the slot when it is built; KAEL_ENGINE=python runs this test")
        monkeypatch.setattr(kael.autograd.engine, "recorder", Slot())
        x = kael.tensor([2.0] * 3, requires_grad=True)
        (x * x + x).sum().backward()
        assert reads == [1]

    def test_the_block_ends_recording_also_after_an_error(self):
        with pytest.raises(ZeroDivisionError), kael.record():
            raise ZeroDivisionError
        assert recorder.get() is None

    def test_blocks_nest_and_the_outer_shows_both(self):
        x = kael.tensor(2.0, requires_grad=True)
        with kael.record() as outer:
            (x * x).backward()
            with kael.record(x=x) as inner:
                (x + x).backward()
            (x * 3).backward()
        assert len(inner.passes) == 1 and "AccumulateGrad(x)" in inner.table()
        assert "backward 3 of 3" in outer.table()

    def test_another_thread_is_not_recorded(self):
        def work():
            x = kael.tensor(2.0, requires_grad=True)
            (x * x).backward()

        with kael.record() as trace:
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
        assert trace.passes == []

    def test_a_second_backward_adds_to_what_the_leaf_holds(self):
        x = kael.tensor(2.0, requires_grad=True)
        (x * x).backward()
        with kael.record(x=x) as trace:
            (x * x).backward()
        assert "x.grad = 4.0 + 4.0 = 8.0" in trace.table()

    def test_a_watched_pass_hands_on_the_same_buffers_as_an_unwatched_one(self):
        def storage_of_grad(watched):
            x = kael.tensor([1.0, 2.0], requires_grad=True)
            seed = kael.tensor([1.0, 1.0])
            if watched:
                with kael.record(x=x):
                    (x * 2).backward(seed)
            else:
                (x * 2).backward(seed)
            return x.grad.storage is seed.storage, x.grad.tolist()

        assert storage_of_grad(True) == storage_of_grad(False)

    def test_gradients_asked_for_by_name_are_not_put_into_leaves(self):
        x = kael.tensor(2.0, requires_grad=True)
        with kael.record(x=x) as trace:
            kael.autograd.grad(x * x, x)
        assert "x.grad is not set" in trace.table()

    def test_nodes_of_one_name_are_told_apart(self):
        x = kael.tensor(2.0, requires_grad=True)
        with kael.record(x=x) as trace:
            (x * 2 * 3).backward()
        assert {"MulBackward #1", "MulBackward #2"} <= {node.label for node in trace.passes[0].nodes.values()}

    def test_a_pass_that_fails_is_shown_as_far_as_it_came(self):
        x = kael.tensor(2.0, requires_grad=True)
        y = x.exp()
        with kael.no_grad():
            y.add_(1.0)
        with kael.record(x=x) as trace, pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.backward()
        assert re.search(r"stopped before its end; x\.grad is not set", trace.table())

    def test_elements_of_large_gradients_are_not_kept(self):
        x = kael.zeros(100, requires_grad=True)
        with kael.record(x=x) as trace:
            (x * x).sum().backward()
        assert "shape (100,)" in " ".join(trace.to_markdown().replace("\\", "").split())
        assert trace.passes[0].tensors[0].grad.value is None

    def test_a_deep_graph_is_recorded_without_recursion(self):
        x = kael.tensor(1.0, requires_grad=True)
        y = x
        for _ in range(3000):
            y = y + 1
        with kael.record(x=x) as trace:
            y.backward()
        assert len(trace.to_html(assets=False)) < 100_000
        assert re.search("2,99[0-9] more such steps", trace.table())
        assert trace.table(whole=True).count("AddBackward #") > 3000
