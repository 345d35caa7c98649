"""Normalizing layers and embeddings beside PyTorch's: names, repr, initial values, and what they compute."""

from __future__ import annotations

import numpy as np
import pytest

import kael

torch = pytest.importorskip("torch")

LAYERS = {
    "LayerNorm": (lambda nn: nn.LayerNorm(3), (2, 3)),
    "LayerNorm of two axes": (lambda nn: nn.LayerNorm((2, 3), eps=0.1, elementwise_affine=False), (4, 2, 3)),
    "LayerNorm without bias": (lambda nn: nn.LayerNorm([3], bias=False), (2, 3)),
    "RMSNorm": (lambda nn: nn.RMSNorm(3), (2, 3)),
    "RMSNorm alone": (lambda nn: nn.RMSNorm((2, 3), eps=0.1, elementwise_affine=False), (2, 3)),
    "GroupNorm": (lambda nn: nn.GroupNorm(2, 4), (2, 4, 3)),
    "GroupNorm alone": (lambda nn: nn.GroupNorm(2, 4, affine=False), (2, 4)),
    "GroupNorm without bias": (lambda nn: nn.GroupNorm(2, 4, bias=False), (2, 4)),
    "BatchNorm1d": (lambda nn: nn.BatchNorm1d(3), (4, 3)),
    "BatchNorm1d of sequences": (lambda nn: nn.BatchNorm1d(3, momentum=None), (4, 3, 2)),
    "BatchNorm2d": (lambda nn: nn.BatchNorm2d(3, momentum=0.5), (2, 3, 2, 2)),
    "BatchNorm2d alone": (lambda nn: nn.BatchNorm2d(3, affine=False, track_running_stats=False), (2, 3, 2, 2)),
    "BatchNorm3d": (lambda nn: nn.BatchNorm3d(3), (2, 3, 2, 1, 2)),
}


@pytest.fixture(params=LAYERS)
def pair(request):
    """The layer in both libraries, and the shape of its input."""
    make, shape = LAYERS[request.param]
    return make(kael.nn), make(torch.nn), shape


def state(layer):
    """Names, dtypes and values of a state."""
    return {
        name: (str(tensor.dtype).rpartition(".")[2], tensor.tolist()) for name, tensor in layer.state_dict().items()
    }


def test_the_initial_state_has_pytorchs_names_and_values(pair):
    ours, theirs, _ = pair
    assert state(ours) == state(theirs)


def test_the_repr_is_pytorchs(pair):
    ours, theirs, _ = pair
    assert repr(ours) == repr(theirs)


def test_training_and_evaluation_give_pytorchs_values_gradients_and_statistics(pair):
    ours, theirs, shape = pair
    generator = np.random.default_rng(0)
    for training in (True, True, False):
        x, g = generator.standard_normal((2, *shape)).astype(np.float32)
        results = []
        for k, layer in ((kael, ours), (torch, theirs)):
            layer.train(training)
            operand = k.from_numpy(x.copy()).requires_grad_()
            y = layer(operand)
            y.backward(k.from_numpy(g))
            results.append([y.detach().numpy(), operand.grad.numpy(), *[p.grad.numpy() for p in layer.parameters()]])
        for mine, other in zip(*results, strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-4, atol=1e-5)
        for name, tensor in ours.state_dict().items():
            np.testing.assert_allclose(tensor.numpy(), theirs.state_dict()[name].numpy(), rtol=1e-5, atol=1e-6)


def test_a_state_goes_from_pytorch_to_kael(pair):
    ours, theirs, shape = pair
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.uniform_(0.5, 1.5)
    ours.load_state_dict({name: kael.from_numpy(tensor.numpy()) for name, tensor in theirs.state_dict().items()})
    x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    mine, other = ours(kael.tensor(x)).detach().numpy(), theirs(torch.tensor(x)).detach().numpy()
    np.testing.assert_allclose(mine, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("layer", "shape"), [("BatchNorm1d", (3,)), ("BatchNorm2d", (2, 3)), ("BatchNorm3d", (2, 3))])
def test_other_numbers_of_axes_are_refused_in_pytorchs_words(layer, shape):
    texts = []
    for k in (kael, torch):
        with pytest.raises(ValueError, match="expected .* input") as caught:
            getattr(k.nn, layer)(3)(k.ones(*shape))
        texts.append(str(caught.value))
    assert texts[0] == texts[1]


def test_channels_that_do_not_divide_are_refused_when_the_layer_is_made():
    with pytest.raises(ValueError, match=r"num_channels \(3\) must be divisible by num_groups \(2\)"):
        kael.nn.GroupNorm(2, 3)


class TestEmbedding:
    @pytest.mark.parametrize("options", [{}, {"padding_idx": 0}, {"padding_idx": -1}])
    def test_names_and_repr_are_pytorchs(self, options):
        ours, theirs = kael.nn.Embedding(4, 3, **options), torch.nn.Embedding(4, 3, **options)
        assert repr(ours) == repr(theirs)
        assert {name: tensor.shape for name, tensor in ours.state_dict().items()} == {"weight": (4, 3)}

    def test_the_table_is_standard_normal_but_for_the_padding(self):
        kael.manual_seed(0)
        table = kael.nn.Embedding(200, 50, padding_idx=3).weight.detach().numpy()
        assert not table[3].any()
        assert abs(table.mean()) < 0.03
        assert abs(table.std() - 1) < 0.03

    def test_the_padding_row_gets_no_gradient(self):
        layer = kael.nn.Embedding(3, 2, padding_idx=1)
        layer(kael.tensor([0, 1, 1, 2, 2])).sum().backward()
        assert layer.weight.grad.tolist() == [[1.0, 1.0], [0.0, 0.0], [2.0, 2.0]]

    def test_a_given_table_is_frozen_unless_asked(self):
        table = kael.tensor([[1.0, 2.0], [3.0, 4.0]])
        assert not kael.nn.Embedding.from_pretrained(table).weight.requires_grad
        layer = kael.nn.Embedding.from_pretrained(table, freeze=False)
        assert layer.weight.requires_grad
        assert layer(kael.tensor(1)).tolist() == [3.0, 4.0]

    def test_padding_outside_the_table_is_refused(self):
        with pytest.raises(AssertionError, match="Padding_idx must be within num_embeddings"):
            kael.nn.Embedding(3, 2, padding_idx=4)
