"""Initialization: ranges, seeds, and writes that leave no history."""

import math

import pytest

import kael
from kael import nn


def test_linear_starts_uniform_within_one_over_the_root_of_its_inputs():
    kael.manual_seed(0)
    layer = nn.Linear(100, 200)
    for parameter in (layer.weight, layer.bias):
        values = parameter.detach().numpy()
        assert 0.095 < abs(values).max() <= 0.1
    assert abs(layer.weight.detach().numpy().mean()) < 1e-3


def test_the_seed_decides_the_weights():
    weights = []
    for seed in (0, 0, 1):
        kael.manual_seed(seed)
        weights.append(nn.Linear(3, 2).weight.tolist())
    assert weights[0] == weights[1] != weights[2]


def test_a_layer_without_inputs_is_made():
    assert nn.Linear(0, 2)(kael.zeros(3, 0)).shape == (3, 2)


@pytest.mark.parametrize(
    ("fill", "bound"),
    [
        (lambda x: nn.init.kaiming_uniform_(x, nonlinearity="relu"), math.sqrt(2) * math.sqrt(3 / 50)),
        (lambda x: nn.init.xavier_uniform_(x), math.sqrt(6 / 130)),
        (lambda x: nn.init.uniform_(x, -0.5, 0.5), 0.5),
    ],
)
def test_ranges(fill, bound):
    x = fill(kael.empty(80, 50))
    assert 0.98 * bound < abs(x.numpy()).max() <= bound * (1 + 1e-6)


def test_parameters_are_filled_in_place_without_history():
    parameter = nn.Parameter(kael.zeros(3))
    assert nn.init.normal_(parameter, 1.0, 0.1) is parameter
    assert parameter.is_leaf and parameter.version == 1
    assert nn.init.ones_(parameter).tolist() == [1, 1, 1]
    assert nn.init.constant_(parameter, 2.5).tolist() == [2.5, 2.5, 2.5]
    assert nn.init.zeros_(parameter).tolist() == [0, 0, 0]


def test_a_vector_has_no_fan():
    with pytest.raises(ValueError, match="fewer than 2 dimensions"):
        nn.init.kaiming_uniform_(kael.zeros(3))


def test_unknown_nonlinearity():
    with pytest.raises(ValueError, match="Unsupported nonlinearity swish; choose linear"):
        nn.init.calculate_gain("swish")


def test_gains_are_pytorchs():
    torch = pytest.importorskip("torch")
    for name in ("linear", "sigmoid", "tanh", "relu"):
        assert nn.init.calculate_gain(name) == pytest.approx(torch.nn.init.calculate_gain(name))
    assert nn.init.calculate_gain("leaky_relu", 0.3) == pytest.approx(torch.nn.init.calculate_gain("leaky_relu", 0.3))
