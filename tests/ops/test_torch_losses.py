"""Activations and losses beside PyTorch: kinks, numbers far out, ignored rows, dtypes, warnings, what is refused."""

from __future__ import annotations

import inspect
import math
import warnings
from typing import Any

import pytest

import kael

torch = pytest.importorskip("torch")

from tests.ops.test_torch import compare, differentiated, in_our_words, outcome, plain, promised  # noqa: E402

NAN, INF = math.nan, math.inf
FAR = [-1000.0, 1000.0]


def f(k: Any) -> Any:
    """The functions of either library."""
    return k.nn.functional


def function(name: str, *data: Any, **options: Any) -> Any:
    """A program: a function of one operand with these options, and its gradient."""
    return differentiated(lambda k, x: getattr(f(k), name)(x, **options), *data)


def classes(name: str, x: Any, target: Any, **options: Any) -> Any:
    """A program: a loss of scores and right classes, and its gradient."""

    def loss(k: Any, scores: Any) -> Any:
        given = {key: k.tensor(value, dtype=k.float64) if key == "weight" else value for key, value in options.items()}
        return getattr(f(k), name)(scores, k.tensor(target), **given)

    return differentiated(loss, x)


def pair(name: str, x: Any, y: Any, **options: Any) -> Any:
    """A program: a loss of two operands, and both gradients."""
    return differentiated(lambda k, a, b: getattr(f(k), name)(a, b, **options), x, y)


ROWS = [[1.0, -2.0, 0.5], [0.0, 3.0, 1.0], [2.0, 2.0, 2.0]]
ZEROS = [[0.0, 0.0], [0.0, 0.0]]

GRADIENTS = {
    **{
        f"{name} far out": function(name, FAR)
        for name in ("softplus", "logsigmoid", "silu", "gelu", "mish", "elu", "selu", "celu", "hardswish", "softsign")
    },
    "gelu by tanh far out": function("gelu", FAR, approximate="tanh"),
    "leaky_relu at 0": function("leaky_relu", [0.0, -0.0, -1.0, NAN], negative_slope=0.1),
    "elu at 0": function("elu", [0.0, -0.0]),
    "gelu at 0": function("gelu", [0.0, -0.0]),
    "hardtanh at its bounds": function("hardtanh", [-1.0, 1.0, 0.5, NAN]),
    "relu6 at its bounds": function("relu6", [0.0, 6.0, 3.0, NAN]),
    "hardswish at its bounds": function("hardswish", [-3.0, 3.0]),
    "prelu at 0": pair("prelu", [0.0, -2.0, 3.0], [0.25]),
    "prelu per channel": pair("prelu", ROWS, [0.25, 0.5, -1.0]),
    "glu": function("glu", [[1.0, 2.0, 1000.0, -1000.0]]),
    "softplus beyond its threshold": function("softplus", [0.9, 1.1], beta=2, threshold=2),
    "softplus with beta 0": function("softplus", [0.5], beta=0),
    "dropout of everything": function("dropout", [1.0, INF], p=1.0),
    "dropout of nothing": function("dropout", [1.0, INF], p=0.0),
    "dropout in evaluation": function("dropout", [1.0, INF], p=0.5, training=False),
    "softmax with dtype": differentiated(lambda k, x: f(k).softmax(x, 0, dtype=k.float64), [1.0, 2.0], dtype="float32"),
    "log_softmax of integers with dtype": lambda k: f(k).log_softmax(k.tensor([1, 2]), 0, dtype=k.float32),
    "softmax of -inf alone": function("softmax", [-INF, -INF], dim=0),
    "softmax of inf": function("softmax", [INF, 0.0], dim=0),
    "cross_entropy of zeros": classes("cross_entropy", ZEROS, [0, 1]),
    "cross_entropy that ignores": classes("cross_entropy", ROWS, [0, -100, 1]),
    "cross_entropy that ignores another index": classes("cross_entropy", ROWS, [0, 1, 1], ignore_index=1),
    "cross_entropy that ignores all": classes("cross_entropy", ZEROS, [-100, -100]),
    "the sum of cross_entropy that ignores all": classes("cross_entropy", ZEROS, [-100, -100], reduction="sum"),
    "cross_entropy far out": classes("cross_entropy", [[1000.0, 0.0]], [1]),
    "cross_entropy with a wrong class at -inf": classes("cross_entropy", [[0.0, -INF]], [0]),
    "cross_entropy with label smoothing": classes("cross_entropy", [[0.0, 0.0]], [0], label_smoothing=0.1),
    "cross_entropy, smoothed altogether": classes("cross_entropy", ROWS, [0, 1, 2], label_smoothing=1.0),
    "cross_entropy with weights": classes("cross_entropy", ROWS, [0, 1, 1], weight=[0.5, 2.0, 1.0]),
    "cross_entropy with a weight of 0": classes("cross_entropy", ROWS, [0, 0, 0], weight=[0.0, 2.0, 1.0]),
    "cross_entropy, smoothed, weighted, ignoring": classes(
        "cross_entropy", ROWS, [0, -100, 1], weight=[0.5, 2.0, 1.0], label_smoothing=0.3
    ),
    "cross_entropy, smoothed, summed": classes(
        "cross_entropy", ROWS, [0, -100, 1], label_smoothing=0.3, reduction="sum"
    ),
    "cross_entropy of one row": classes("cross_entropy", ROWS[0], 2),
    "cross_entropy of probabilities": pair("cross_entropy", ROWS, [[0.2, 0.3, 0.5], [1.0, 0.0, 0.0], [0.0, 0.5, 0.5]]),
    "cross_entropy of probabilities, smoothed": pair(
        "cross_entropy", ROWS, [[0.2, 0.3, 0.5], [1.0, 0.0, 0.0], [0.0, 0.5, 0.5]], label_smoothing=0.3
    ),
    "cross_entropy of one row of probabilities": pair("cross_entropy", ROWS[0], [0.2, 0.3, 0.5]),
    "nll_loss that ignores all": classes("nll_loss", ZEROS, [-100, -100]),
    "nll_loss with a weight of 0": classes("nll_loss", ROWS, [0, 0, 0], weight=[0.0, 2.0, 1.0]),
    "mse_loss": pair("mse_loss", [1.0, 2.0], [0.0, 4.0]),
    "l1_loss at 0": pair("l1_loss", [0.0, 1.0], [0.0, 3.0]),
    "smooth_l1_loss at beta": pair("smooth_l1_loss", [0.5, -0.5, 0.2], [0.0, 0.0, 0.0], beta=0.5),
    "smooth_l1_loss with beta 0": pair("smooth_l1_loss", [0.5, 0.0], [0.0, 0.0], beta=0.0),
    "huber_loss at delta": pair("huber_loss", [0.5, -0.5, 2.0], [0.0, 0.0, 0.0], delta=0.5),
    "huber_loss with weights": differentiated(
        lambda k, x, w: f(k).huber_loss(x, k.zeros(3, dtype=k.float64), weight=w), [0.5, -0.5, 2.0], [1.0, 2.0, 3.0]
    ),
    "mse_loss with weights": differentiated(
        lambda k, x, w: f(k).mse_loss(x, k.zeros(3, dtype=k.float64), weight=w), [0.5, -0.5, 2.0], [1.0, 2.0, 3.0]
    ),
    "l1_loss with weights, summed": differentiated(
        lambda k, x, w: f(k).l1_loss(x, k.zeros(2, dtype=k.float64), reduction="sum", weight=w), [0.5, -2.0], [1.0, 3.0]
    ),
    "binary_cross_entropy_with_logits far out": pair(
        "binary_cross_entropy_with_logits", [-1000.0, 1000.0], [1.0, 0.0], reduction="sum"
    ),
    "kl_div with a target of 0": differentiated(
        lambda k, x: f(k).kl_div(x, k.tensor([0.0, 1.0], dtype=k.float64), reduction="sum"), [-1.0, -2.0]
    ),
    "kl_div of 0-d": pair("kl_div", -1.0, 0.5, reduction="batchmean"),
    "normalize of zeros": function("normalize", [[0.0, 0.0], [3.0, 4.0]]),
    "cosine_similarity of zeros": differentiated(
        lambda k, x: f(k).cosine_similarity(x, k.ones(1, 2, dtype=k.float64)), [[0.0, 0.0], [3.0, 4.0]]
    ),
}

VALUES = {
    "relu of integers": lambda k: [f(k).relu(k.tensor([-1, 2])), f(k).relu6(k.tensor([-1, 9]))],
    "hardtanh of integers": lambda k: [f(k).hardtanh(k.tensor([-3, 3])), f(k).hardtanh(k.tensor([-3, 3]), -2.5, 2.5)],
    "softsign of integers": lambda k: f(k).softsign(k.tensor([-3, 3])),
    "dtypes": lambda k: [
        getattr(f(k), name)(k.ones(2, dtype=getattr(k, dtype)))
        for name in ("gelu", "silu", "mish", "softplus", "elu", "hardswish", "logsigmoid")
        for dtype in ("float16", "float32", "float64")
    ],
    "dtypes of losses": lambda k: [
        f(k).mse_loss(k.ones(2, dtype=k.float16), k.zeros(2, dtype=k.float16)),
        f(k).mse_loss(k.ones(2), k.zeros(2, dtype=k.float64)),
        f(k).mse_loss(k.tensor([1]), k.tensor([0.5])),
        f(k).l1_loss(k.tensor([1]), k.tensor([3]), reduction="sum"),
        f(k).cross_entropy(k.zeros(2, 3, dtype=k.float16), k.tensor([0, 1])),
    ],
    "one_hot": lambda k: [
        f(k).one_hot(k.tensor([[0, 2]])), f(k).one_hot(k.tensor(1)), f(k).one_hot(k.tensor([1]), 4),
        f(k).one_hot(k.zeros(0, 2, dtype=k.int64), 3),
    ],
    "cross_entropy of uint8 classes": lambda k: f(k).cross_entropy(k.zeros(2, 3), k.tensor([0, 1], dtype=k.uint8)),
    "cross_entropy of nothing": lambda k: [
        f(k).cross_entropy(k.zeros(0, 3), k.zeros(0, dtype=k.int64)),
        f(k).cross_entropy(k.zeros(0, 3), k.zeros(0, dtype=k.int64), reduction="sum"),
        f(k).cross_entropy(k.zeros(0, 3), k.zeros(0, dtype=k.int64), reduction="none"),
    ],
    "shapes of losses": lambda k: [
        f(k).cross_entropy(k.ones(3), k.tensor([2])),
        f(k).nll_loss(k.zeros(3), k.tensor(0), reduction="none"),
        f(k).cross_entropy(k.zeros(2, 3, 4, 5), k.zeros(2, 4, 5, dtype=k.int64), reduction="none"),
        f(k).cross_entropy(k.zeros(2, 3, 4), k.ones(2, 3, 4) / 3, reduction="none"),
    ],
    "the former names of the reduction": lambda k: [
        f(k).mse_loss(k.ones(2), k.zeros(2), size_average=average, reduce=reduce)
        for average in (None, True, False) for reduce in (None, True, False)
    ],
}  # fmt: skip

ERRORS = {
    "gelu of integers": (lambda k: f(k).gelu(k.tensor([1])), "not implemented for 'int64'"),
    "softmax of integers": (lambda k: f(k).softmax(k.tensor([1, 2]), 0), "not implemented for 'int64'"),
    "another approximation": (
        lambda k: f(k).gelu(k.ones(2), approximate="x"), "approximate argument must be either none or tanh."
    ),
    "celu with alpha 0": (lambda k: f(k).celu(k.ones(2), 0.0), "alpha cannot be 0 for CELU"),
    "hardtanh with bounds in the wrong order": (
        lambda k: f(k).hardtanh(k.ones(2), 2.0, 1.0), "min_val cannot be greater than max_val"
    ),
    "relu of bool": (lambda k: f(k).relu(k.tensor([True])), "Boolean inputs not supported for relu"),
    "glu of an odd size": (
        lambda k: f(k).glu(k.ones(3)), "Halving dimension must be even, but dimension 0 is size 3"
    ),
    "glu of 0-d": (lambda k: f(k).glu(k.ones(())), "glu does not support scalars because halving size must be even"),
    "prelu with too many weights": (
        lambda k: f(k).prelu(k.ones(2, 3), k.ones(2)),
        "Mismatch of parameter numbers and input channel size. Found parameter numbers = 2 and channel size = 3.",
    ),
    "prelu with a matrix": (
        lambda k: f(k).prelu(k.ones(3), k.ones(1, 1)), "Expected `weight` to be a scalar or 1D tensor, but got"
    ),
    "dropout of integers": (
        lambda k: f(k).dropout(k.tensor([1])), "result type float32 can't be cast to the desired output type int64"
    ),
    "dropout with p 2": (
        lambda k: f(k).dropout(k.ones(2), 2.0), "dropout probability has to be between 0 and 1, but got 2.0"
    ),
    "one_hot of a negative class": (lambda k: f(k).one_hot(k.tensor([-1])), "Class values must be non-negative."),
    "one_hot of a class too large": (
        lambda k: f(k).one_hot(k.tensor([2]), 2), "Class values must be smaller than num_classes."
    ),
    "one_hot of nothing": (
        lambda k: f(k).one_hot(k.zeros(0, dtype=k.int64)), "Can not infer total number of classes from empty tensor."
    ),
    "another reduction": (
        lambda k: f(k).mse_loss(k.ones(2), k.ones(2), reduction="x"), "x is not a valid value for reduction"
    ),
    "mse_loss of shapes that do not broadcast": (
        lambda k: f(k).mse_loss(k.ones(2), k.ones(3)), "The size of tensor a (2) must match the size of tensor b (3)"
    ),
    "weights of another shape": (
        lambda k: f(k).mse_loss(k.ones(2), k.ones(2), weight=k.ones(3)), "Weights and input must have the same size."
    ),
    "a negative beta": (
        lambda k: f(k).smooth_l1_loss(k.ones(2), k.ones(2), beta=-1.0), "does not support negative values for beta."
    ),
    "a delta of 0": (
        lambda k: f(k).huber_loss(k.ones(2), k.ones(2), delta=0.0), "does not support non-positive values for delta."
    ),
    "a probability above 1": (
        lambda k: f(k).binary_cross_entropy(k.tensor([1.5]), k.ones(1)),
        "all elements of input should be between 0 and 1",
    ),
    "a target above 1": (
        lambda k: f(k).binary_cross_entropy(k.tensor([0.5]), k.ones(1) * 2),
        "all elements of target should be between 0 and 1",
    ),
    "targets of another dtype": (
        lambda k: f(k).binary_cross_entropy(k.tensor([0.5]), k.tensor([1])), "Found dtype int64 but expected float32"
    ),
    "targets of another size": (
        lambda k: f(k).binary_cross_entropy(k.ones(2), k.ones(3)), "Please ensure they have the same size."
    ),
    "logits and targets of different sizes": (
        lambda k: f(k).binary_cross_entropy_with_logits(k.ones(2), k.ones(3)),
        "Target size ((3,)) must be the same as input size ((2,))",
    ),
    "integer targets of logits": (
        lambda k: f(k).binary_cross_entropy_with_logits(k.ones(1), k.tensor([1])),
        "result type float32 can't be cast to the desired output type int64",
    ),
    "kl_div of integers": (lambda k: f(k).kl_div(k.tensor([1]), k.tensor([1]), reduction="sum"),
                           "kl_div: Integral inputs not supported."),
    "a class too large": (lambda k: f(k).cross_entropy(k.zeros(2, 3), k.tensor([0, 5])), "Target 5 is out of bounds"),
    "a negative class": (lambda k: f(k).nll_loss(k.zeros(2, 3), k.tensor([0, -1])), "Target -1 is out of bounds"),
    "no classes": (lambda k: f(k).cross_entropy(k.zeros(1, 0), k.tensor([0])), "Target 0 is out of bounds"),
    "another number of rows": (
        lambda k: f(k).cross_entropy(k.zeros(2, 3), k.tensor([0])),
        "Expected input batch_size (2) to match target batch_size (1).",
    ),
    "another size of images": (
        lambda k: f(k).cross_entropy(k.zeros(2, 3, 4), k.zeros(2, 5, dtype=k.int64)),
        "Expected target size (2, 4), got (2, 5)",
    ),
    "a column of classes": (
        lambda k: f(k).nll_loss(k.zeros(2, 3), k.tensor([[0], [1]])),
        "0D or 1D target tensor expected, multi-target not supported",
    ),
    "nll_loss of 0-d": (lambda k: f(k).nll_loss(k.ones(()), k.tensor(0)), "Expected 1 or more dimensions (got 0)"),
    "int32 classes": (
        lambda k: f(k).cross_entropy(k.zeros(1, 3), k.tensor([0], dtype=k.int32)), "expected target dtype to be"
    ),
    "classes as floats": (lambda k: f(k).cross_entropy(k.zeros(1, 3), k.tensor([0.0])), "expected target dtype to be"),
    "probabilities as integers": (
        lambda k: f(k).cross_entropy(k.zeros(1, 3), k.tensor([[0, 1, 0]])),
        "Expected floating point type for target with class probabilities, got int64",
    ),
    "probabilities with ignore_index": (
        lambda k: f(k).cross_entropy(k.zeros(1, 3), k.ones(1, 3), ignore_index=1),
        "ignore_index is not supported for floating point target",
    ),
    "too much smoothing": (
        lambda k: f(k).cross_entropy(k.zeros(1, 3), k.tensor([0]), label_smoothing=2.0),
        "label_smoothing must be between 0.0 and 1.0. Got: 2",
    ),
    "another number of weights": (
        lambda k: f(k).cross_entropy(k.zeros(1, 3), k.tensor([0]), weight=k.ones(2)),
        "weight tensor should be defined either for all 3 classes or no classes but got weight tensor of shape: (2,)",
    ),
    "weights of another dtype": (
        lambda k: f(k).cross_entropy(k.zeros(1, 3), k.tensor([0]), weight=k.ones(3, dtype=k.float64)),
        "expected scalar type float32 but found float64",
    ),
    "weights that require grad": (
        lambda k: f(k).nll_loss(k.zeros(1, 3, requires_grad=True), k.tensor([0]), k.ones(3, requires_grad=True)),
        "is not differentiable with respect to argument 'weight'. This input cannot have requires_grad True.",
    ),
    "cross_entropy of integers": (
        lambda k: f(k).cross_entropy(k.tensor([[1, 2]]), k.tensor([0])), "not implemented for 'int64'"
    ),
    "cosine_similarity of integers": (
        lambda k: f(k).cosine_similarity(k.tensor([[1]]), k.tensor([[1]])),
        "expected common dtype to be floating point, yet common dtype is int64",
    ),
    "an activation in place on a leaf": (
        lambda k: f(k).silu(k.ones(2, requires_grad=True), inplace=True), "that requires grad is being used in"
    ),
}  # fmt: skip

WARNINGS = {
    "mse_loss of (3, 1) and (3,)": lambda k: f(k).mse_loss(k.zeros(3, 1), k.zeros(3)),
    "l1_loss of (3, 1) and (3,)": lambda k: f(k).l1_loss(k.zeros(3, 1), k.zeros(3)),
    "huber_loss of (3, 1) and (3,)": lambda k: f(k).huber_loss(k.zeros(3, 1), k.zeros(3)),
    "smooth_l1_loss of (3, 1) and (3,)": lambda k: f(k).smooth_l1_loss(k.zeros(3, 1), k.zeros(3)),
    "softmax without an axis": lambda k: f(k).softmax(k.zeros(2, 3)),
    "log_softmax of three axes without one": lambda k: f(k).log_softmax(k.zeros(2, 3, 4)),
    "size_average": lambda k: f(k).mse_loss(k.ones(2), k.zeros(2), size_average=False),
    "kl_div by mean": lambda k: f(k).kl_div(k.ones(2, 2), k.ones(2, 2)),
}


@pytest.mark.parametrize(
    "name",
    promised(
        GRADIENTS,
        {
            "141": ("hardtanh", "relu6"),
            "142": ("leaky_relu", "elu at 0", "gelu at 0", "prelu"),
            "146": ("softplus far", "logsigmoid far", "silu far", "gelu far", "mish far", "elu far"),
            "163": ("cross_entropy", "the sum of cross_entropy"),
            "164": ("binary_cross_entropy",),
            "165": ("mse_loss", "l1_loss", "smooth_l1_loss", "kl_div"),
            "166": ("softmax", "log_softmax"),
            "170": ("dropout",),
            "174": ("normalize",),
        },
    ),
)
def test_values_and_gradients(name: str) -> None:
    compare(plain(GRADIENTS[name](kael)), plain(GRADIENTS[name](torch)))


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_values_and_dtypes(name: str) -> None:
    compare(plain(VALUES[name](kael)), plain(VALUES[name](torch)))


@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.filterwarnings("ignore:Using a target size:UserWarning")
def test_errors(name: str) -> None:
    program, text = ERRORS[name]
    theirs, ours = outcome(program, torch), outcome(program, kael)
    assert text in ours[1]
    assert text in in_our_words(theirs[1])
    assert ours[0] is theirs[0]


@pytest.mark.parametrize("name", WARNINGS)
def test_warnings(name: str) -> None:
    texts, results = [], []
    for k in (torch, kael):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            results.append(WARNINGS[name](k))
        assert k is torch or caught[0].filename == __file__
        texts.append(in_our_words(str(caught[0].message)).replace(".'batch", ". 'batch"))
    assert texts[0].startswith(texts[1])
    compare(plain(results[1]), plain(results[0]))


def test_binary_cross_entropy_is_finite_at_0_and_1() -> None:
    """PyTorch's least divisor is 1e-12 in float32, so its gradient differs in the ninth digit."""
    x = kael.tensor([0.0, 1.0, 0.0, 1.0], dtype=kael.float64, requires_grad=True)
    loss = kael.nn.functional.binary_cross_entropy(x, kael.tensor([1.0, 0.0, 0.0, 1.0], dtype=kael.float64))
    loss.backward()
    assert loss.item() == 50.0
    assert x.grad.tolist() == pytest.approx([-2.5e11, 2.5e11, 0.0, 0.0])


OURS = [name for name in kael.nn.functional.__all__ if getattr(kael.nn.functional, name).__module__ in (
    "kael.ops.activation", "kael.ops.loss", "kael.ops.unit_vectors", "kael.nn.functional",
)]  # fmt: skip


@pytest.mark.parametrize("name", OURS)
def test_arguments_and_defaults_are_those_of_pytorch(name: str) -> None:
    """The first is called x here; PyTorch has no signatures for what is written in C++."""
    try:
        theirs = list(inspect.signature(getattr(torch.nn.functional, name)).parameters.values())
    except ValueError:
        pytest.skip("no signature")
    ours = list(inspect.signature(getattr(kael.nn.functional, name)).parameters.values())
    assert [(p.name, p.default) for p in ours[1:]] == [(p.name, p.default) for p in theirs[1:]]
