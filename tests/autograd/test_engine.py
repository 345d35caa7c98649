"""The backward pass: seeding, counting, one visit per node, what is released, and chains too deep for recursion."""

import gc
import threading
import time
import tracemalloc
import weakref

import numpy as np
import pytest

import kael
from kael.autograd import AccumulateGrad, count_dependencies, gradient_edge
from kael.autograd.engine import check_gradient, seed_gradient
from tests.autograd.leaves import leaf, plain, recorded, watched

SECOND_TIME = r"^Trying to backward through the graph a second time \(.*\); specify retain_graph=True"


def diamond():
    """x used by two products whose sum is added up."""
    x = leaf([1.0, 2.0])
    a, b = x * 2, x * 3
    return x, a, b, (a + b).sum()


def in_small_thread(work):
    """Run a function in a thread whose stack is 256 KB; gives what it returned or raises what it raised."""
    outcome = []

    def run():
        try:
            outcome.append((True, work()))
        except BaseException as error:
            outcome.append((False, error))

    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    succeeded, value = outcome[0]
    if not succeeded:
        raise value
    return value


def chain(length):
    """A leaf and the end of ``y = y + 1`` repeated."""
    x = leaf(0.0)
    y = x
    for _ in range(length):
        y = y + 1
    return x, y


class TestSeed:
    @pytest.mark.promise("S16")
    @pytest.mark.promise("20")
    @pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
    def test_a_root_of_one_element_gets_ones_like_it(self, shape):
        root = leaf(3.0).reshape(shape) * 2
        seed = seed_gradient(root, None)
        assert seed.shape == shape
        assert seed.dtype is root.dtype
        assert seed.item() == 1.0
        x = kael.full(shape, 3.0, dtype=kael.float64, requires_grad=True)
        (x * 2).backward()
        assert x.grad.tolist() == kael.full(shape, 2.0).tolist()

    @pytest.mark.promise("S17")
    @pytest.mark.promise("19")
    @pytest.mark.parametrize("shape", [(2,), (1, 2), (0,), (2, 0)])
    def test_any_other_root_needs_an_explicit_gradient(self, shape):
        root = kael.zeros(shape, requires_grad=True) * 2
        with pytest.raises(RuntimeError) as error:
            root.backward()
        assert str(error.value) == "grad can be implicitly created only for scalar outputs"

    @pytest.mark.promise("S17")
    @pytest.mark.promise("24")
    def test_an_explicit_gradient_is_used(self):
        x = leaf([3.0, 4.0])
        (x * x).backward(plain([1.0, 10.0]))
        assert x.grad.tolist() == [6.0, 80.0]

    @pytest.mark.promise("S17")
    @pytest.mark.promise("22")
    @pytest.mark.parametrize("gradient", [[1.0], 1.0, [[1.0, 1.0]]])
    def test_an_explicit_gradient_of_another_shape_is_refused(self, gradient):
        g = plain(gradient)
        with pytest.raises(RuntimeError) as error:
            (leaf([3.0, 4.0]) * 2).backward(g)
        assert str(error.value) == (
            f"Mismatch in shape: grad_output[0] has a shape of {g.shape} and output[0] has a shape of (2,)."
        )

    @pytest.mark.promise("23")
    @pytest.mark.parametrize("dtype", [kael.float32, kael.int64])
    def test_an_explicit_gradient_of_another_dtype_is_cast(self, dtype):
        x = leaf([3.0, 4.0])
        (x * x).backward(kael.tensor([1, 10], dtype=dtype))
        assert x.grad.tolist() == [6.0, 80.0]
        assert x.grad.dtype is kael.float64

    def test_a_gradient_that_is_no_tensor_is_refused(self):
        with pytest.raises(TypeError, match="gradients can be either Tensors or None, but got list"):
            kael.autograd.backward([leaf([3.0]) * 2], [[1.0]])

    @pytest.mark.promise("21")
    def test_a_root_without_grad_is_refused(self):
        with pytest.raises(RuntimeError) as error:
            plain(3.0).backward()
        assert str(error.value) == "element 0 of tensors does not require grad and does not have a grad_fn"

    def test_nan_seeds_are_passed_on(self):
        x = leaf([3.0, 4.0])
        (x * 2).backward(plain([float("nan"), 1.0]))
        assert str(x.grad.tolist()) == "[nan, 2.0]"

    @pytest.mark.parametrize("root", [None, 3])
    def test_a_root_that_is_no_node_is_named(self, root):
        with pytest.raises(TypeError, match=f"a root is {type(root).__name__}; pass nodes, such as loss.grad_fn"):
            count_dependencies([root])


class TestAutogradEngine:
    @pytest.mark.promise("S18")
    def test_count_dependencies_counts_edges_of_every_node_in_reach(self):
        x, a, b, loss = diamond()
        add = loss.grad_fn.inputs[0].edge
        assert count_dependencies([loss.grad_fn]) == {
            loss.grad_fn: 0,
            add: 1,
            a.grad_fn: 1,
            b.grad_fn: 1,
            gradient_edge(x): 2,
        }
        assert count_dependencies([a.grad_fn]) == {a.grad_fn: 0, gradient_edge(x): 1}

    @pytest.mark.promise("S25")
    def test_diamond_waits_for_both_paths(self):
        x, a, b, loss = diamond()
        add, accumulator = loss.grad_fn.inputs[0].edge, gradient_edge(x)
        with watched() as events:
            loss.backward()
        assert x.grad.tolist() == [5.0, 5.0]
        assert dict(events.of("dependency")) == {loss.grad_fn: 0, add: 1, a.grad_fn: 1, b.grad_fn: 1, accumulator: 2}

    @pytest.mark.promise("S26")
    @pytest.mark.promise("S20")
    def test_diamond_is_traced_in_the_order_of_a_stack(self):
        x, a, b, loss = diamond()
        total, add, accumulator = loss.grad_fn, loss.grad_fn.inputs[0].edge, gradient_edge(x)
        with watched() as events:
            loss.backward()
        assert events.of("seed") == [(total, 1.0, ())]
        assert events.of("visit") == [
            (total, 1.0),
            (add, [1.0, 1.0]),
            (b.grad_fn, [1.0, 1.0]),
            (a.grad_fn, [1.0, 1.0]),
            (accumulator, [5.0, 5.0]),
        ]
        assert events.of("contribution") == [
            (total, add, [1.0, 1.0], [1.0, 1.0], "assign", 0),
            (add, a.grad_fn, [1.0, 1.0], [1.0, 1.0], "assign", 0),
            (add, b.grad_fn, [1.0, 1.0], [1.0, 1.0], "assign", 0),
            (b.grad_fn, accumulator, [3.0, 3.0], [3.0, 3.0], "assign", 1),
            (a.grad_fn, accumulator, [2.0, 2.0], [5.0, 5.0], "add", 0),
        ]
        assert events.of("done") == [()]

    @pytest.mark.promise("S20")
    def test_order_of_ready_nodes_does_not_change_results(self):
        def gradient(turned):
            x = leaf([1.0, 2.0])
            a, b = (x * 3, x * 2) if turned else (x * 2, x * 3)
            (a + b).sum().backward()
            return x.grad.tolist()

        assert gradient(False) == gradient(True) == [5.0, 5.0]

    @pytest.mark.promise("S19")
    @pytest.mark.promise("181")
    def test_each_node_runs_once_with_the_complete_sum(self):
        x = leaf(1.0)
        y = x
        for _ in range(60):
            y = y + y
        with watched() as events:
            y.backward()
        visited = [node for node, _ in events.of("visit")]
        assert len(visited) == 61
        assert len(set(visited)) == 61
        assert x.grad.item() == 2.0**60

    @pytest.mark.promise("S27")
    def test_repeated_input_accumulates(self):
        x = leaf([3.0, 4.0])
        product = x * x
        loss = product.sum()
        accumulator = gradient_edge(x)
        assert [link.edge for link in product.grad_fn.inputs] == [accumulator, accumulator]
        assert count_dependencies([loss.grad_fn])[accumulator] == 2
        loss.backward()
        assert x.grad.tolist() == [6.0, 8.0]

    @pytest.mark.promise("26")
    @pytest.mark.parametrize(
        ("function", "at", "expected"),
        [
            (lambda x: x + x, 3.0, 2.0),
            (lambda x: x - x, 3.0, 0.0),
            (lambda x: x * x * x, 3.0, 27.0),
            (lambda x: x + x + x + x + x + x + x, 3.0, 7.0),
        ],
    )
    def test_repeated_uses_add(self, function, at, expected):
        x = leaf(at)
        function(x).backward()
        assert x.grad.item() == expected

    @pytest.mark.promise("S21")
    def test_a_returned_gradient_of_another_shape_names_the_node(self):
        y = recorded(lambda node, g, position: plain([1.0]), leaf([1.0, 2.0]), plain([2.0, 2.0]))
        with pytest.raises(RuntimeError) as error:
            y.sum().backward()
        assert str(error.value) == (
            "Function MulBackward returned an invalid gradient at index 0 - got (1,) but expected shape compatible "
            "with (2,)"
        )

    @pytest.mark.promise("S21")
    def test_a_returned_gradient_of_another_dtype_names_the_node(self):
        y = recorded(lambda node, g, position: g.float(), plain([2.0, 2.0]), leaf([1.0, 2.0]))
        with pytest.raises(RuntimeError) as error:
            y.sum().backward()
        assert str(error.value) == (
            "Function MulBackward returned an invalid gradient at index 1 - got dtype float32 but expected float64"
        )

    @pytest.mark.promise("S21")
    def test_check_gradient_compares_with_the_recorded_edge(self):
        node = (leaf([1.0, 2.0]) * 2).grad_fn
        check_gradient(node, 0, node.inputs[0], plain([1.0, 1.0]))
        with pytest.raises(RuntimeError, match=r"got \(3,\) but expected shape compatible with \(2,\)$"):
            check_gradient(node, 0, node.inputs[0], plain([1.0, 1.0, 1.0]))

    @pytest.mark.promise("S22")
    def test_a_node_that_ran_has_dropped_its_gradients_and_saved_tensors(self):
        x = leaf([1.0, 2.0])
        y = x.exp()
        loss = (y * y).sum()
        nodes = [loss.grad_fn, loss.grad_fn.inputs[0].edge, y.grad_fn]
        assert all(node.gradients is not None and node.saved is not None for node in nodes)
        loss.backward()
        assert all(node.gradients is None and node.saved is None for node in nodes)

    @pytest.mark.promise("S22")
    def test_release_variables_can_be_called_by_hand(self):
        node = (leaf([1.0]) * plain([2.0])).grad_fn
        storage = weakref.ref(node.saved[1].get().storage)
        assert storage() is not None
        node.release_variables()
        assert storage() is None

    @pytest.mark.promise("S23")
    @pytest.mark.promise("37")
    def test_second_backward_without_retain_throws(self):
        x = leaf([2.0, 3.0])
        loss = (x * x).sum()
        loss.backward()
        with pytest.raises(RuntimeError, match=SECOND_TIME) as error:
            loss.backward()
        assert "(SumBackward has released its saved tensors)" in str(error.value)
        assert x.grad.tolist() == [4.0, 6.0]

    @pytest.mark.promise("S23")
    @pytest.mark.promise("38")
    def test_second_backward_raises_also_where_nothing_was_saved(self):
        x = leaf([1.0, 2.0])
        c = x + 1
        c.sum().backward()
        with pytest.raises(RuntimeError, match=SECOND_TIME) as error:
            c.mean().backward()
        assert str(error.value).endswith(
            "kael frees a graph when backward has used it, also where nothing was saved; pass retain_graph=True to the "
            "first call, or add the losses"
        )

    @pytest.mark.promise("S23")
    @pytest.mark.promise("39")
    def test_two_losses_over_a_shared_node(self):
        x = leaf(2.0)
        shared = x.exp()
        first, second = shared * 1, shared * 2
        first.backward()
        with pytest.raises(RuntimeError, match=r"\(ExpBackward has released its saved tensors\)"):
            second.backward()

    @pytest.mark.promise("S24")
    def test_retain_graph_accumulates_in_leaves(self):
        x = leaf(2.0)
        loss = (x * x).sum()
        loss.backward(retain_graph=True)
        assert x.grad.item() == 4.0
        loss.backward()
        assert x.grad.item() == 8.0

    @pytest.mark.promise("S24")
    @pytest.mark.promise("39")
    def test_retain_graph_keeps_saved_tensors(self):
        x = leaf(2.0)
        shared = x.exp()
        (shared * 1).backward(retain_graph=True)
        assert shared.grad_fn.saved[-1].get().item() == shared.item()
        (shared * 2).backward()
        assert x.grad.item() == pytest.approx(3 * 7.38905609893065)

    @pytest.mark.promise("S28")
    def test_deep_chain_destruction_without_backward(self):
        def work():
            x, y = chain(50_000)
            node = weakref.ref(y.grad_fn)
            del y
            return node() is None and x.grad is None

        assert in_small_thread(work)

    @pytest.mark.promise("S29")
    def test_deep_chain_backward_and_destruction(self):
        def work():
            x, y = chain(50_000)
            y.backward()
            del y
            return x.grad.item()

        assert in_small_thread(work) == 1.0

    @pytest.mark.promise("S28")
    @pytest.mark.promise("S29")
    @pytest.mark.slow
    def test_a_million_links_on_the_main_thread(self):
        x, y = chain(1_000_000)
        y.backward()
        assert x.grad.item() == 1.0
        del y
        _, y = chain(1_000_000)
        del y

    @pytest.mark.promise("180")
    def test_a_hundred_thousand_links_on_the_main_thread(self):
        x, y = chain(100_000)
        y.backward()
        node = weakref.ref(y.grad_fn)
        del y
        assert x.grad.item() == 1.0
        assert node() is None

    def test_a_link_takes_less_than_a_kilobyte(self):
        chain(10)
        gc.collect()
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            held = chain(5_000)
            after, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert held[1].grad_fn is not None
        assert 0 < after - before < 5_000 * 1024

    def test_deep_fans_and_retained_graphs_need_no_deep_stack(self):
        def work():
            x = leaf(1.0)
            y = x
            for _ in range(20_000):
                y = y * 1.0 + y * 0.0
            y.backward(retain_graph=True)
            (gradient,) = kael.autograd.grad(y, x)
            return x.grad.item(), gradient.item()

        assert in_small_thread(work) == (1.0, 1.0)

    @pytest.mark.parametrize("build", [lambda x: [x + 1] * 1, lambda x: [x + k for k in range(50)]])
    def test_work_is_linear_in_nodes_and_edges(self, build):
        def visits(length):
            x = leaf(1.0)
            layer = [x]
            for _ in range(length):
                total = layer[0]
                for part in layer[1:]:
                    total = total + part
                layer = build(total)
            total = layer[0]
            for part in layer[1:]:
                total = total + part
            with watched() as events:
                total.backward()
            return len(events.of("visit"))

        assert visits(20) - visits(10) == visits(30) - visits(20)

    def test_time_of_a_chain_is_linear(self):
        def seconds(length):
            best = float("inf")
            for _ in range(3):
                _, y = chain(length)
                start = time.process_time()
                y.backward()
                best = min(best, time.process_time() - start)
            return best

        assert seconds(20_000) < 40 * seconds(2_000)

    @pytest.mark.promise("182")
    def test_the_graph_goes_by_reference_counting_alone(self):
        gc.collect()
        gc.disable()
        try:
            x = leaf([1.0, 2.0])
            y = x.exp().sigmoid()
            storage, node = weakref.ref(y.storage), weakref.ref(y.grad_fn)
            del y
            assert storage() is None
            assert node() is None
            loss = (x.exp() * x.tanh()).sum()
            node = weakref.ref(loss.grad_fn)
            loss.backward()
            del loss
            assert node() is None
            assert gc.collect() == 0
        finally:
            gc.enable()

    @pytest.mark.promise("41")
    def test_a_failing_backward_passes_nothing_on_from_the_failing_node(self):
        x, w = leaf([1.0, 2.0]), plain([3.0, 4.0])
        loss = (x * w).sum()
        w.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()
        assert x.grad is None

    @pytest.mark.promise("35")
    def test_two_graphs_add(self):
        x = leaf(1.0)
        (x * 2).backward()
        (x * 3).backward()
        assert x.grad.item() == 5.0

    @pytest.mark.promise("25")
    def test_a_leaf_as_root(self):
        x = leaf([3.0])
        x.backward()
        x.backward()
        assert x.grad.tolist() == [2.0]
        y = leaf([1.0, 2.0])
        y.backward(plain([5.0, 6.0]))
        assert y.grad.tolist() == [5.0, 6.0]

    def test_a_zero_gradient_is_a_gradient(self):
        x = leaf([0.0, float("inf")])
        (x * 0 * x).sum().backward()
        assert str(x.grad.tolist()) == "[0.0, nan]"
        y = leaf(2.0)
        ((y * 3) * 0).backward()
        assert y.grad.item() == 0.0

    @pytest.mark.promise("27")
    def test_several_roots_add(self):
        x = leaf(1.0)
        kael.autograd.backward([x * 2, x * 3])
        assert x.grad.item() == 5.0
        x = leaf(3.0)
        y = x * 2
        kael.autograd.backward([y, y * y])
        assert x.grad.item() == 26.0
        x = leaf(1.0)
        y = x * 2
        kael.autograd.backward([y, y])
        assert x.grad.item() == 4.0

    @pytest.mark.promise("61")
    def test_each_leaf_gets_its_own_dtype(self):
        x, y = leaf([1.0], kael.float32), leaf([2.0], kael.float64)
        (x * y).sum().backward()
        assert x.grad.dtype is kael.float32
        assert y.grad.dtype is kael.float64

    @pytest.mark.promise("36")
    def test_elements_of_one_leaf_in_three_backwards(self):
        x = leaf([1.0, 2.0, 3.0])
        for i in range(3):
            (x[i] ** 2).backward()
        assert x.grad.tolist() == [2.0, 4.0, 6.0]

    @pytest.mark.promise("45")
    def test_three_graphs_of_one_expression_add(self):
        x = leaf(2.0)
        for _ in range(3):
            (x * x).sum().backward()
        assert x.grad.item() == 12.0

    def test_operands_of_several_shapes_share_one_graph(self):
        x = leaf([[1.0, 2.0], [3.0, 4.0]])
        for row in range(2):
            (x[row] ** 2).sum().backward()
        assert x.grad.tolist() == [[2.0, 4.0], [6.0, 8.0]]


class TestGradientOwnership:
    @pytest.mark.promise("56")
    def test_gradients_of_a_sum_alias_neither_each_other_nor_the_seed(self):
        x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])
        seed = plain([1.0, 1.0])
        (x + y).backward(seed)
        x.grad.mul_(100)
        assert y.grad.tolist() == [1.0, 1.0]
        assert seed.tolist() == [1.0, 1.0]

    @pytest.mark.promise("57")
    def test_a_retained_gradient_is_not_the_leafs(self):
        x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])
        z = x + y
        z.retain_grad()
        z.sum().backward()
        x.grad.mul_(100)
        assert z.grad.tolist() == y.grad.tolist() == [1.0, 1.0]
        assert (x.tolist(), z.tolist()) == ([1.0, 2.0], [4.0, 6.0])

    def test_every_operation_gives_the_leaf_memory_of_its_own(self):
        x = leaf([[1.0, 2.0], [3.0, 4.0]])
        seed = plain([[1.0, 2.0], [3.0, 4.0]])
        for function in (
            lambda v: v.t().t(),
            lambda v: v.reshape(4).reshape(2, 2),
            lambda v: v.clone(),
            lambda v: v.permute(0, 1),
            lambda v: v.squeeze(),
            lambda v: v.unsqueeze(0)[0],
            lambda v: v + 0.0,
            lambda v: kael.cat([v]),
            lambda v: kael.stack([v])[0],
            lambda v: v.expand(2, 2),
            lambda v: v.float().double(),
            lambda v: v[:],
        ):
            x.grad = None
            function(x).backward(seed)
            x.grad.fill_(9)
            assert seed.tolist() == [[1.0, 2.0], [3.0, 4.0]]

    @pytest.mark.promise("58")
    def test_the_gradient_of_a_sum_is_materialised(self):
        x = kael.ones(2, 3, requires_grad=True)
        x.sum().backward()
        assert x.grad.is_contiguous()
        assert x.grad.stride() == (3, 1)

    @pytest.mark.promise("59")
    @pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (2, 0, 1)])
    @pytest.mark.parametrize("passes", [1, 2])
    def test_the_gradient_lies_as_its_dense_leaf_does(self, order, passes):
        x = kael.from_numpy(np.zeros((2, 3, 4)).transpose(order)).requires_grad_()
        for _ in range(passes):
            (x * 2).sum().backward()
        assert x.grad.stride() == x.stride()
        assert np.array_equal(x.grad.numpy(), np.full(x.shape, 2.0 * passes))

    @pytest.mark.parametrize("step", [(slice(None), slice(None, None, 2)), (slice(1, 3), slice(0, 4))])
    def test_the_gradient_of_a_leaf_with_gaps_is_contiguous(self, step):
        x = kael.from_numpy(np.arange(24.0).reshape(4, 6)[step]).requires_grad_()
        weight = np.arange(float(x.numel())).reshape(x.shape)
        (x.transpose(0, 1) * kael.tensor(weight.T)).sum().backward()
        assert x.grad.is_contiguous()
        assert np.array_equal(x.grad.numpy(), weight)

    @pytest.mark.promise("55")
    def test_a_second_backward_adds_into_a_fresh_buffer(self):
        x = leaf([1.0, 2.0])
        (x * 2).sum().backward()
        first = x.grad
        (x * 3).sum().backward()
        assert first.tolist() == [2.0, 2.0]
        assert x.grad.tolist() == [5.0, 5.0]

    @pytest.mark.promise("60")
    def test_emptying_a_gradient_starts_afresh(self):
        x = leaf([1.0, 2.0])
        (x * 2).sum().backward()
        x.grad = None
        (x * 3).sum().backward()
        assert x.grad.tolist() == [3.0, 3.0]

    @pytest.mark.promise("62")
    def test_writing_a_gradient_leaves_the_version_of_its_tensor(self):
        x = leaf([1.0, 2.0])
        y = (x * x).sum()
        y.backward(retain_graph=True)
        x.grad.zero_()
        assert x.version == 0
        y.backward()
        assert x.grad.tolist() == [2.0, 4.0]

    def test_accumulate_grad_runs_at_the_leaf(self):
        x = leaf([1.0])
        node = gradient_edge(x)
        assert isinstance(node, AccumulateGrad)
        node.accumulate(plain([2.0]), False)
        node.accumulate(plain([3.0]), False)
        assert x.grad.tolist() == [5.0]


class TestSecondOrder:
    @pytest.mark.promise("S39")
    def test_create_graph_is_refused_with_the_decision_that_says_why(self):
        x = leaf(3.0)
        for call in (
            lambda: (x * x).backward(create_graph=True),
            lambda: kael.autograd.backward(x * x, create_graph=True),
            lambda: kael.autograd.grad(x * x, x, create_graph=True),
        ):
            with pytest.raises(NotImplementedError, match=r"decision 0005, define-by-run autograd graph"):
                call()
        assert x.grad is None

    @pytest.mark.promise("S39")
    def test_there_is_no_tape_and_no_static_graph_in_the_public_names(self):
        names = {name.lower() for module in (kael, kael.autograd) for name in dir(module)}
        assert not [name for name in names if "tape" in name or "session" in name or "placeholder" in name]
        assert not names & {"hessian", "jvp", "vjp", "hvp", "gradgradcheck", "compile", "graph"}

    @pytest.mark.promise("S39")
    def test_two_unrelated_losses_share_no_record(self):
        x, y = leaf(2.0), leaf(3.0)
        first, second = x * x, y * y
        first.backward()
        assert y.grad is None
        second.backward()
        assert (x.grad.item(), y.grad.item()) == (4.0, 6.0)


@pytest.mark.parametrize("dtype", [kael.float16, kael.float32, kael.float64], ids=str)
def test_contributions_to_a_number_add_up_in_an_array(dtype):
    x = kael.tensor(0.5, dtype=dtype, requires_grad=True)
    (x * x + x).backward()
    (x * 2).backward()
    assert type(x.grad.array) is np.ndarray
    assert x.grad.item() == 4.0
