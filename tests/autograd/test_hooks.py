"""Hooks on tensors: what they see, what they may replace, and in which order they run."""

import pytest

import kael
from tests.autograd.leaves import leaf, plain


class TestHooks:
    @pytest.mark.promise("46")
    def test_what_a_hook_returns_replaces_the_gradient(self):
        x = leaf(2.0)
        y = x * 3
        y.register_hook(lambda g: g * 10)
        y.backward()
        assert x.grad.item() == 30.0

    @pytest.mark.promise("47")
    def test_returning_none_keeps_it(self):
        x = leaf([1.0])
        seen = []
        x.register_hook(lambda g: seen.append(g.tolist()))
        (x * 3 + x * 4).backward()
        assert seen == [[7.0]]
        assert x.grad.tolist() == [7.0]

    @pytest.mark.promise("48")
    def test_a_handle_takes_its_hook_off(self):
        x = leaf(1.0)
        handle = x.register_hook(lambda g: g * 10)
        handle.remove()
        handle.remove()
        (x * 2).backward()
        assert x.grad.item() == 2.0

    @pytest.mark.promise("49")
    def test_several_run_in_the_order_of_registration(self):
        x = leaf(1.0)
        x.register_hook(lambda g: g * 2)
        x.register_hook(lambda g: g + 1)
        (x * 3).backward()
        assert x.grad.item() == 7.0

    @pytest.mark.promise("50")
    @pytest.mark.parametrize("retain_first", [True, False])
    def test_a_retained_gradient_is_seen_after_all_hooks(self, retain_first):
        y = leaf(1.0) * 3
        if retain_first:
            y.retain_grad()
        y.register_hook(lambda g: g * 10)
        if not retain_first:
            y.retain_grad()
        y.backward()
        assert y.grad.item() == 10.0

    @pytest.mark.promise("51")
    def test_a_plain_tensor_is_refused(self):
        with pytest.raises(RuntimeError, match="^cannot register a hook on a tensor that doesn't require gradient$"):
            plain(1.0).register_hook(lambda g: g)

    @pytest.mark.promise("51")
    def test_a_hook_that_changes_the_shape_is_named(self):
        x = leaf([1.0, 2.0])
        x.register_hook(lambda g: g.sum())
        with pytest.raises(RuntimeError, match=r"^hook '<lambda>' has changed the size of value"):
            (x * 2).sum().backward()

    def test_a_hook_that_changes_the_dtype_is_named(self):
        x = leaf([1.0, 2.0])
        x.register_hook(lambda g: g.float())
        with pytest.raises(RuntimeError, match=r"^hook '<lambda>' has changed the type of value: float64 became"):
            (x * 2).sum().backward()

    @pytest.mark.promise("51")
    def test_a_hook_that_returns_another_type_is_named(self):
        x = leaf([1.0, 2.0])
        x.register_hook(lambda g: "text")
        with pytest.raises(TypeError, match=r"'<lambda>'.* hook returned 'str'"):
            (x * 2).sum().backward()

    @pytest.mark.promise("52")
    def test_hooks_of_a_chain_run_from_the_root(self):
        x = leaf(1.0)
        y = x * 2
        z = y * 3
        order = []
        for name, tensor in (("x", x), ("y", y), ("z", z)):
            tensor.register_hook(lambda g, name=name: order.append(name))
        z.backward()
        assert order == ["z", "y", "x"]

    def test_a_hook_of_a_leaf_outlives_its_accumulator(self):
        x = leaf(1.0)
        x.register_hook(lambda g: g * 10)
        for _ in range(2):
            x.grad = None
            (x * 2).backward()
            assert x.grad.item() == 20.0

    def test_a_gradient_that_a_hook_kept_is_not_the_leafs(self):
        x = leaf([1.0, 2.0])
        kept = []
        x.register_hook(kept.append)
        (x * 3).sum().backward()
        x.grad.zero_()
        assert kept[0].tolist() == [3.0, 3.0]

    def test_an_exception_inside_a_hook_passes_through(self):
        x = leaf(1.0)

        def hook(g):
            raise LookupError("inside")

        x.register_hook(hook)
        with pytest.raises(LookupError, match="inside"):
            (x * 2).backward()
        assert kael.is_grad_enabled()


class TestPostAccumulateHooks:
    @pytest.mark.promise("53")
    def test_see_the_complete_gradient(self):
        x, seen = leaf([3.0]), []
        x.register_post_accumulate_grad_hook(lambda p: seen.append((p is x, p.grad.item())))
        (x * 3 + x).backward()
        (x * 2).backward()
        assert seen == [(True, 4.0), (True, 6.0)]

    def test_run_after_the_hooks_that_change_the_gradient(self):
        x, seen = leaf([3.0]), []
        x.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.item()))
        x.register_hook(lambda g: g * 10)
        (x * 2).backward()
        assert seen == [20.0]

    def test_can_step_and_free_the_gradient(self):
        x = leaf([3.0])

        def step(p):
            with kael.no_grad():
                p -= 0.5 * p.grad
            p.grad = None

        x.register_post_accumulate_grad_hook(step)
        (x * 2).backward()
        assert x.tolist() == [2.0] and x.grad is None

    def test_a_handle_takes_one_off(self):
        x = leaf([3.0])
        x.register_post_accumulate_grad_hook(lambda p: p.grad.zero_()).remove()
        (x * 2).backward()
        assert x.grad.tolist() == [2.0]

    def test_outlive_the_accumulator_and_run_for_chosen_inputs(self):
        x, y, seen = leaf([3.0]), leaf([1.0]), []
        for p in (x, y):
            p.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.item()))
        (x * y).backward(inputs=[y])
        assert seen == [3.0]
        kael.autograd.grad(x * 2, x)
        assert seen == [3.0]

    def test_must_return_nothing(self):
        x = leaf([3.0])
        x.register_post_accumulate_grad_hook(lambda p: p.grad)
        with pytest.raises(RuntimeError, match="post accumulate grad hooks should return None"):
            (x * 2).backward()

    @pytest.mark.promise("53")
    def test_are_for_leaves_that_require_grad(self):
        with pytest.raises(RuntimeError, match="cannot be registered on non-leaf tensors"):
            (leaf([1.0]) * 2).register_post_accumulate_grad_hook(print)
        with pytest.raises(RuntimeError, match="doesn't require gradient"):
            plain([1.0]).register_post_accumulate_grad_hook(print)


def test_a_handle_is_a_context():
    x = leaf([3.0])
    with x.register_hook(lambda g: g * 10):
        (x * 3).backward()
    (x * 3).backward()
    assert x.grad.tolist() == [33.0]
