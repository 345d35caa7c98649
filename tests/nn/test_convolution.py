"""Layers of convolutions, pools and sizes: shapes and start, and beside PyTorch what they print, hold and compute."""

import math

import numpy as np
import pytest

import kael
from kael import nn

LAYERS = {
    "Conv1d": (lambda n: n.Conv1d(4, 6, 3, 2, 1, 2, 2, bias=False), (2, 4, 9)),
    "Conv1d same": (lambda n: n.Conv1d(2, 3, 4, padding="same", padding_mode="circular"), (2, 2, 9)),
    "Conv2d": (lambda n: n.Conv2d(3, 4, 3), (2, 3, 5, 6)),
    "Conv2d pairs": (lambda n: n.Conv2d(3, 4, (3, 2), (2, 1), (1, 0), (1, 2)), (2, 3, 5, 6)),
    "Conv2d reflects": (lambda n: n.Conv2d(3, 4, 3, padding=(1, 2), padding_mode="reflect"), (2, 3, 5, 6)),
    "Conv2d valid": (lambda n: n.Conv2d(3, 3, 3, padding="valid", padding_mode="replicate", groups=3), (2, 3, 5, 6)),
    "Conv2d alone": (lambda n: n.Conv2d(3, 4, 3), (3, 5, 6)),
    "ConvTranspose1d": (lambda n: n.ConvTranspose1d(4, 6, 3, 2, 1, 1, 2), (2, 4, 5)),
    "ConvTranspose2d": (lambda n: n.ConvTranspose2d(4, 2, 3, 2, dilation=2, bias=False), (2, 4, 3, 3)),
    "MaxPool1d": (lambda n: n.MaxPool1d(3, 2, 1, ceil_mode=True), (2, 3, 8)),
    "MaxPool2d": (lambda n: n.MaxPool2d((2, 3), dilation=2), (2, 3, 8, 8)),
    "AvgPool1d": (lambda n: n.AvgPool1d(3, padding=1, count_include_pad=False), (2, 3, 8)),
    "AvgPool2d": (lambda n: n.AvgPool2d(2, 1, divisor_override=3), (2, 3, 8, 8)),
    "AdaptiveAvgPool1d": (lambda n: n.AdaptiveAvgPool1d(3), (2, 3, 8)),
    "AdaptiveAvgPool2d": (lambda n: n.AdaptiveAvgPool2d((None, 3)), (2, 3, 8, 8)),
    "AdaptiveMaxPool1d": (lambda n: n.AdaptiveMaxPool1d(3), (2, 3, 8)),
    "AdaptiveMaxPool2d": (lambda n: n.AdaptiveMaxPool2d((2, 3)), (2, 3, 8, 8)),
    "ZeroPad1d": (lambda n: n.ZeroPad1d(2), (2, 3, 4)),
    "ZeroPad2d": (lambda n: n.ZeroPad2d((1, 2, 0, -1)), (2, 3, 4, 4)),
    "Upsample": (lambda n: n.Upsample(scale_factor=2, mode="bilinear", align_corners=True), (2, 3, 4, 4)),
    "Upsample to a size": (lambda n: n.Upsample((5, 3)), (2, 3, 4, 4)),
    "Upsample by two factors": (lambda n: n.Upsample(scale_factor=(2, 3)), (2, 3, 4, 4)),
    "Flatten": (lambda n: n.Flatten(), (2, 3, 4)),
    "Unflatten": (lambda n: n.Unflatten(1, (2, -1)), (2, 6, 4)),
    "Unfold": (lambda n: n.Unfold(2, stride=2), (2, 3, 4, 4)),
    "Fold": (lambda n: n.Fold((4, 4), 2, stride=2), (2, 12, 4)),
    "PixelShuffle": (lambda n: n.PixelShuffle(2), (2, 8, 3, 3)),
    "PixelUnshuffle": (lambda n: n.PixelUnshuffle(2), (2, 3, 4, 4)),
}


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_layer_prints_holds_and_computes_what_pytorch_does(name):
    torch = pytest.importorskip("torch")
    make, shape = LAYERS[name]
    ours, theirs = make(nn), make(torch.nn)
    assert repr(ours) == repr(theirs)
    state = ours.state_dict()
    assert [(key, tuple(value.shape)) for key, value in state.items()] == [
        (key, tuple(value.shape)) for key, value in theirs.state_dict().items()
    ]
    theirs.load_state_dict({key: torch.from_numpy(value.numpy().copy()) for key, value in state.items()})
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    expected = theirs(torch.from_numpy(x)).detach().numpy()
    np.testing.assert_allclose(ours(kael.from_numpy(x)).detach().numpy(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("layer", "fan_in"),
    [
        (lambda: nn.Conv2d(32, 64, 3, groups=2), 16 * 9),
        (lambda: nn.Conv1d(50, 64, 4), 200),
        (lambda: nn.ConvTranspose2d(64, 32, 3, groups=2), 16 * 9),
    ],
)
def test_weights_and_bias_start_uniform_within_one_over_the_root_of_the_inputs(layer, fan_in):
    kael.manual_seed(0)
    made = layer()
    bound = 1 / math.sqrt(fan_in)
    for parameter in (made.weight, made.bias):
        assert 0.8 * bound < abs(parameter.detach().numpy()).max() <= bound * (1 + 1e-6)


def test_the_size_of_a_transposed_convolution_can_be_asked_for():
    layer = nn.ConvTranspose2d(1, 1, 3, stride=2, padding=1)
    x = kael.zeros(1, 1, 4, 4)
    assert layer(x).shape == (1, 1, 7, 7)
    assert layer(x, output_size=(8, 7)).shape == (1, 1, 8, 7)
    with pytest.raises(ValueError, match=r"requested an output size of \[9, 7\], but valid sizes range from \[7, 7\]"):
        layer(x, output_size=(9, 7))


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda n: n.Conv2d(3, 4, 3, groups=0), "groups must be a positive integer"),
        (lambda n: n.Conv2d(3, 4, 3, groups=2), "in_channels must be divisible by groups"),
        (lambda n: n.Conv2d(4, 3, 3, groups=2), "out_channels must be divisible by groups"),
        (lambda n: n.Conv2d(4, 4, 3, padding="full"), "Invalid padding string 'full', should be one of "),
        (lambda n: n.Conv2d(4, 4, 3, 2, "same"), "padding='same' is not supported for strided convolutions"),
        (lambda n: n.Conv2d(4, 4, 3, padding_mode="edge"), "padding_mode must be one of "),
        (
            lambda n: n.ConvTranspose2d(4, 4, 3, padding_mode="reflect"),
            'Only "zeros" padding mode is supported for ConvTranspose2d',
        ),
    ],
)
def test_impossible_layers_are_refused_in_pytorchs_words(make, text):
    torch = pytest.importorskip("torch")
    for library in (nn, torch.nn):
        with pytest.raises(ValueError) as error:
            make(library)
        assert str(error.value).startswith(text)


def test_a_small_network_learns_to_tell_lines():
    kael.manual_seed(1)
    x = kael.zeros(16, 1, 8, 8)
    for k in range(8):
        x[k, 0, k] = 1.0
        x[8 + k, 0, :, k] = 1.0
    target = kael.tensor([0] * 8 + [1] * 8)
    model = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 4, 3), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2),
    )  # fmt: skip
    optimizer = kael.optim.SGD(model.parameters(), lr=0.5)
    for _ in range(150):
        loss = nn.functional.cross_entropy(model(x), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.05
