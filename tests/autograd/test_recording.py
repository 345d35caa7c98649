"""Recording: which operations leave a node behind, what the node holds, and what it saves."""

import gc
import weakref

import pytest

import kael
from kael.autograd import AccumulateGrad, FunctionNode, Node, NodeInput, SavedTensor, gradient_edge
from kael.autograd.node import Node as NodeClass
from kael.autograd.recording import record, set_history, should_record
from tests.autograd.leaves import leaf, plain, recorded


class TestNodes:
    @pytest.mark.promise("S5")
    def test_every_use_of_a_leaf_shares_one_accumulator(self):
        x = leaf([1.0, 2.0])
        a, b = x * 2, x * 3
        assert isinstance(a.grad_fn.inputs[0].edge, AccumulateGrad)
        assert a.grad_fn.inputs[0].edge is b.grad_fn.inputs[0].edge

    @pytest.mark.promise("S5")
    def test_a_leaf_and_its_accumulator_go_without_the_collector(self):
        gc.collect()
        gc.disable()
        try:
            x = leaf([1.0, 2.0])
            (x * 2).sum().backward()
            kept = weakref.ref(x), weakref.ref(x.meta)
            del x
            assert [one() for one in kept] == [None, None]
        finally:
            gc.enable()

    @pytest.mark.promise("S5")
    def test_a_graph_that_outlives_its_leaf_still_has_its_hooks_and_memory(self):
        seen = []
        x = leaf([1.0, 2.0])
        x.register_hook(lambda g: seen.append(g.tolist()))
        x.register_post_accumulate_grad_hook(lambda x: seen.append((x.tolist(), x.grad.tolist())))
        y = (x * 3).sum()
        del x
        accumulator = y.grad_fn.inputs[0].edge.inputs[0].edge
        assert accumulator.variable is accumulator.variable
        y.backward()
        assert seen == [[3.0, 3.0], ([1.0, 2.0], [3.0, 3.0])]

    def test_a_frozen_leaf_is_a_constant_of_what_is_recorded_meanwhile(self):
        x, w = leaf([1.0, 2.0]), leaf([5.0, 7.0])
        before = (x * w).sum()
        x.requires_grad_(False)
        meanwhile = (x * w).sum()
        x.requires_grad_()
        meanwhile.backward()
        assert x.grad is None
        before.backward()
        assert x.grad.tolist() == [5.0, 7.0]

    def test_a_node_knows_the_shape_that_a_constant_had(self):
        w, plain_one = leaf([[1.0], [2.0]]), plain([[3.0], [4.0]])
        first = w * plain_one
        plain_one.squeeze_()
        second = w * plain_one
        assert [y.grad_fn.inputs[1].shape for y in (first, second)] == [(2, 1), (2,)]

    @pytest.mark.promise("S6")
    def test_an_input_is_an_edge_with_shape_and_dtype(self):
        x = leaf([[1.0, 2.0], [3.0, 4.0]])
        b = leaf([1.0, 2.0], kael.float32)
        node = (x * b.double()).grad_fn
        first, second = node.inputs
        assert isinstance(first, NodeInput)
        assert (first.edge, first.shape, first.dtype) == (gradient_edge(x), (2, 2), kael.float64)
        assert (second.edge.name, second.shape, second.dtype) == ("ToBackward", (2,), kael.float64)

    @pytest.mark.promise("S6")
    def test_apply_gives_a_product_of_the_input_shapes_not_a_jacobian(self):
        a, b = leaf([2.0, 3.0]), leaf([5.0, 7.0])
        g = plain([1.0, 10.0])
        first, second = (a * b).grad_fn.apply(g)
        assert first.tolist() == [5.0, 70.0]
        assert second.tolist() == [2.0, 30.0]

    @pytest.mark.promise("S6")
    def test_apply_gives_none_where_no_gradient_is_wanted(self):
        a, b = leaf([2.0, 3.0]), plain([5.0, 7.0])
        assert (a * b).grad_fn.apply(plain([1.0, 1.0]))[1] is None

    @pytest.mark.promise("S7")
    def test_there_are_two_kinds(self):
        assert {kind for kind in NodeClass.__subclasses__() if kind.__module__.startswith("kael.autograd.node")} == {
            FunctionNode,
            AccumulateGrad,
        }

    @pytest.mark.promise("S7")
    def test_names(self):
        x = leaf([1.0, 2.0])
        assert [node.name for node in ((x + x).grad_fn, (x * x).grad_fn, x.sum().grad_fn, gradient_edge(x))] == [
            "AddBackward",
            "MulBackward",
            "SumBackward",
            "AccumulateGrad",
        ]
        assert repr((x * x).grad_fn) == "<MulBackward>"

    @pytest.mark.promise("S7")
    def test_a_function_node_has_one_gradient_function_per_input(self):
        x, y = leaf([1.0]), leaf([2.0])
        assert len((x * y).grad_fn.gradients) == 2
        assert all(callable(function) for function in (x * y).grad_fn.gradients)


class TestRecording:
    @pytest.mark.promise("S8")
    @pytest.mark.parametrize("enabled", [True, False])
    @pytest.mark.parametrize("requires_grad", [True, False])
    @pytest.mark.parametrize("floating", [True, False])
    def test_needs_grad_mode_a_floating_result_and_an_input_that_requires_grad(self, enabled, requires_grad, floating):
        x = plain([1.0, 2.0]).requires_grad_(requires_grad)
        with kael.set_grad_enabled(enabled):
            y = x * 2 if floating else x.long()
        assert (y.grad_fn is not None) == (enabled and requires_grad and floating)
        assert y.requires_grad == (enabled and requires_grad and floating)

    @pytest.mark.promise("S8")
    def test_should_record_asks_the_three_conditions(self):
        x, y = leaf([1.0]), plain([1.0])
        assert should_record(y, (y, x))
        assert not should_record(y, (y, y))
        assert not should_record(y.long(), (x,))
        with kael.no_grad():
            assert not should_record(y, (x,))

    @pytest.mark.promise("S9")
    def test_a_product_with_a_constant(self):
        x = leaf([1.0, 2.0])
        y = x * 2
        node = y.grad_fn
        assert node.name == "MulBackward"
        assert len(node.inputs) == 2
        assert node.inputs[0].edge is gradient_edge(x)
        assert node.inputs[1].edge is None
        assert (node.inputs[1].shape, node.inputs[1].dtype) == ((), kael.float64)
        assert node.gradients[0] is not None
        assert node.gradients[1] is None

    @pytest.mark.promise("S9")
    def test_the_gradient_of_a_constant_is_never_computed(self):
        asked = []

        def gradient(node, g, position):
            asked.append(position)
            return g

        x, constant = leaf([1.0]), plain([2.0])
        recorded(gradient, x, constant).backward()
        recorded(gradient, constant, x).backward()
        assert asked == [0, 1]

    @pytest.mark.promise("S9")
    def test_what_only_that_gradient_would_read_is_not_saved(self):
        x, w = leaf([1.0, 2.0]), plain([3.0, 4.0])
        saved = (x * w).grad_fn.saved
        assert [None if value is None else value.get().tolist() for value in saved] == [None, [3.0, 4.0], None]

    @pytest.mark.promise("S10")
    def test_the_graph_is_what_this_call_executed(self):
        def model(x, turns):
            for turn in range(turns):
                if turn == 2:
                    return x
                x = x * x if x.sum() > 3 else x + 1
            return x

        def names(y):
            found, node = [], y.grad_fn
            while isinstance(node, FunctionNode):
                found.append(node.name)
                node = node.inputs[0].edge
            return found

        assert names(model(leaf([1.0]), 1)) == ["AddBackward"]
        assert names(model(leaf([5.0]), 2)) == ["MulBackward", "MulBackward"]
        assert names(model(leaf([5.0]), 9)) == ["MulBackward", "MulBackward"]
        assert model(leaf([5.0]), 0).grad_fn is None

    @pytest.mark.promise("S10")
    def test_nodes_own_their_inputs_nodes_and_go_with_the_last_tensor(self):
        gc.collect()
        gc.disable()
        try:
            x = leaf([1.0, 2.0])
            y = (x * 2).exp()
            z = y.sum()
            exp, mul = weakref.ref(y.grad_fn), weakref.ref(y.grad_fn.inputs[0].edge)
            del y
            assert exp() is not None
            assert mul() is not None
            del z
            assert exp() is None
            assert mul() is None
        finally:
            gc.enable()

    def test_record_gives_its_output_back(self):
        x = leaf([1.0])
        y = plain([2.0])
        op = (x * x).grad_fn.op
        assert record(y, op, (x, x)) is y
        assert y.grad_fn.op is op
        z = plain([2.0])
        set_history(z, op, (x, x))
        assert z.grad_fn.name == "MulBackward"

    def test_node_is_the_base_of_both_kinds(self):
        assert issubclass(FunctionNode, Node)
        assert issubclass(AccumulateGrad, Node)


class TestSavedTensor:
    @pytest.mark.promise("S30")
    def test_is_a_detached_handle_with_the_version(self):
        x = leaf([1.0, 2.0])
        saved = SavedTensor(x)
        assert saved.version == 0
        assert not saved.get().requires_grad
        assert saved.get().data_ptr() == x.data_ptr()

    @pytest.mark.promise("S30")
    def test_get_raises_after_a_write(self):
        w = plain([1.0, 2.0])
        saved = SavedTensor(w)
        w.add_(1)
        w.add_(1)
        with pytest.raises(RuntimeError) as error:
            saved.get()
        assert str(error.value) == (
            "one of the variables needed for gradient computation has been modified by an inplace operation: expected "
            "version 0, got 2"
        )

    @pytest.mark.promise("S30")
    @pytest.mark.promise("68")
    @pytest.mark.promise("69")
    def test_backward_raises_after_a_write_to_a_saved_input(self):
        x, w = leaf([1.0, 2.0]), plain([3.0, 4.0])
        y = (x * w).sum()
        w.mul_(2)
        with pytest.raises(RuntimeError, match=r"modified by an inplace operation: expected version 0, got 1$"):
            y.backward()
        assert x.grad is None

    @pytest.mark.promise("S30")
    @pytest.mark.promise("66")
    def test_backward_raises_after_a_write_to_a_saved_output(self):
        x = leaf([1.0, 2.0])
        y = x.exp()
        with kael.no_grad():
            y.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()

    @pytest.mark.promise("S36")
    def test_a_recorded_node_never_changes(self):
        x = leaf([1.0, 2.0])
        y = x.exp()
        node, inputs, saved = y.grad_fn, y.grad_fn.inputs, y.grad_fn.saved
        with kael.no_grad():
            y.add_(1)
            y[0] = 5
        for write in (lambda: y.add_(1), lambda: y.__setitem__(0, 1.0), lambda: y.copy_(plain([1.0, 1.0]))):
            with pytest.raises(RuntimeError):
                write()
        assert y.grad_fn is node
        assert node.inputs is inputs
        assert node.saved is saved

    @pytest.mark.promise("S36")
    @pytest.mark.parametrize("write", ["add_", "sub_", "mul_", "div_", "copy_", "fill_", "zero_", "__setitem__"])
    def test_a_saved_tensor_is_unmodified_or_backward_raises(self, write):
        x, w = leaf([1.0, 2.0]), plain([3.0, 4.0])
        y = (x * w).sum()
        arguments = {"zero_": (), "copy_": (plain([3.0, 4.0]),), "__setitem__": (0, 3.0)}.get(write, (1.0,))
        getattr(w, write)(*arguments)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.backward()

    @pytest.mark.promise("67")
    def test_an_operation_that_saves_its_input_lets_its_output_be_written(self):
        x = leaf([4.0])
        y = x.log()
        with kael.no_grad():
            y.zero_()
        y.backward()
        assert x.grad.tolist() == [0.25]

    @pytest.mark.promise("94")
    @pytest.mark.promise("183")
    def test_a_saved_constant_is_free_right_after_backward(self):
        gc.disable()
        try:
            x, w = leaf([1.0, 2.0]), plain([3.0, 4.0])
            y = (x * w).sum()
            storage = weakref.ref(w.storage)
            del w
            assert storage() is not None
            y.backward()
            assert storage() is None
        finally:
            gc.enable()
