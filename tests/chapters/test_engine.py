"""Chapter 17: the engine on objects, its numbers, its traps and their mends."""

import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from chapters.ch12_elementwise.reference import broadcast_add_kernel, elementwise_add
from chapters.ch15_graph.graph import ComputationGraph, NodeList, Tensor
from chapters.ch17_engine.arena import ArenaStore
from chapters.ch17_engine.engine import (
    accumulate_gradient,
    backward,
    is_zero,
    keep_for_backward,
    keep_nothing_of_add,
    needs_input_for_backward,
    reduce_sum_axis,
    unbroadcast_gradient,
    zero_grad,
)
from chapters.ch17_engine.memory import BufferWatch
from chapters.flat import Buffer


class Recorder:
    """Keeps every call of an engine with copies of the numbers and the identity of the buffers."""

    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        return lambda *arguments: self.calls.append((name, *arguments))

    def of(self, name):
        return [call[1:] for call in self.calls if call[0] == name]


def example(x=3.0, y=4.0, **options):
    graph = ComputationGraph(**options)
    x, y = Tensor(x, requires_grad=True), Tensor(y, requires_grad=True)
    z = graph.mul(x, y)
    w = graph.add(z, x)
    return graph, x, y, z, w


def scalar(value):
    return Buffer([value], ())


@pytest.fixture(params=[NodeList, ArenaStore])
def store(request):
    return request.param()


class TestWorkedTable:
    @pytest.mark.promise("S40")
    def test_final_gradients(self, store):
        graph, x, y, z, w = example(nodes=store)
        backward(graph, w)
        assert (w.grad.tolist(), z.grad.tolist(), x.grad.tolist(), y.grad.tolist()) == (1.0, 1.0, 5.0, 3.0)

    @pytest.mark.promise("S40")
    def test_every_step(self, store):
        graph, x, y, z, w = example(nodes=store)
        trace = Recorder()
        names = {x.handle: "x", y.handle: "y", z.handle: "z", w.handle: "w"}

        class Snapshot(Recorder):
            def contribution(self, node, position, tensor, target, gradient, total, action, pending):
                self.calls.append((node, names[tensor], target, gradient.tolist(), total.tolist(), action, pending))

        trace = Snapshot()
        backward(graph, w, trace=trace)
        steps = [c for c in trace.calls if isinstance(c[0], int)]
        assert steps == [
            (1, "z", 0, 1.0, 1.0, "assign", None),
            (1, "x", None, 1.0, 1.0, "assign", None),
            (0, "x", None, 4.0, 5.0, "add", None),
            (0, "y", None, 3.0, 3.0, "assign", None),
        ]
        assert [(n, g.tolist()) for n, _, g in trace.of("seed")] == [(1, 1.0)]
        assert [(n, g.tolist(), ready) for n, g, ready in trace.of("visit")] == [(1, 1.0, None), (0, 1.0, None)]
        assert [(n, g.tolist()) for n, g in trace.of("node_gradient")] == [(1, 1.0), (0, 1.0)]
        assert trace.calls[-1] == ("done",)

    def test_the_trace_hears_the_forward_pass(self):
        trace = Recorder()
        graph, x, y, z, w = example(trace=trace)
        assert trace.of("forward") == [(0, "mul", (x, y), z), (1, "add", (z, x), w)]
        backward(graph, w)
        assert trace.calls[-1] == ("done",)

    @pytest.mark.promise("S41")
    def test_backward_requires_a_scalar(self):
        graph = ComputationGraph()
        y = graph.exp(Tensor([1, 2], requires_grad=True))
        with pytest.raises(ValueError, match=r"^backward\(\) requires a scalar"):
            backward(graph, y)

    @pytest.mark.promise("S41")
    def test_one_element_is_scalar_whatever_the_shape(self):
        graph = ComputationGraph()
        x = Tensor([[2.0]], requires_grad=True)
        backward(graph, graph.mul(x, x))
        assert x.grad.tolist() == [[4.0]]

    @pytest.mark.promise("S41")
    def test_an_empty_loss_is_no_scalar(self):
        graph = ComputationGraph()
        x = Tensor(Buffer([], (0,)), requires_grad=True)
        with pytest.raises(ValueError, match=r"requires a scalar; loss has shape \(0,\)"):
            backward(graph, graph.mul(x, x))

    def test_a_loss_of_another_graph_is_refused(self, store):
        *_, w = example()
        graph, *_ = example(nodes=store)
        with pytest.raises(ValueError, match="loss was not recorded by this graph"):
            backward(graph, w)

    @pytest.mark.parametrize("switch", ["skip", "accumulate", "shapes"])
    def test_a_switch_has_named_positions(self, switch):
        graph, *_, w = example()
        with pytest.raises(ValueError, match=f"backward: {switch} is 'sometimes'; choose one of '"):
            backward(graph, w, **{switch: "sometimes"})

    def test_a_leaf_as_loss_is_refused(self):
        graph, x, *_ = example()
        with pytest.raises(ValueError, match="loss was not recorded by this graph"):
            backward(graph, x)


class TestMissingMirror:
    @pytest.mark.promise("S43")
    def test_the_literal_engine_skips_every_node_and_sets_nothing(self, store):
        graph, x, y, z, w = example(nodes=store)
        trace = Recorder()
        backward(graph, w, mirror=False, skip="is_zero", trace=trace)
        assert trace.of("skip") == [(1, "is_zero"), (0, "is_zero")]
        assert trace.of("visit") == trace.of("contribution") == trace.of("node_gradient") == []
        assert (x.grad, y.grad, z.grad) == (None, None, None)
        assert w.grad.tolist() == 1.0
        assert [node.grad.tolist() for node in graph.nodes] == [0.0, 0.0]

    @pytest.mark.promise("S43")
    @pytest.mark.promise("S44")
    def test_with_the_mirror_the_zero_test_does_no_harm_here(self, store):
        graph, x, y, _, w = example(nodes=store)
        backward(graph, w, mirror=True, skip="is_zero")
        assert (x.grad.tolist(), y.grad.tolist()) == (5.0, 3.0)

    def test_the_two_switches_are_independent(self, store):
        graph, x, y, _, w = example(nodes=store)
        backward(graph, w, mirror=False, skip="no gradient")
        assert (x.grad.tolist(), y.grad.tolist()) == (0.0, 0.0)

    def test_without_the_mirror_float32_zeros_stay_float32(self, store):
        graph = ComputationGraph(store)
        x = Tensor(Buffer([3.0], (), "f"), requires_grad=True)
        backward(graph, graph.mul(x, x), mirror=False)
        assert (x.grad.tolist(), x.grad.typecode) == (0.0, "f")

    @pytest.mark.promise("S44")
    def test_seeding_reaches_the_node_that_made_the_loss(self, store):
        graph, *_, w = example(nodes=store)
        seen = {}

        class Watch(Recorder):
            def visit(self, node, gradient, ready):
                seen[node] = (gradient.tolist(), graph.nodes[node].grad.tolist())

        backward(graph, w, trace=Watch())
        assert w.grad_fn_index == 1
        assert seen[1] == (1.0, 1.0)

    @pytest.mark.promise("S44")
    def test_every_total_is_mirrored_into_the_node_that_made_the_tensor(self, store):
        graph = ComputationGraph(store)
        x = Tensor(2.0, requires_grad=True)
        z = graph.exp(x)
        w = graph.add(graph.mul(z, z), z)
        backward(graph, w)
        assert graph.nodes[0].grad.tolist() == z.grad.tolist() == 2 * z.item() + 1

    def test_zero_times_infinity_is_what_the_zero_test_hides(self):
        def run(skip):
            graph = ComputationGraph()
            x = Tensor(0.0, requires_grad=True)
            inner = graph.mul(x, Tensor(float("inf")))
            w = graph.add(graph.mul(inner, Tensor(0.0)), Tensor(1.0))
            backward(graph, w, skip=skip)
            return x.grad

        assert run("is_zero") is None
        assert str(run("no gradient").tolist()) == "nan"

    def test_a_zero_gradient_is_a_gradient(self):
        graph = ComputationGraph()
        x = Tensor(2.0, requires_grad=True)
        backward(graph, graph.mul(graph.exp(x), Tensor(0.0)))
        assert x.grad.tolist() == 0.0

    def test_a_node_that_does_not_lead_to_the_loss_is_skipped(self, store):
        graph = ComputationGraph(store)
        x = Tensor(2.0, requires_grad=True)
        aside = Tensor(7.0, requires_grad=True)
        w = graph.exp(x)
        graph.mul(x, aside)
        trace = Recorder()
        backward(graph, w, trace=trace)
        assert trace.of("skip") == [(1, "no gradient")]
        assert aside.grad is None
        assert x.grad.tolist() == w.item()

    def test_is_zero_reads_every_element(self):
        assert is_zero(Buffer([0, 0, -0.0]))
        assert not is_zero(Buffer([0, 0, 1e-300]))
        assert not is_zero(Buffer([float("nan")]))


class TestAccumulation:
    @pytest.mark.promise("S45")
    def test_the_first_contribution_is_assigned_as_it_is(self):
        p, incoming = Tensor(0.0, requires_grad=True), scalar(2.0)
        assert accumulate_gradient(p, incoming) == "assign"
        assert p.grad is incoming

    @pytest.mark.promise("S45")
    def test_a_later_contribution_makes_a_fresh_buffer_and_changes_none(self):
        p, first, second = Tensor(0.0, requires_grad=True), scalar(2.0), scalar(3.0)
        accumulate_gradient(p, first)
        assert accumulate_gradient(p, second) == "add"
        assert p.grad is not first and p.grad is not second
        assert (first.tolist(), second.tolist(), p.grad.tolist()) == (2.0, 3.0, 5.0)

    @pytest.mark.promise("S55")
    def test_three_contributions_take_if_else_else(self):
        p = Tensor(0.0, requires_grad=True)
        branches = []
        for incoming in (2.0, 3.0, 5.0):
            branches.append((accumulate_gradient(p, scalar(incoming)), p.grad.tolist()))
        assert branches == [("assign", 2.0), ("add", 5.0), ("add", 10.0)]

    @pytest.mark.promise("S46")
    def test_zero_grad_writes_zeros_of_the_parameters_shape(self):
        p, q = Tensor([[1, 2, 3]], requires_grad=True), Tensor(Buffer([1], (), "f"), requires_grad=True)
        p.grad = Buffer.full(7, (1, 3))
        zero_grad([p, q])
        assert (p.grad.tolist(), p.grad.shape) == ([[0.0, 0.0, 0.0]], (1, 3))
        assert (q.grad.tolist(), q.grad.typecode) == (0.0, "f")

    @pytest.mark.promise("S46")
    def test_after_zero_grad_even_the_first_contribution_is_added(self):
        p = Tensor(0.0, requires_grad=True)
        zero_grad([p])
        assert accumulate_gradient(p, scalar(2.0)) == "add"
        assert p.grad.tolist() == 2.0

    def test_gradients_of_two_graphs_add_up_in_a_leaf(self):
        x = Tensor(3.0, requires_grad=True)
        for _ in range(2):
            graph = ComputationGraph()
            backward(graph, graph.mul(x, x))
        assert x.grad.tolist() == 12.0

    def test_a_constant_gets_no_gradient(self):
        graph = ComputationGraph()
        x, c = Tensor(3.0, requires_grad=True), Tensor(5.0)
        backward(graph, graph.mul(x, c))
        assert (x.grad.tolist(), c.grad) == (5.0, None)

    @pytest.mark.promise("S55")
    @pytest.mark.parametrize("x, last", [(3.0, 4.0), (-7.0, 4.0)])
    def test_overwriting_keeps_the_last_contribution_alone(self, x, last):
        graph, x, _, _, w = example(x, 4.0)
        backward(graph, w, accumulate="overwrite")
        assert x.grad.tolist() == last

    @pytest.mark.promise("S55")
    def test_what_overwriting_loses_can_make_the_gradient_larger(self):
        graph = ComputationGraph()
        x = Tensor(3.0, requires_grad=True)
        residual = graph.add(graph.mul(x, Tensor(-4.0)), x)
        backward(graph, residual, accumulate="overwrite")
        assert x.grad.tolist() == -4.0
        assert abs(x.grad.tolist()) > abs(-4.0 + 1.0)


class TestAliasing:
    def watched(self, **options):
        graph, x, y, z, w = example()
        steps = []

        class Watch(Recorder):
            def visit(self, node, gradient, ready):
                steps.append((z.grad, x.grad))

            def done(self):
                steps.append((z.grad, x.grad))

        backward(graph, w, trace=Watch(), **options)
        return graph, x, y, z, w, steps

    @pytest.mark.promise("S47")
    def test_after_the_add_one_buffer_has_five_names(self):
        graph, _, _, _, w, steps = self.watched()
        z_grad, x_grad = steps[1]
        names = [w.grad, graph.nodes[1].grad, z_grad, graph.nodes[0].grad, x_grad]
        assert all(name is w.grad for name in names)

    @pytest.mark.promise("S47")
    def test_after_the_mul_x_has_a_fresh_buffer_and_z_the_old_one(self):
        *_, steps = self.watched()
        (_, shared), (z_grad, x_grad) = steps[1], steps[2]
        assert z_grad is shared and z_grad.tolist() == 1.0
        assert x_grad is not shared and x_grad.tolist() == 5.0

    @pytest.mark.promise("S55")
    def test_a_third_contribution_to_z_never_touches_xs_buffer(self):
        graph, x, _, z, _, steps = self.watched()
        before = z.grad
        final_x = x.grad
        accumulate_gradient(z, scalar(10.0), graph)
        assert z.grad is not before and z.grad.tolist() == 11.0
        assert before.tolist() == 1.0
        assert x.grad is final_x and x.grad.tolist() == 5.0
        assert steps[1][1].tolist() == 1.0

    @pytest.mark.promise("S55")
    def test_a_third_node_that_uses_z_leaves_the_shared_buffer_to_x(self):
        graph = ComputationGraph()
        x, y = Tensor(3.0, requires_grad=True), Tensor(4.0, requires_grad=True)
        z = graph.mul(x, y)
        third = graph.mul(z, Tensor(10.0))
        w = graph.add(z, x)
        seen = []

        class Watch(Recorder):
            def visit(self, node, gradient, ready):
                seen.append((node, z.grad, x.grad))

        backward(graph, graph.add(w, third), trace=Watch())
        before, after = seen[2:]
        assert (before[0], after[0]) == (1, 0)
        assert before[1] is before[2]
        assert after[1] is not before[1] and after[1].tolist() == 11.0
        assert after[2] is before[2] and after[2].tolist() == 1.0

    def test_sharing_harms_once_somebody_clips_in_place(self):
        graph = ComputationGraph()
        x, y = Tensor(3.0, requires_grad=True), Tensor(4.0, requires_grad=True)
        backward(graph, graph.add(x, y))
        assert x.grad is y.grad
        x.grad[0] = min(x.grad[0], 0.5)
        assert y.grad.tolist() == 0.5

    def test_a_fresh_buffer_instead_of_a_write_leaves_the_other_alone(self):
        graph = ComputationGraph()
        x, y = Tensor(3.0, requires_grad=True), Tensor(4.0, requires_grad=True)
        backward(graph, graph.add(x, y))
        x.grad = Buffer([min(g, 0.5) for g in x.grad], x.grad.shape)
        assert (x.grad.tolist(), y.grad.tolist()) == (0.5, 1.0)


class TestFiniteDifferences:
    @pytest.mark.promise("S48")
    def test_the_nudged_values_in_decimal_arithmetic(self):
        def w(x, y):
            return Decimal(x) * Decimal(y) + Decimal(x)

        assert [w("3.001", 4), w("2.999", 4)] == [Decimal("15.005"), Decimal("14.995")]
        assert [w(3, "4.001"), w(3, "3.999")] == [Decimal("15.003"), Decimal("14.997")]
        assert (w("3.001", 4) - w("2.999", 4)) / (Decimal("3.001") - Decimal("2.999")) == 5
        assert (w(3, "4.001") - w(3, "3.999")) / (Decimal("4.001") - Decimal("3.999")) == 3

    @pytest.mark.promise("S48")
    def test_the_quotients_in_float64(self):
        def w(x, y):
            return example(x, y)[-1].item()

        along_x = w(3.001, 4.0) - w(2.999, 4.0)
        along_y = w(3.0, 4.001) - w(3.0, 3.999)
        assert along_x / (3.001 - 2.999) == 4.999999999999556
        assert along_y / 0.002 == 3.0000000000001137
        for quotient, exact in ((along_x / (3.001 - 2.999), 5), (along_y / 0.002, 3)):
            assert quotient == pytest.approx(exact, abs=1e-9)

    @pytest.mark.promise("S48")
    def test_float32_at_a_thousandth_loses_digits(self):
        def w(x):
            graph = ComputationGraph()
            x, y = Tensor(Buffer([x], (), "f"), requires_grad=True), Tensor(Buffer([4.0], (), "f"))
            return graph.add(graph.mul(x, y), x).item()

        slope = (w(3.001) - w(2.999)) / 0.002
        assert 1e-6 < abs(slope - 5) < 1e-2


class TestBroadcasting:
    A = ((1, 2, 3), (4, 5, 6))
    B = ((10, 20, 30),)

    def run(self, store=None, **options):
        graph = ComputationGraph(store)
        a, b = Tensor(self.A, requires_grad=True), Tensor(self.B, requires_grad=True)
        c = graph.add(a, b)
        ones_left, ones_right = Tensor([[1, 1]]), Tensor([[1], [1], [1]])
        total = graph.matmul(graph.matmul(ones_left, c), ones_right)
        options.setdefault("shapes", "unbroadcast")
        if options.pop("zeros_first", False):
            zero_grad([a, b])
        backward(graph, total, **options)
        return a, b, c

    @pytest.mark.promise("S49")
    def test_forward(self):
        out = Buffer.full(0, (2, 3))
        broadcast_add_kernel(Buffer([1, 2, 3, 4, 5, 6], (2, 3)), Buffer([10, 20, 30], (1, 3)), out)
        assert out.tolist() == [[11.0, 22.0, 33.0], [14.0, 25.0, 36.0]]
        assert self.run()[2].tolist() == [[11.0, 22.0, 33.0], [14.0, 25.0, 36.0]]

    @pytest.mark.promise("S49")
    def test_gradients_have_the_operands_shapes(self, store):
        a, b, c = self.run(store)
        assert c.grad.tolist() == [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
        assert (a.grad.tolist(), a.grad.shape) == ([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]], (2, 3))
        assert (b.grad.tolist(), b.grad.shape) == ([[2.0, 2.0, 2.0]], (1, 3))

    @pytest.mark.promise("S49")
    def test_unreduced_and_unchecked_a_2x3_lands_on_a_1x3(self):
        _, b, _ = self.run(shapes="ignore")
        assert (b.shape, b.grad.shape) == ((1, 3), (2, 3))

    @pytest.mark.promise("S49")
    def test_unreduced_and_checked_the_shapes_disagree(self):
        with pytest.raises(ValueError, match=r"gradient of shape \(2, 3\) arrives at a tensor of shape \(1, 3\)"):
            self.run(shapes="check")

    def test_mul_sums_the_gradient_of_a_repeated_operand(self, store):
        graph = ComputationGraph(store)
        a, b = Tensor(self.A, requires_grad=True), Tensor(10.0, requires_grad=True)
        total = graph.matmul(graph.matmul(Tensor([[1, 1]]), graph.mul(a, b)), Tensor([[1], [1], [1]]))
        backward(graph, total)
        assert (b.grad.tolist(), b.grad.shape) == (21.0, ())
        assert a.grad.tolist() == [[10.0] * 3] * 2

    @pytest.mark.promise("S50")
    @pytest.mark.promise("S55")
    def test_four_three_five_down_to_three_one(self):
        ones = Buffer.full(1, (4, 3, 5))
        first = reduce_sum_axis(ones, axis=0)
        assert (first.shape, set(first)) == ((3, 5), {4.0})
        second = reduce_sum_axis(first, axis=1, keepdims=True)
        assert (second.shape, second.tolist()) == ((3, 1), [[20.0], [20.0], [20.0]])
        assert unbroadcast_gradient(ones, (3, 1)).tolist() == second.tolist()

    @pytest.mark.promise("S50")
    def test_sums_and_not_means_or_first_rows(self):
        grad = Buffer([1, 2, 3, 40, 50, 60], (2, 3))
        assert unbroadcast_gradient(grad, (1, 3)).tolist() == [[41.0, 52.0, 63.0]]
        assert unbroadcast_gradient(grad, (3,)).tolist() == [41.0, 52.0, 63.0]
        assert unbroadcast_gradient(grad, (2, 1)).tolist() == [[6.0], [150.0]]
        assert unbroadcast_gradient(grad, ()).tolist() == 156.0

    @pytest.mark.promise("S50")
    def test_an_equal_shape_passes_the_same_buffer_on(self):
        grad = Buffer.full(1, (2, 3))
        assert unbroadcast_gradient(grad, (2, 3)) is grad

    @pytest.mark.promise("S50")
    @pytest.mark.parametrize(
        "shape, target", [((3, 5), (2, 1)), ((2, 3), (2, 2)), ((3,), (1, 3)), ((1,), (3,)), ((4, 2), (3,))]
    )
    def test_what_no_broadcast_can_have_made_is_refused(self, shape, target):
        with pytest.raises(ValueError) as caught:
            unbroadcast_gradient(Buffer.full(1, shape), target)
        assert str(caught.value) == f"unbroadcast_gradient: cannot reduce {shape} to {target}"

    def test_empty_axes_reduce_to_zeros(self):
        assert unbroadcast_gradient(Buffer([], (4, 0)), (4, 1)).tolist() == [[0.0]] * 4


class TestSingleUse:
    @pytest.mark.promise("S51")
    def test_the_example_has_two_entries_and_is_consumed_once(self, store):
        graph, *_, w = example(nodes=store)
        assert len(graph.nodes) == 2
        backward(graph, w)
        with pytest.raises(RuntimeError, match="used by an earlier backward; reset it and build it again"):
            backward(graph, w)

    @pytest.mark.promise("S51")
    def test_the_next_forward_pass_rebuilds_the_list(self, store):
        graph, x, y, _, w = example(nodes=store)
        backward(graph, w)
        graph.reset()
        assert len(graph.nodes) == 0
        again = graph.add(graph.mul(x, y), x)
        assert len(graph.nodes) == 2
        backward(graph, again)
        assert (x.grad.tolist(), y.grad.tolist()) == (10.0, 6.0)

    @pytest.mark.promise("S51")
    def test_nothing_is_recorded_on_a_used_graph(self):
        graph, x, y, _, w = example()
        backward(graph, w)
        with pytest.raises(RuntimeError, match="mul: this graph was used by backward"):
            graph.mul(x, y)

    @pytest.mark.promise("S55")
    def test_the_first_self_check(self, store):
        graph, x, y, _, w = example(5.0, 2.0, nodes=store)
        assert w.grad_fn_index == 1
        trace = Recorder()
        backward(graph, w, trace=trace)
        node, gradient = trace.of("node_gradient")[0]
        assert (node, gradient.tolist(), graph.nodes[1].grad.tolist()) == (1, 1.0, 1.0)
        assert (x.grad.tolist(), y.grad.tolist()) == (3.0, 5.0)


def bytes_freed(build):
    """Bytes that pruning frees of the operands of a graph's last add, as the weak references see it."""
    alive = []
    for options in ({}, {"keep": keep_for_backward}):
        graph, watch = ComputationGraph(**options), BufferWatch()
        held = build(graph, watch)
        alive.append(watch.alive)
        assert held is not None
    return alive[0] - alive[1]


def activation(requires_grad=False):
    return Tensor(Buffer.full(0.5, (500, 8), "f"), requires_grad=requires_grad)


class TestPruning:
    @pytest.mark.promise("S52")
    def test_only_add_needs_no_input(self):
        assert {op: needs_input_for_backward(op) for op in ("add", "mul", "matmul")} == {
            "add": False,
            "mul": True,
            "matmul": True,
        }

    def test_exp_keeps_its_result_and_not_its_operand(self):
        assert keep_for_backward("exp") == {"edges", "result"}

    def test_pruning_empties_what_is_saved_and_never_the_edges(self, store):
        graph, x, _, z, _ = example(nodes=store, keep=keep_for_backward)
        add = graph.nodes[1]
        assert add.saved == [None, None, None]
        assert add.inputs == [z.handle, x.handle]

    def test_pruned_graphs_give_the_same_gradients(self, store):
        graph, x, y, _, w = example(nodes=store, keep=keep_for_backward)
        backward(graph, w)
        assert (x.grad.tolist(), y.grad.tolist()) == (5.0, 3.0)

    def test_pruning_taken_at_its_word_loses_every_gradient(self, store):
        graph, x, y, _, w = example(nodes=store, keep=keep_nothing_of_add)
        backward(graph, w)
        assert (x.grad, y.grad) == (None, None)

    @pytest.mark.promise("S53")
    def test_one_activation_is_sixteen_thousand_bytes(self):
        assert activation().data.nbytes == 16_000

    @pytest.mark.promise("S53")
    def test_a_residual_add_of_two_activations_frees_thirty_two_thousand(self):
        def build(graph, watch):
            x, scale = activation(requires_grad=True), Tensor(Buffer([2.0], (), "f"), requires_grad=True)
            left, right = graph.mul(x, scale), graph.mul(x, scale)
            watch.add(left.data, right.data)
            return graph, graph.add(left, right), x

        assert bytes_freed(build) == 32_000

    @pytest.mark.promise("S53")
    def test_adding_a_bias_frees_sixteen_thousand(self):
        bias = Tensor(Buffer.full(0, (8,), "f"), requires_grad=True)

        def build(graph, watch):
            x, scale = activation(requires_grad=True), Tensor(Buffer([2.0], (), "f"), requires_grad=True)
            hidden = graph.mul(x, scale)
            watch.add(hidden.data, bias.data)
            return graph, graph.add(hidden, bias), x

        assert bytes_freed(build) == 16_000

    @pytest.mark.promise("S53")
    def test_an_operand_that_mul_holds_as_well_frees_nothing(self):
        def build(graph, watch):
            x, y = activation(requires_grad=True), activation(requires_grad=True)
            watch.add(x.data)
            return graph, graph.add(graph.mul(x, y), x)

        assert bytes_freed(build) == 0

    @pytest.mark.promise("S53")
    def test_the_arenas_peak_falls_by_thirty_two_thousand(self):
        def peak(**options):
            graph = ComputationGraph(ArenaStore(1 << 17), **options)
            graph.add(activation(requires_grad=True), activation(requires_grad=True))
            return graph.nodes.values.peak

        assert peak() - peak(keep=keep_for_backward) == 32_000

    @pytest.mark.promise("S54")
    def test_constants_take_no_gradient_memory(self):
        graph = ComputationGraph(ArenaStore())
        a, b = Tensor(2.0), Tensor(5.0)
        before = len(graph.nodes)
        c = graph.add(graph.mul(a, b), a)
        used = graph.nodes.values.used
        backward_target = graph.mul(c, Tensor(3.0, requires_grad=True))
        backward(graph, backward_target)
        assert before == 0 and len(graph.nodes) == 1
        assert (a.grad, b.grad, c.grad) == (None, None, None)
        assert used == 2 * 8


def test_gradients_flow_through_a_chain_longer_than_the_stack(store):
    graph = ComputationGraph(store)
    x = Tensor(1.0, requires_grad=True)
    y = x
    for _ in range(3000):
        y = graph.add(y, x)
    backward(graph, y)
    assert x.grad.tolist() == 3001.0


def test_elementwise_add_never_changes_its_operands():
    a, b = Buffer([1, 2]), Buffer([10, 20])
    assert elementwise_add(a, b).tolist() == [11.0, 22.0]
    assert (a.tolist(), b.tolist()) == ([1.0, 2.0], [10.0, 20.0])


def test_the_engine_runs_on_the_standard_library_alone():
    program = """
import sys
sys.modules.update(numpy=None, kael=None)
from chapters.ch15_graph.graph import ComputationGraph, Tensor
from chapters.ch17_engine.arena import ArenaStore
from chapters.ch17_engine.engine import backward
for store in (None, ArenaStore()):
    graph = ComputationGraph(store)
    x, y = Tensor(3.0, requires_grad=True), Tensor(4.0, requires_grad=True)
    backward(graph, graph.add(graph.mul(x, y), x))
    print(x.grad.tolist(), y.grad.tolist())
"""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(root)!r})\n{program}"],
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert (done.stdout, done.stderr) == ("5.0 3.0\n5.0 3.0\n", "")
