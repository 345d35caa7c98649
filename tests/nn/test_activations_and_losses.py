"""The activations, dropout and losses as modules: PyTorch's names, arguments, reprs and values."""

import inspect

import numpy as np
import pytest

import kael
from kael import nn

ACTIVATIONS = [
    (nn.ReLU, {}), (nn.ReLU, {"inplace": True}), (nn.LeakyReLU, {"negative_slope": 0.2}), (nn.GELU, {}),
    (nn.GELU, {"approximate": "tanh"}), (nn.SiLU, {}), (nn.Softplus, {"beta": 2.0}), (nn.ELU, {"alpha": 0.5}),
    (nn.CELU, {"alpha": 0.5}), (nn.SELU, {}), (nn.Hardtanh, {"min_val": -0.5}), (nn.ReLU6, {}), (nn.Mish, {}),
    (nn.Hardswish, {}), (nn.Hardsigmoid, {}), (nn.LogSigmoid, {}), (nn.PReLU, {"num_parameters": 4}),
    (nn.GLU, {"dim": 1}), (nn.Softsign, {}), (nn.Softmax, {"dim": 1}), (nn.LogSoftmax, {"dim": 1}), (nn.Tanh, {}),
    (nn.Sigmoid, {}), (nn.LeakyReLU, {"inplace": True}), (nn.Hardtanh, {"inplace": True}), (nn.Dropout, {"p": 1.0}),
    (nn.Dropout, {"p": 0.0, "inplace": True}),
]  # fmt: skip
LOSSES = [
    (nn.MSELoss, {}), (nn.L1Loss, {"reduction": "sum"}), (nn.SmoothL1Loss, {"beta": 0.5}),
    (nn.HuberLoss, {"delta": 0.5}), (nn.KLDivLoss, {"reduction": "batchmean"}), (nn.BCELoss, {}),
    (nn.BCEWithLogitsLoss, {"reduction": "none"}), (nn.CosineSimilarity, {}),
]  # fmt: skip
CLASSES = [
    (nn.NLLLoss, {"ignore_index": 1}),
    (nn.CrossEntropyLoss, {"label_smoothing": 0.1}),
    (nn.CrossEntropyLoss, {}),
]


def twin(module, options):
    torch = pytest.importorskip("torch")
    return torch, getattr(torch.nn, module.__name__)(**options)


@pytest.mark.parametrize(("module", "options"), [*ACTIVATIONS, *LOSSES, *CLASSES])
def test_arguments_and_repr(module, options):
    _, other = twin(module, options)
    assert repr(module(**options)) == repr(other)
    theirs = [
        (p.name, p.default)
        for p in inspect.signature(type(other)).parameters.values()
        if p.name not in ("device", "min_value", "max_value", "args", "kwargs")
    ]
    assert [(p.name, p.default) for p in inspect.signature(module).parameters.values()] == theirs


@pytest.mark.parametrize(("module", "options"), ACTIVATIONS)
def test_values_of_activations(module, options):
    torch, other = twin(module, options)
    x = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32) * 3
    ours, theirs = module(**options)(kael.tensor(x)), other(torch.tensor(x))
    np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("module", "options"), LOSSES)
def test_values_of_losses(module, options):
    torch, other = twin(module, options)
    x, y = np.random.default_rng(0).uniform(0.1, 0.9, (2, 3, 4)).astype(np.float32)
    ours, theirs = module(**options)(kael.tensor(x), kael.tensor(y)), other(torch.tensor(x), torch.tensor(y))
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-5)


@pytest.mark.parametrize(("module", "options"), CLASSES)
def test_values_of_losses_of_classes(module, options):
    torch, other = twin(module, options)
    x = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)
    ours, theirs = (
        module(**options)(kael.tensor(x), kael.tensor([1, 0, 3])),
        other(torch.tensor(x), torch.tensor([1, 0, 3])),
    )
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-5)


def test_weights_of_a_loss_are_its_state():
    assert list(nn.CrossEntropyLoss(kael.ones(3)).state_dict()) == ["weight"]
    assert list(nn.BCEWithLogitsLoss(pos_weight=kael.ones(3)).state_dict()) == ["pos_weight"]
    assert list(nn.MSELoss().parameters()) == []


def test_prelu_learns_its_slopes():
    layer = nn.PReLU(2)
    layer(kael.tensor([[-1.0, 1.0], [-2.0, -3.0]])).sum().backward()
    assert layer.weight.grad.tolist() == [-3.0, -3.0]


@pytest.mark.promise("170")
def test_dropout_is_the_identity_in_evaluation():
    x = kael.ones(8)
    assert nn.Dropout(0.9).eval()(x) is x
    assert nn.Dropout(0.0)(x) is x


@pytest.mark.promise("S33")
def test_an_activation_in_place_follows_the_rules_of_in_place_operations():
    x = kael.tensor([-1.0, 2.0])
    assert nn.ReLU(inplace=True)(x) is x
    assert x.tolist() == [0.0, 2.0]
    assert x._version == 1
    y = kael.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="silu_ is not supported on a tensor with gradient history"):
        nn.SiLU(inplace=True)(y)


@pytest.mark.promise("170")
@pytest.mark.parametrize("p", [0.25, 0.5, 0.9])
def test_dropout_gives_the_gradient_the_mask_of_the_value(p):
    kael.manual_seed(0)
    x = kael.ones(100_000, requires_grad=True)
    y = kael.nn.functional.dropout(x, p)
    y.sum().backward()
    assert x.grad.tolist() == y.tolist()
    assert set(y.tolist()) == {0.0, np.float32(1 / (1 - p)).item()}
    assert y.mean().item() == pytest.approx(1.0, abs=0.03)


def test_dropout_draws_from_the_generator_of_kael():
    kael.manual_seed(7)
    first = kael.nn.functional.dropout(kael.ones(50))
    second = kael.nn.functional.dropout(kael.ones(50))
    kael.manual_seed(7)
    assert kael.nn.functional.dropout(kael.ones(50)).tolist() == first.tolist() != second.tolist()


@pytest.mark.parametrize("p", [-0.1, 1.5])
def test_dropout_refuses_what_is_no_probability(p):
    text = f"dropout probability has to be between 0 and 1, but got {p}"
    with pytest.raises(ValueError, match=text):
        nn.Dropout(p)
    with pytest.raises(ValueError, match=text):
        kael.nn.functional.dropout(kael.ones(2), p)


@pytest.mark.promise("170")
def test_dropout_of_everything_keeps_nan_of_infinity():
    x = kael.tensor([1.0, float("inf")], requires_grad=True)
    y = kael.nn.functional.dropout(x, 1.0)
    y.sum().backward()
    assert y[0].item() == 0.0
    assert np.isnan(y[1].item())
    assert x.grad.tolist() == [0.0, 0.0]
