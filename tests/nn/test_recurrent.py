"""Recurrent layers and cells: equal to PyTorch's, given its state dict, and clear about wrong shapes."""

import numpy
import pytest

import kael

OPTIONS = [
    {},
    {"num_layers": 2, "bidirectional": True},
    {"num_layers": 2, "batch_first": True, "bias": False},
]


def flat(results):
    """The tensors of nested tuples, in order."""
    return [part for result in results for part in flat(result)] if isinstance(results, tuple) else [results]


def beside_torch(name, arguments, options, inputs, states):
    """Compare results and all gradients of a layer and of PyTorch's with the same state dict."""
    torch = pytest.importorskip("torch")
    theirs = getattr(torch.nn, name)(*arguments, dtype=torch.float64, **options)
    ours = getattr(kael.nn, name)(*arguments, dtype=kael.float64, **options)
    assert [key for key, _ in ours.named_parameters()] == [key for key, _ in theirs.named_parameters()]
    ours.load_state_dict({key: kael.tensor(value.numpy()) for key, value in theirs.state_dict().items()})
    theirs.load_state_dict({key: torch.tensor(value.numpy()) for key, value in ours.state_dict().items()})
    a = [kael.tensor(array).requires_grad_() for array in (inputs, *states)]
    b = [torch.tensor(array).requires_grad_() for array in (inputs, *states)]
    got, expected = [
        flat(layer(leaves[0], *([tuple(leaves[1:]) if len(states) == 2 else leaves[1]] if states else [])))
        for layer, leaves in ((ours, a), (theirs, b))
    ]
    sum((part * part).sum() for part in got).backward()
    sum((part * part).sum() for part in expected).backward()
    pairs = [*zip(got, expected, strict=True)]
    pairs += [(x.grad, y.grad) for x, y in zip([*a, *ours.parameters()], [*b, *theirs.parameters()], strict=True)]
    for x, y in pairs:
        numpy.testing.assert_allclose(x.detach().numpy(), y.detach().numpy(), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("shape", [(5, 3), (5, 4, 3)])
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
def test_a_layer_equals_pytorchs(name, options, shape, given):
    generator = numpy.random.default_rng(0)
    batch = shape[1:-1] if not options.get("batch_first") else shape[:-2]
    count = options.get("num_layers", 1) * (1 + options.get("bidirectional", False))
    states = [generator.normal(size=(count, *batch, 6)) for _ in range((2 if name == "LSTM" else 1) * given)]
    beside_torch(name, (3, 6), options, generator.normal(size=shape), states)


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("shape", [(3,), (4, 3)])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("name", ["RNNCell", "LSTMCell", "GRUCell"])
def test_a_cell_equals_pytorchs(name, bias, shape, given):
    generator = numpy.random.default_rng(0)
    states = [generator.normal(size=(*shape[:-1], 6)) for _ in range((2 if name == "LSTMCell" else 1) * given)]
    beside_torch(name, (3, 6), {"bias": bias}, generator.normal(size=shape), states)


def test_relu_stands_in_the_place_of_tanh():
    inputs = numpy.random.default_rng(0).normal(size=(5, 2, 3))
    beside_torch("RNN", (3, 6), {"nonlinearity": "relu"}, inputs, [])


def test_a_layer_walks_as_its_cell_does():
    layer, cell = kael.nn.LSTM(3, 4), kael.nn.LSTMCell(3, 4)
    cell.load_state_dict({key.removesuffix("_l0"): value for key, value in layer.state_dict().items()})
    x, state = kael.randn(5, 2, 3), None
    output, (h, _) = layer(x)
    for step, expected in zip(x, output, strict=True):
        state = cell(step, state)
        numpy.testing.assert_allclose(state[0].tolist(), expected.tolist(), rtol=1e-5, atol=1e-6)
    assert h[0].tolist() == output[-1].tolist()


def test_dropout_between_layers_is_for_training_alone():
    layer, x = kael.nn.GRU(3, 4, num_layers=2, dropout=0.5), kael.randn(5, 2, 3)
    assert layer(x)[0].tolist() != layer(x)[0].tolist()
    layer.eval()
    assert layer(x)[0].tolist() == layer(x)[0].tolist()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: kael.nn.RNN(3, 4)(kael.zeros(5, 2, 7)), "Expected 3, got 7"),
        (lambda: kael.nn.RNN(3, 4)(kael.zeros(5, 2, 3), kael.zeros(1, 2, 5)), r"\(1, 2, 5\) but \(1, 2, 4\)"),
        (lambda: kael.nn.RNN(3, 4)(kael.zeros(3)), "2D or 3D, got 1D"),
        (lambda: kael.nn.RNN(3, 4)(kael.zeros(0, 2, 3)), "sequence length to be larger than 0"),
        (lambda: kael.nn.GRUCell(3, 4)(kael.zeros(2, 3), kael.zeros(2, 5)), r"\(2, 5\) but \(2, 4\)"),
        (lambda: kael.nn.GRUCell(3, 4)(kael.zeros(2, 7)), "7 numbers but input_size is 3"),
        (lambda: kael.nn.LSTM(3, 4, proj_size=2), "put a Linear layer after"),
        (lambda: kael.nn.RNN(3, 4, nonlinearity="sin"), "Unknown nonlinearity 'sin'"),
        (lambda: kael.nn.RNN(3, 0), "hidden_size must be greater than zero, got 0"),
    ],
)
def test_what_does_not_fit_is_refused(call, text):
    with pytest.raises((RuntimeError, ValueError, NotImplementedError), match=text):
        call()
