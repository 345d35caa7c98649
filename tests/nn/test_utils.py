"""Clipping, vectors of parameters, and modules in another dtype."""

import math

import numpy as np
import pytest

import kael
from kael.nn.utils import (
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
    parameters_to_vector,
    vector_to_parameters,
)


def parameters(*gradients):
    """Leaves with these gradients."""
    leaves = [kael.zeros(np.shape(gradient), requires_grad=True) for gradient in gradients]
    for leaf, gradient in zip(leaves, gradients, strict=True):
        leaf.grad = kael.tensor(gradient)
    return leaves


class TestClipGradNorm:
    @pytest.mark.parametrize("norm_type", [1, 2, 3.0, 0.5, 0, math.inf, -math.inf, "inf"])
    @pytest.mark.parametrize("max_norm", [0.5, 1, 100.0])
    def test_is_pytorchs(self, norm_type, max_norm):
        torch = pytest.importorskip("torch")
        gradients = [[[3.0, -4.0], [0.5, 1.0]], [12.0]]
        ours, theirs = parameters(*gradients), [torch.nn.Parameter(torch.zeros(np.shape(g))) for g in gradients]
        for leaf, gradient in zip(theirs, gradients, strict=True):
            leaf.grad = torch.tensor(gradient)
        total = clip_grad_norm_(ours, max_norm, norm_type, foreach=True)
        expected = torch.nn.utils.clip_grad_norm_(theirs, max_norm, norm_type)
        assert total.item() == pytest.approx(expected.item(), rel=1e-6)
        for mine, other in zip(ours, theirs, strict=True):
            assert np.allclose(mine.grad.numpy(), other.grad.numpy(), rtol=1e-5)

    def test_gives_the_norm_from_before_and_writes_in_place(self):
        (p,) = parameters([3.0, 4.0])
        gradient = p.grad
        assert clip_grad_norm_(p, 1.0).item() == 5.0
        assert p.grad is gradient
        assert np.allclose(gradient.numpy(), [0.6, 0.8])

    def test_a_small_gradient_stays(self):
        (p,) = parameters([0.3, 0.4])
        clip_grad_norm_([p], 1.0)
        assert np.allclose(p.grad.numpy(), [0.3, 0.4])

        assert p.grad.version == 0

    def test_is_in_two_steps_where_that_is_wanted(self):
        (p,) = parameters([3.0, 4.0])
        clip_grads_with_norm_(iter([p]), 1.0, get_total_norm(p.grad))
        assert np.allclose(p.grad.numpy(), [0.6, 0.8])

    def test_gradients_of_several_dtypes_have_one_norm(self):
        torch = pytest.importorskip("torch")
        found = []
        for library in (kael, torch):
            ps = [library.ones(2, dtype=dtype, requires_grad=True) for dtype in (library.float32, library.float64)]
            for p in ps:
                (p * 3).sum().backward()
            found.append((clip_grad_norm_ if library is kael else torch.nn.utils.clip_grad_norm_)(ps, 1.0))
            assert [str(p.grad.dtype).rpartition(".")[2] for p in ps] == ["float32", "float64"]
            assert np.allclose([p.grad.tolist() for p in ps], 0.5, atol=1e-6)
        assert found[0].item() == pytest.approx(found[1].item()) == pytest.approx(6.0)

    def test_parameters_without_gradients_are_passed_over(self):
        assert clip_grad_norm_([kael.ones(2, requires_grad=True)], 1.0).item() == 0.0
        assert clip_grad_norm_(iter(parameters([3.0], [4.0])), 1.0).item() == 5.0

    def test_a_norm_that_is_not_finite_can_raise(self):
        ps = parameters([math.inf], [1.0])
        with pytest.raises(RuntimeError, match="is non-finite, so it cannot be clipped"):
            clip_grad_norm_(ps, 1.0, error_if_nonfinite=True)
        assert ps[1].grad.tolist() == [1.0]
        assert clip_grad_norm_(ps, 1.0).item() == math.inf
        assert ps[1].grad.tolist() == [0.0]
        assert get_total_norm([kael.tensor([math.nan])]).item() != 0.0


def test_clip_grad_value_bounds_each_element():
    ps = parameters([3.0, -0.25], [-9.0])
    clip_grad_value_(ps, 1)
    assert [p.grad.tolist() for p in ps] == [[1.0, -0.25], [-1.0]]


def test_parameters_become_a_vector_and_come_back():
    layer = kael.nn.Linear(2, 3)
    vector = parameters_to_vector(layer.parameters())
    assert vector.shape == (9,) and vector.requires_grad
    vector_to_parameters(kael.arange(9.0), layer.parameters())
    assert layer.weight.tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
    assert layer.bias.tolist() == [6.0, 7.0, 8.0] and layer.bias.is_leaf and layer.bias.requires_grad
    for vector, text in ((kael.zeros(8), r"vec is \(8,\) but"), (kael.zeros(3, 3), r"vec is \(3, 3\) but")):
        with pytest.raises(ValueError, match=text + r" the parameters have 9 elements; it must be \(9,\)"):
            vector_to_parameters(vector, layer.parameters())
    assert layer.bias.tolist() == [6.0, 7.0, 8.0]
    with pytest.raises(TypeError, match="expected a tensor, got list"):
        vector_to_parameters([1.0], layer.parameters())


class TestModuleTo:
    def test_converts_parameters_and_gradients_in_place(self):
        layer = kael.nn.Linear(2, 1)
        weight = layer.weight
        layer(kael.ones(1, 2)).sum().backward()
        assert layer.double() is layer and layer.weight is weight
        assert weight.dtype is kael.float64 and weight.grad.dtype is kael.float64 and weight.is_leaf
        layer(kael.ones(1, 2, dtype=kael.float64)).sum().backward()
        assert weight.grad.tolist() == [[2.0, 2.0]]
        assert layer.float().bias.dtype is kael.float32
        assert layer.to("cpu").cpu().half().bias.dtype is kael.float16

    def test_integers_and_other_devices_are_refused(self):
        layer = kael.nn.Linear(2, 1)
        with pytest.raises(TypeError, match="only accepts floating point dtypes"):
            layer.to(kael.int64)
        with pytest.raises(RuntimeError, match="kael computes on the CPU"):
            layer.to("cuda")
        assert layer.weight.dtype is kael.float32


class TestNamesThatAreMissing:
    @pytest.mark.parametrize(
        ("ask", "text"),
        [
            (lambda: kael.conv_tbc, "module 'kael' has no attribute 'conv_tbc'; kael does not have all of"),
            (lambda: kael.nn.Transformer, "kael does not have nn.Transformer; it follows PyTorch's names"),
            (lambda: kael.nn.functional.grid_sample, "kael does not have nn.functional.grid_sample"),
            (lambda: kael.optim.LBFGS, "kael does not have optim.LBFGS"),
            (lambda: kael.nn.utils.weight_norm, "kael does not have nn.utils.weight_norm"),
            (lambda: kael.cuda.synchronize, "module 'kael.cuda' has no attribute 'synchronize'"),
            (lambda: kael.ones(1).svd, "has no attribute 'svd'"),
        ],
    )
    def test_are_named(self, ask, text):
        with pytest.raises(AttributeError) as failure:
            ask()
        assert text in str(failure.value)

    def test_no_graphics_card_is_there(self):
        assert not kael.cuda.is_available() and kael.cuda.device_count() == 0


def test_loading_a_state_says_what_did_not_match():
    layer = kael.nn.Linear(2, 1)
    assert repr(layer.load_state_dict(layer.state_dict())) == "<All keys matched successfully>"
    found = layer.load_state_dict({"bias": kael.ones(1), "extra": kael.ones(1)}, strict=False)
    assert found.missing_keys == ["weight"] and found.unexpected_keys == ["extra"]
