"""Cutting a tensor from its history."""

import pytest

import kael
from tests.autograd.leaves import leaf, plain


class TestAutogradDetach:
    @pytest.mark.promise("S37")
    def test_the_four_methods_exist_and_work(self):
        x = plain([1.0, 2.0])
        assert x.requires_grad_() is x
        y = x * 2
        y.retain_grad()
        z = y * 3
        z.backward(plain([1.0, 1.0]))
        assert y.grad.tolist() == [3.0, 3.0]
        assert z.detach_() is z

    @pytest.mark.promise("S37")
    @pytest.mark.promise("83")
    def test_detach_in_place_makes_a_leaf(self):
        y = leaf([1.0, 2.0]) * 2
        y.detach_()
        assert y.is_leaf
        assert y.grad_fn is None
        assert not y.requires_grad
        y.add_(1)
        assert y.tolist() == [3.0, 5.0]

    def test_detach_in_place_leaves_graphs_that_used_the_tensor(self):
        x = leaf([1.0, 2.0])
        y = x * 2
        loss = (y * y).sum()
        y.detach_()
        loss.backward()
        assert x.grad.tolist() == [8.0, 16.0]

    def test_a_leaf_that_ceased_to_require_grad_gets_nothing(self):
        for cease in (lambda x: x.detach_(), lambda x: x.requires_grad_(False)):
            x, w = leaf([1.0, 2.0]), leaf([3.0, 4.0])
            x.register_hook(lambda g: None)
            loss = (x * w).sum()
            cease(x)
            loss.backward()
            assert x.grad is None
            assert w.grad.tolist() == [1.0, 2.0]

    def test_a_retained_tensor_that_was_detached_gets_nothing(self):
        x = leaf([1.0, 2.0])
        y = x * 2
        y.retain_grad()
        loss = (y * 3).sum()
        y.detach_().requires_grad_()
        loss.backward()
        assert y.grad is None
        assert x.grad.tolist() == [6.0, 6.0]

    @pytest.mark.promise("81")
    def test_detach_shares_memory_and_version(self):
        x = leaf([1.0, 2.0])
        y = x.detach()
        assert y.data_ptr() == x.data_ptr()
        assert (y.requires_grad, y.is_leaf, y.grad_fn) == (False, True, None)
        y.add_(1)
        assert x.version == 1
        assert x.tolist() == [2.0, 3.0]

    @pytest.mark.promise("82")
    def test_detach_cuts_the_path(self):
        x = leaf(3.0)
        (x * x.detach()).backward()
        assert x.grad.item() == 3.0

    @pytest.mark.promise("15")
    def test_a_detached_tensor_can_be_a_leaf_of_its_own(self):
        x = leaf([1.0])
        y = x.detach().requires_grad_()
        (y * 5).backward()
        assert y.grad.tolist() == [5.0]
        assert x.grad is None

    @pytest.mark.promise("84")
    @pytest.mark.parametrize(
        "view",
        [lambda y: y[0:1], lambda y: y.t(), lambda y: y.reshape(4), lambda y: y.unsqueeze(0), lambda y: y.expand(2, 2)],
    )
    @pytest.mark.parametrize("requires_grad", [True, False])
    def test_a_view_cannot_be_detached_in_place(self, view, requires_grad):
        base = kael.ones(2, 2).requires_grad_(requires_grad)
        with pytest.raises(RuntimeError, match=r"^Can't detach views in-place\. Use detach\(\) instead\.$"):
            view(base).detach_()
        with pytest.raises(RuntimeError, match=r"^Can't detach views in-place\. Use detach\(\) instead\.$"):
            view(base * 2).detach_()

    def test_a_copy_can_be_detached_in_place(self):
        x = leaf([[1.0, 2.0], [3.0, 4.0]])
        for copy in (x[[0, 1]], x.t().reshape(4), x.clone(), x.float()):
            copy.detach_()
            assert copy.is_leaf


class TestRetainGrad:
    @pytest.mark.promise("S37")
    @pytest.mark.promise("42")
    @pytest.mark.parametrize("before", [True, False])
    def test_before_or_after_the_tensor_is_used(self, before):
        x = leaf(2.0)
        y = x * 3
        if before:
            y.retain_grad()
        loss = y * y
        if not before:
            y.retain_grad()
        y.retain_grad()
        loss.backward()
        assert y.retains_grad
        assert y.grad.item() == 12.0
        assert x.grad.item() == 36.0

    @pytest.mark.promise("43")
    def test_accumulates_over_two_backwards(self):
        x = leaf(2.0)
        y = x * 3
        y.retain_grad()
        loss = y * y
        loss.backward(retain_graph=True)
        assert y.grad.item() == 12.0
        loss.backward()
        assert y.grad.item() == 24.0
        assert x.grad.item() == 72.0

    @pytest.mark.promise("44")
    def test_of_a_leaf_changes_nothing(self):
        x = leaf(2.0)
        x.retain_grad()
        assert not x.retains_grad
        (x * 3).backward()
        assert x.grad.item() == 3.0

    @pytest.mark.promise("44")
    def test_of_a_plain_tensor_is_refused(self):
        with pytest.raises(RuntimeError, match=r"^can't retain_grad on Tensor that has requires_grad=False$"):
            plain(1.0).retain_grad()

    def test_does_not_keep_the_tensor_alive(self):
        x = leaf(2.0)
        y = x * 3
        y.retain_grad()
        z = y * 2
        del y
        z.backward()
        assert x.grad.item() == 6.0
