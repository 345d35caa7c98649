"""The state of one tensor: what it costs, what it holds, and who may require grad."""

import copy
import pickle
import warnings

import pytest

import kael
from kael.autograd import AutogradMeta
from tests.autograd.leaves import leaf, plain

INTEGRAL = [kael.bool, kael.uint8, kael.int8, kael.int16, kael.int32, kael.int64]


class TestAutogradMeta:
    @pytest.mark.promise("S1")
    def test_holds_the_gradient_and_the_hooks_of_a_tensor_that_takes_part(self):
        meta = leaf([1.0]).meta
        assert (meta.requires_grad, meta.grad, meta.grad_fn, meta.hooks) == (True, None, None, None)
        with pytest.raises(AttributeError):
            meta.another = 1

    @pytest.mark.promise("S1")
    def test_is_the_node_of_the_tensor(self):
        x = leaf([1.0])
        y = x * 2
        assert y.meta is y.meta.grad_fn is y.grad_fn
        assert x.meta is y.grad_fn.inputs[0] is y.grad_fn.inputs[0].edge

    @pytest.mark.promise("S2")
    @pytest.mark.promise("4")
    def test_a_tensor_that_never_takes_part_has_none(self):
        a, b = plain([1.0, 2.0]), kael.zeros(2)
        for tensor in (a, b, a + 1, a.exp(), (a * a).sum(), a[0], a.reshape(2, 1), a.detach(), kael.rand(3)):
            assert tensor.meta is None
        a.add_(1)
        assert a.meta is None
        assert a.grad is None
        assert a.meta is None

    @pytest.mark.promise("S2")
    def test_appears_when_grad_is_required_or_history_recorded(self):
        a = plain([1.0])
        a.requires_grad_()
        assert isinstance(a.meta, AutogradMeta)
        assert isinstance((a + plain([1.0])).meta, AutogradMeta)

    @pytest.mark.promise("S2")
    def test_turning_grad_off_on_a_plain_tensor_makes_none(self):
        assert plain([1.0]).requires_grad_(False).meta is None


class TestRequiresGrad:
    @pytest.mark.promise("S3")
    @pytest.mark.promise("3")
    @pytest.mark.parametrize("dtype", INTEGRAL)
    def test_only_floating_point_tensors_can_require_grad(self, dtype):
        text = f"only floating point tensors can require gradients, got dtype {dtype.name}"
        with pytest.raises(RuntimeError) as error:
            kael.zeros(2, dtype=dtype).requires_grad_()
        assert str(error.value) == text
        with pytest.raises(RuntimeError) as error:
            kael.tensor([1, 0], dtype=dtype, requires_grad=True)
        assert str(error.value) == text

    @pytest.mark.parametrize("dtype", [kael.float16, kael.float32, kael.float64])
    def test_every_floating_point_dtype_can(self, dtype):
        x = leaf([1.0, 2.0], dtype)
        (x * x).sum().backward()
        assert x.grad.dtype is dtype
        assert x.grad.tolist() == [2.0, 4.0]

    @pytest.mark.promise("1")
    def test_a_new_tensor_is_a_plain_leaf(self):
        a = plain([1.0])
        assert (a.requires_grad, a.is_leaf, a.grad, a.grad_fn) == (False, True, None, None)

    @pytest.mark.promise("2")
    @pytest.mark.promise("4")
    def test_one_input_that_requires_grad_is_enough(self):
        y = leaf([1.0]) + plain([1.0])
        assert y.requires_grad
        assert not y.is_leaf

    @pytest.mark.promise("5")
    def test_cannot_be_turned_off_on_a_non_leaf(self):
        y = leaf([1.0]) * 2
        with pytest.raises(RuntimeError, match="^you can only change requires_grad flags of leaf variables"):
            y.requires_grad_(False)
        with pytest.raises(RuntimeError, match="^you can only change requires_grad flags of leaf variables"):
            y.requires_grad = False
        assert y.requires_grad_() is y

    @pytest.mark.promise("16")
    def test_on_a_view_of_a_plain_tensor_makes_the_view_a_leaf(self):
        base = plain([1.0, 2.0])
        view = base[0:1].requires_grad_()
        (view * 3).sum().backward()
        assert view.is_leaf
        assert view.grad.tolist() == [3.0]
        assert not base.requires_grad
        assert base.grad is None

    @pytest.mark.promise("8")
    def test_comparisons_and_integer_results_have_no_history(self):
        x = leaf([1.0, 2.0])
        for result in (x > 1, x == x, x.argmax(), x.long(), x.bool(), kael.logical_not(x)):
            assert not result.requires_grad
            assert result.grad_fn is None

    @pytest.mark.promise("4")
    def test_what_is_computed_from_plain_tensors_is_a_leaf(self):
        assert (plain([1.0]) * 2).is_leaf
        assert not (leaf([1.0]) * 2).is_leaf

    @pytest.mark.promise("9")
    @pytest.mark.parametrize("name", ["floor", "ceil", "round", "sign"])
    def test_rounding_is_recorded_with_gradient_0(self, name):
        x = leaf([1.5, -0.5])
        y = getattr(x, name)()
        assert y.grad_fn is not None
        y.sum().backward()
        assert x.grad.tolist() == [0.0, 0.0]

    @pytest.mark.promise("10")
    @pytest.mark.parametrize("dtype", [kael.float32, kael.float64])
    def test_beside_integers_the_floating_operand_gets_its_gradient(self, dtype):
        x = leaf([1.5, 2.5], dtype)
        (x * kael.tensor([2, 3])).sum().backward()
        assert x.grad.tolist() == [2.0, 3.0]
        assert x.grad.dtype is dtype


class TestGrad:
    @pytest.mark.promise("S4")
    def test_is_filled_for_leaves_and_empty_for_others(self):
        x = leaf([1.0, 2.0])
        y = x * 3
        y.sum().backward()
        assert x.grad.tolist() == [3.0, 3.0]
        assert x.grad_fn is None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert y.grad is None

    @pytest.mark.promise("S4")
    def test_is_filled_for_a_non_leaf_that_retains_it(self):
        x = leaf(2.0)
        y = x * 3
        y.retain_grad()
        (y * y).backward()
        assert y.grad.item() == 12.0
        assert x.grad.item() == 36.0

    @pytest.mark.promise("7")
    def test_of_a_non_leaf_that_does_not_keep_it_warns(self):
        y = leaf(2.0) * 3
        with pytest.warns(UserWarning, match="not a leaf Tensor is being accessed"):
            assert y.grad is None

    @pytest.mark.promise("17")
    def test_stays_none_for_an_unused_leaf(self):
        x, unused = leaf(2.0), leaf(2.0)
        (x * 2).backward()
        assert unused.grad is None

    @pytest.mark.promise("6")
    def test_can_be_assigned_and_emptied(self):
        x = leaf([1.0, 2.0])
        x.grad = plain([5.0, 6.0])
        (x * 2).sum().backward()
        assert x.grad.tolist() == [7.0, 8.0]
        x.grad = None
        assert x.grad is None

    @pytest.mark.promise("6")
    def test_of_another_shape_is_refused(self):
        x = leaf([1.0, 2.0])
        with pytest.raises(RuntimeError) as error:
            x.grad = plain([1.0])
        assert str(error.value).startswith(
            "attempting to assign a gradient of size '(1,)' to a tensor of size '(2,)'. Please ensure"
        )

    def test_of_another_dtype_is_refused(self):
        x = leaf([1.0, 2.0])
        with pytest.raises(RuntimeError, match="dtype 'float32' to a tensor with dtype 'float64'"):
            x.grad = kael.tensor([1.0, 2.0])

    @pytest.mark.promise("6")
    def test_of_the_tensor_itself_is_refused(self):
        x = leaf([1.0, 2.0])
        with pytest.raises(RuntimeError, match="^can't assign Variable as its own grad$"):
            x.grad = x

    @pytest.mark.promise("6")
    def test_of_another_type_is_refused(self):
        x = leaf([1.0, 2.0])
        with pytest.raises(TypeError, match="expected to be a Tensor or None but got grad of type list"):
            x.grad = [1.0, 2.0]


class TestReadingValues:
    @pytest.mark.promise("11")
    def test_numpy_is_refused_while_grad_is_required(self):
        x = leaf([1.0])
        with pytest.raises(RuntimeError) as error:
            x.numpy()
        text = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        assert str(error.value) == text
        assert x.detach().numpy().tolist() == [1.0]

    @pytest.mark.promise("12")
    def test_numbers_can_be_read_while_grad_is_required(self):
        x = leaf(2.5)
        assert (x.item(), float(x), int(x), bool(x), x.tolist()) == (2.5, 2.5, 2, True, 2.5)

    @pytest.mark.promise("13")
    def test_the_truth_of_several_elements_is_ambiguous(self):
        with pytest.raises(RuntimeError, match="^Boolean value of Tensor with more than one value is ambiguous$"):
            bool(plain([1.0, 2.0]))
        with pytest.raises(RuntimeError, match="^Boolean value of Tensor with no values is ambiguous$"):
            bool(plain([]))

    @pytest.mark.promise("18")
    def test_repr_shows_the_part_in_differentiation(self):
        x = leaf([1.0], kael.float32)
        assert repr(x) == "tensor([1.], requires_grad=True)"
        assert repr(x * 2) == "tensor([2.], grad_fn=<MulBackward>)"
        assert repr(leaf([1.0])) == "tensor([1.], dtype=kael.float64, requires_grad=True)"


class TestCopies:
    @pytest.mark.promise("14")
    def test_deepcopy_of_a_leaf_keeps_its_gradient(self):
        x = leaf([1.0, 2.0])
        (x * 3).sum().backward()
        twin = copy.deepcopy(x)
        assert twin.requires_grad
        assert twin.grad.tolist() == [3.0, 3.0]
        with kael.no_grad():
            twin.zero_()
            twin.grad.zero_()
        assert x.tolist() == [1.0, 2.0]
        assert x.grad.tolist() == [3.0, 3.0]

    @pytest.mark.promise("14")
    def test_deepcopy_of_a_non_leaf_is_refused(self):
        with pytest.raises(RuntimeError, match=r"^Only Tensors created explicitly by the user \(graph leaves\)"):
            copy.deepcopy(leaf([1.0]) * 2)

    def test_a_leaf_can_be_pickled(self):
        x = pickle.loads(pickle.dumps(leaf([1.0, 2.0])))
        assert x.requires_grad
        assert x.dtype is kael.float64
        assert x.tolist() == [1.0, 2.0]


class TestChangesBetweenForwardAndBackward:
    def test_data_given_to_a_result_leave_its_history(self):
        x = leaf([1.0, 2.0])
        y = x * 2
        y.data = plain([7.0, 8.0])
        assert y.requires_grad
        (y * 3).sum().backward()
        assert y.tolist() == [7.0, 8.0]
        assert x.grad.tolist() == [6.0, 6.0]

    def test_a_leaf_that_is_detached_and_requires_grad_again_is_still_reached(self):
        x = leaf([1.0, 2.0])
        y = (x * 3).sum()
        x.detach_()
        assert not x.requires_grad
        x.requires_grad_()
        y.backward()
        assert x.grad.tolist() == [3.0, 3.0]

    @pytest.mark.parametrize("data", [[1.0], [1.0, 2.0, 3.0], [[1.0, 2.0]]])
    def test_a_graph_refuses_a_leaf_whose_data_have_another_shape_since(self, data):
        x = leaf([1.0, 2.0])
        losses = [(x * 2).sum(), (x * x).sum(), x[:1].sum(), (x + kael.ones(2, 2)).sum()]
        x.data = plain(data)
        for loss in losses:
            with pytest.raises(RuntimeError, match=r"a leaf was read as float64 of shape \(2,\) and given data that"):
                loss.backward()
        assert x.grad is None
        (x * 2).sum().backward()
        assert x.grad.tolist() == (kael.full_like(x, 2).tolist())

    def test_a_graph_refuses_a_leaf_whose_data_have_another_dtype_since(self):
        x = leaf([1.0, 2.0])
        loss = (x * 2).sum()
        x.data = x.data.float()
        with pytest.raises(RuntimeError, match="read as float64 .* given data that are float32 of shape"):
            loss.backward()

    def test_hooks_and_requires_grad_stay_when_data_have_another_shape(self):
        x, seen = leaf([1.0, 2.0]), []
        x.register_hook(seen.append)
        x.data = plain([1.0, 2.0, 3.0])
        (x * 2).sum().backward()
        assert seen[0].tolist() == x.grad.tolist() == [2.0, 2.0, 2.0]

    def test_a_gradient_from_before_is_not_mixed_with_one_of_another_shape(self):
        x = leaf([1.0, 2.0])
        (x * 2).sum().backward()
        x.data = plain([1.0])
        assert x.grad.tolist() == [2.0, 2.0]
        with pytest.raises(RuntimeError, match=r"its grad is from before, float64 of shape \(2,\); set .grad to None"):
            (x * 2).sum().backward()
        x.grad = None
        (x * 2).sum().backward()
        assert x.grad.tolist() == [2.0]


@pytest.mark.parametrize("arguments", [(), ([1.0, 2.0],), (2, 3)])
def test_the_class_itself_says_how_tensors_are_made(arguments):
    with pytest.raises(TypeError, match=r"make tensors with kael\.tensor\(values\)"):
        kael.Tensor(*arguments)
