"""`kael.autograd.grad`, and `backward` with chosen inputs."""

import pytest

import kael
from kael.autograd import grad
from tests.autograd.leaves import leaf, plain


class TestGradFunction:
    @pytest.mark.promise("29")
    def test_gives_a_tuple_and_leaves_grad_alone(self):
        x = leaf(3.0)
        result = grad(x * x, x)
        assert isinstance(result, tuple)
        assert result[0].item() == 6.0
        assert x.grad is None

    @pytest.mark.promise("31")
    def test_with_respect_to_a_non_leaf(self):
        x = leaf(3.0)
        y = x * 2
        assert grad(y * y, y)[0].item() == 12.0

    def test_with_respect_to_several(self):
        x, y = leaf(2.0), leaf(5.0)
        dx, dy = grad(x * y + x, [x, y])
        assert (dx.item(), dy.item()) == (6.0, 2.0)

    def test_with_gradients_of_the_outputs(self):
        x = leaf([1.0, 2.0])
        (g,) = grad([x * 2, x * 3], x, [plain([1.0, 1.0]), plain([0.0, 10.0])])
        assert g.tolist() == [2.0, 32.0]

    @pytest.mark.promise("30")
    def test_an_unused_input_is_refused_with_its_number(self):
        x, unused = leaf(3.0), leaf(1.0)
        with pytest.raises(RuntimeError) as error:
            grad(x * x, [x, unused])
        assert str(error.value).startswith("The differentiated Tensor at index 1 appears to not have been used")
        assert "allow_unused=True" in str(error.value)

    @pytest.mark.promise("30")
    def test_allow_unused_gives_none(self):
        x, unused = leaf(3.0), leaf(1.0)
        assert grad(x * x, [x, unused], allow_unused=True)[1] is None

    @pytest.mark.promise("30")
    def test_materialize_grads_gives_zeros(self):
        x, unused = leaf(3.0), leaf([1.0, 2.0])
        assert grad(x * x, [x, unused], materialize_grads=True)[1].tolist() == [0.0, 0.0]
        with pytest.raises(
            ValueError, match="Expected allow_unused to be True or not passed when materialize_grads=True"
        ):
            grad(x * x, [x, unused], materialize_grads=True, allow_unused=False)

    @pytest.mark.promise("32")
    def test_a_plain_input_is_refused(self):
        x = leaf(3.0)
        with pytest.raises(RuntimeError, match="^One of the differentiated Tensors does not require grad$"):
            grad(x * x, [plain(1.0)])

    @pytest.mark.promise("33")
    def test_no_inputs_are_refused(self):
        x = leaf(3.0)
        with pytest.raises(RuntimeError, match=r"^`inputs` argument to `grad\(\)` cannot be empty\.$"):
            grad(x * x, [])

    def test_no_outputs_are_refused(self):
        with pytest.raises(RuntimeError, match="there are no tensors to differentiate"):
            grad([], leaf(3.0))

    @pytest.mark.promise("28")
    def test_numbers_of_tensors_and_gradients_must_agree(self):
        x = leaf(1.0)
        with pytest.raises(RuntimeError, match="^got 2 tensors and 1 gradients$"):
            kael.autograd.backward([x * 2, x * 3], [plain(1.0)])

    @pytest.mark.promise("40")
    def test_does_not_free_the_nodes_below_its_inputs(self):
        x = leaf(2.0)
        h = x.exp()
        loss = (h * h).sum()
        assert grad(loss, h)[0].item() == pytest.approx(2 * h.item())
        h.backward()
        assert x.grad.item() == pytest.approx(h.item())

    def test_the_output_itself(self):
        y = leaf(2.0) * 3
        assert grad(y, y)[0].item() == 1.0

    def test_two_inputs_on_one_path(self):
        x = leaf(2.0)
        y = x * 3
        z = y * y
        dx, dy = grad(z, [x, y])
        assert (dx.item(), dy.item()) == (36.0, 12.0)

    def test_hooks_replace_what_is_returned(self):
        x = leaf(2.0)
        x.register_hook(lambda g: g * 10)
        assert grad(x * x, x)[0].item() == 40.0


class TestBackwardInputs:
    @pytest.mark.promise("34")
    def test_fill_only_what_was_asked_for(self):
        a, b = leaf(2.0), leaf(3.0)
        (a * b).backward(inputs=[a])
        assert a.grad.item() == 3.0
        assert b.grad is None

    @pytest.mark.promise("34")
    def test_fill_a_non_leaf_too(self):
        x = leaf(2.0)
        y = x * 3
        y.retain_grad()
        (y * y).backward(inputs=[y])
        assert y.grad.item() == 12.0
        assert x.grad is None

    def test_add_to_what_is_there(self):
        a = leaf(2.0)
        a.grad = plain(1.0)
        (a * 3).backward(inputs=a)
        assert a.grad.item() == 4.0

    def test_must_not_be_empty(self):
        with pytest.raises(RuntimeError, match=r"^`inputs` argument to `backward\(\)` cannot be empty\.$"):
            (leaf(1.0) * 2).backward(inputs=[])


def test_gradients_that_nobody_else_holds_are_not_copied():
    x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    seed = kael.tensor([1.0, 1.0], dtype=kael.float64)
    product = x * y
    to_x, to_y, to_product = kael.autograd.grad(product, (x, y, product), seed, retain_graph=True)
    assert (to_x.tolist(), to_y.tolist(), to_product.tolist()) == ([3.0, 4.0], [1.0, 2.0], [1.0, 1.0])
    with kael.no_grad():
        to_product.mul_(7)
    assert seed.tolist() == [1.0, 1.0]


def test_one_input_asked_for_twice_gets_two_gradients():
    x = leaf([1.0, 2.0])
    first, second = kael.autograd.grad((x * x).sum(), (x, x))
    with kael.no_grad():
        first.zero_()
    assert second.tolist() == [2.0, 4.0]


def test_an_input_on_the_way_keeps_its_gradient_while_the_pass_goes_on():
    x = leaf([1.0, 2.0])
    y = x + 0
    to_y, to_x = kael.autograd.grad((y * y).sum() + y.sum() + x.sum(), (y, x))
    assert to_y.tolist() == [3.0, 5.0]
    assert to_x.tolist() == [4.0, 6.0]


@pytest.mark.parametrize("call", [kael.autograd.backward, lambda roots: kael.autograd.grad(roots, leaf([1.0]))])
def test_roots_are_tensors(call):
    with pytest.raises(TypeError, match="element 1 of tensors is int; pass tensors"):
        call([leaf([1.0]).sum(), 3])
