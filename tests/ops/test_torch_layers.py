"""Normalization, embedding and attention beside PyTorch: statistics, kinks, dtypes, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import kael

torch = pytest.importorskip("torch")

from tests.ops.test_torch import compare, differentiated, in_our_words, outcome, plain, promised  # noqa: E402

NAN, INF = math.nan, math.inf
ROW, ROWS = [[1.0, 2.0, 4.0]], [[1.0, 2.0, 4.0], [0.5, -1.0, 3.0]]
WIDE = [[1.0, -2.0, 3.0, 0.5], [2.0, 2.5, -1.0, 0.0]]


def f(k: Any) -> Any:
    """The functions of either library."""
    return k.nn.functional


def trained(k: Any, x: Any) -> Any:
    """One batch through batch_norm, with the running statistics it leaves behind as part of the value."""
    mean, var = k.zeros(1, dtype=x.dtype), k.ones(1, dtype=x.dtype)
    y = f(k).batch_norm(x, mean, var, training=True)
    return k.cat([y.reshape(-1), mean, var])


GRADIENTS = {
    "layer_norm of a constant row": differentiated(
        lambda k, x: f(k).layer_norm(x, (2,)), [[3.0, 3.0]], weights=[[1.0, 2.0]]
    ),
    "layer_norm of one element": differentiated(lambda k, x: f(k).layer_norm(x, (1,)), [[3.0], [4.0]]),
    "layer_norm with one tensor as weight and bias": differentiated(
        lambda k, x, w: f(k).layer_norm(x, (3,), w, w), ROWS, [1.0, 2.0, 3.0], weights=ROWS
    ),
    "rms_norm of zeros": differentiated(lambda k, x: f(k).rms_norm(x, (2,)), [[0.0, 0.0]], weights=[[1.0, 2.0]]),
    "group_norm": differentiated(lambda k, x: f(k).group_norm(x, 2), WIDE, weights=WIDE),
    "running statistics": differentiated(trained, [[1.0], [3.0]], weights=[1.0, 2.0, 1.0, 1.0]),
    "running statistics of maps": differentiated(trained, [[[1.0, 2.0, 4.0]], [[0.0, -1.0, 3.0]]]),
    "padding": differentiated(
        lambda k, w: f(k).embedding(k.tensor([0, 2, 0, 1]), w, padding_idx=0), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    ),
    "padding from the end": differentiated(
        lambda k, w: f(k).embedding(k.tensor([0, 2, 0, 1]), w, -1), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    ),
    "a table used twice": differentiated(
        lambda k, w: f(k).embedding(k.tensor([0, 1]), w) @ w.t(), [[1.0, 2.0], [3.0, 4.0]]
    ),
    "a masked row": differentiated(
        lambda k, q, x: f(k).scaled_dot_product_attention(q, x, x, k.tensor([[False, False], [True, False]])),
        [[1.0, 2.0], [3.0, 4.0]], [[0.5, 1.0], [-1.0, 2.0]],
    ),
    "a row of -inf": differentiated(
        lambda k, q, m: f(k).scaled_dot_product_attention(q, q, q, m),
        [[1.0, 2.0], [3.0, 4.0]], [[-INF, -INF], [0.0, -INF]],
    ),
    "causal": differentiated(
        lambda k, q: f(k).scaled_dot_product_attention(q, q, q, is_causal=True), WIDE, weights=WIDE
    ),
    "dropout of everything": differentiated(
        lambda k, q: f(k).scaled_dot_product_attention(q, q, q, dropout_p=1.0), WIDE
    ),
    "float32": differentiated(
        lambda k, q: f(k).layer_norm(f(k).scaled_dot_product_attention(q, q, q), (4,)), WIDE, weights=WIDE,
        dtype="float32",
    ),
}  # fmt: skip

VALUES = {
    "float16": lambda k: [
        f(k).layer_norm(k.tensor(ROWS, dtype=k.float16), (3,)),
        f(k).rms_norm(k.tensor(ROWS, dtype=k.float16), (3,), k.full((3,), 2.0, dtype=k.float16)),
        f(k).embedding(k.tensor([1]), k.tensor(ROWS, dtype=k.float16)),
        f(k).scaled_dot_product_attention(*[k.tensor(ROWS, dtype=k.float16)] * 3),
    ],
    "tables of integers": lambda k: [
        f(k).embedding(k.tensor([1, 0]), k.tensor([[1, 2], [3, 4]])),
        f(k).embedding(k.tensor([1, 0]), k.tensor([[1, 2], [3, 4]], dtype=k.int32)),
        f(k).embedding(k.tensor([1, 0]), k.tensor([[True], [False]])),
    ],
    "no keys": lambda k: f(k).scaled_dot_product_attention(k.ones(2, 3), k.ones(0, 3), k.ones(0, 4)),
    "size 0": lambda k: f(k).scaled_dot_product_attention(k.ones(2, 0), k.ones(3, 0), k.ones(3, 4)),
    "rows of nothing": lambda k: [
        f(k).layer_norm(k.ones(2, 0), (0,)), f(k).batch_norm(k.ones(0, 3), None, None, training=True)
    ],
}  # fmt: skip

INDICES = "Expected tensor for argument #1 'indices' to have one of the following scalar types: "


def on(call: Any, *shapes: tuple[int, ...] | None) -> Any:
    """A program that calls with ones of some shapes."""
    return lambda k: call(k)(*[None if shape is None else k.ones(shape) for shape in shapes])


ERRORS = {
    "layer_norm shape": (
        lambda k: f(k).layer_norm(k.ones(2, 3), (4,)),
        "Given normalized_shape=(4,), expected input with shape [*, 4], but got input of size(2, 3)",
    ),
    "layer_norm more axes": (
        lambda k: f(k).layer_norm(k.ones(2, 3), (2, 3, 4)), "expected input with shape [*, 2, 3, 4], but got input of"
    ),
    "layer_norm weight": (
        lambda k: f(k).layer_norm(k.ones(2, 3), (3,), k.ones(4)),
        "Expected weight to be of same shape as normalized_shape, but got weight of shape (4,) and normalized_shape = "
        "(3,)",
    ),
    "layer_norm bias": (
        lambda k: f(k).layer_norm(k.ones(2, 3), (3,), k.ones(3), k.ones(4)),
        "Expected bias to be of same shape as normalized_shape, but got bias of shape (4,) and normalized_shape = (3,)",
    ),
    "layer_norm of nothing": (
        lambda k: f(k).layer_norm(k.ones(2, 3), ()), "Expected normalized_shape to be at least 1-dimensional, i.e., "
    ),
    "layer_norm size alone": (
        lambda k: f(k).layer_norm(k.ones(2, 3), 3),
        "layer_norm(): argument 'normalized_shape' (position 2) must be tuple of ints, not int",
    ),
    "layer_norm of integers": (lambda k: f(k).layer_norm(k.ones(2, 3).long(), (3,)), " not implemented for "),
    "layer_norm dtypes": (
        lambda k: f(k).layer_norm(k.ones(2, 3), (3,), k.ones(3, dtype=k.float64)),
        "mixed dtype (CPU): expect parameter to have scalar type of float32",
    ),
    "rms_norm weight": (
        lambda k: f(k).rms_norm(k.ones(2, 3), (3,), k.ones(4)),
        "Expected weight to be of same shape as normalized_shape, but got weight of shape (4,) and ",
    ),
    "rms_norm of integers": (lambda k: f(k).rms_norm(k.ones(2, 3).long(), (3,)), '"rms_norm" not implemented for '),
    "group_norm groups": (
        lambda k: f(k).group_norm(k.ones(2, 3, 4), 2),
        "Expected number of channels in input to be divisible by num_groups, but got input of shape (2, 3, 4) and "
        "num_groups=2",
    ),
    "group_norm of fewer groups": (
        lambda k: f(k).group_norm(k.ones(1, 2, 3), -1), "Expected num groups to be greater than 0, got -1"
    ),
    "group_norm weight": (
        lambda k: f(k).group_norm(k.ones(2, 4, 4), 2, k.ones(3)),
        "Expected weight to be a vector of size equal to the number of channels in input, but got weight of shape (3,) "
        "and input of shape (2, 4, 4)",
    ),
    "group_norm of one axis": (
        lambda k: f(k).group_norm(k.ones(4), 2), "Expected at least 2 dimensions for input tensor but received 1"
    ),
    "group_norm of one value": (
        lambda k: f(k).group_norm(k.ones(1, 2), 2), "Expected more than 1 value per channel when training, got input"
    ),
    "batch_norm of one value": (
        lambda k: f(k).batch_norm(k.ones(1, 3), None, None, training=True),
        "Expected more than 1 value per channel when training, got input size (1, 3)",
    ),
    "batch_norm without a mean": (
        on(lambda k: f(k).batch_norm, (2, 3), None, None), "running_mean must be defined in evaluation mode"
    ),
    "batch_norm without a variance": (
        on(lambda k: f(k).batch_norm, (2, 3), (3,), None), "running_var must be defined in evaluation mode"
    ),
    "batch_norm with half of the statistics": (
        lambda k: f(k).batch_norm(k.ones(2, 3), k.ones(3), None, training=True),
        "running_mean and running_var must either both be None or neither be None",
    ),
    "batch_norm mean": (
        on(lambda k: f(k).batch_norm, (2, 3), (4,), (4,)), "running_mean should contain 3 elements not 4"
    ),
    "batch_norm weight": (
        on(lambda k: f(k).batch_norm, (2, 3), (3,), (3,), (4,)), "weight should contain 3 elements not 4"
    ),
    "batch_norm of a statistic that requires grad": (
        lambda k: f(k).batch_norm(k.ones(2, 3), k.ones(3, requires_grad=True), k.ones(3), training=True),
        "is not differentiable with respect to argument 'running_mean'. This input cannot have requires_grad True.",
    ),
    "batch_norm of integers": (
        lambda k: f(k).batch_norm(k.ones(2, 3).long(), k.ones(3), k.ones(3)), '"batch_norm" not implemented for '
    ),
    "embedding past the end": (
        lambda k: f(k).embedding(k.tensor([3]), k.ones(3, 2)), "index out of range in self"
    ),
    "embedding before the start": (
        lambda k: f(k).embedding(k.tensor([-1]), k.ones(3, 2)), "index out of range in self"
    ),
    "embedding by float": (lambda k: f(k).embedding(k.tensor([1.0]), k.ones(3, 2)), INDICES),
    "embedding by bool": (lambda k: f(k).embedding(k.tensor([True]), k.ones(3, 2)), INDICES),
    "embedding by int16": (lambda k: f(k).embedding(k.tensor([1], dtype=k.int16), k.ones(3, 2)), INDICES),
    "embedding of a vector": (lambda k: f(k).embedding(k.tensor([1]), k.ones(3)), "'weight' must be 2-D"),
    "embedding padding": (
        lambda k: f(k).embedding(k.tensor([1]), k.ones(3, 2), 3), "Padding_idx must be within num_embeddings"
    ),
    "attention of vectors": (
        on(lambda k: f(k).scaled_dot_product_attention, (3,), (3,), (3,)),
        "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: 1 key.dim: 1 and "
        "value.dim: 1 instead.",
    ),
    "attention dtypes": (
        lambda k: f(k).scaled_dot_product_attention(k.ones(2, 3), k.ones(2, 3, dtype=k.float64), k.ones(2, 3)),
        "but got query.dtype: float32 key.dtype: float64 and value.dtype: float32 instead.",
    ),
    "attention of a mask and causal": (
        lambda k: f(k).scaled_dot_product_attention(*[k.ones(2, 2)] * 4, is_causal=True),
        "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True",
    ),
    "attention sizes": (
        on(lambda k: f(k).scaled_dot_product_attention, (2, 3), (2, 4), (2, 3)),
        "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x2)",
    ),
    "attention keys and values": (
        on(lambda k: f(k).scaled_dot_product_attention, (2, 3), (4, 3), (5, 3)),
        "mat1 and mat2 shapes cannot be multiplied (2x4 and 5x3)",
    ),
    "attention mask dtype": (
        lambda k: f(k).scaled_dot_product_attention(*[k.ones(2, 2)] * 3, k.ones(2, 2, dtype=k.float64)),
        "Expected attn_mask dtype to be bool or float32 or to match query dtype, but got attn_mask.dtype: float64 and  "
        "query.dtype: float32 instead.",
    ),
    "attention dropout": (
        lambda k: f(k).scaled_dot_product_attention(*[k.ones(2, 2)] * 3, dropout_p=1.5),
        "dropout probability has to be between 0 and 1, but got 1.5",
    ),
    "attention of a number": (
        lambda k: f(k).scaled_dot_product_attention(1.0, k.ones(2, 2), k.ones(2, 2)), "must be Tensor, not float"
    ),
    "attention batches": (
        on(lambda k: f(k).scaled_dot_product_attention, (2, 2, 3), (3, 4, 3), (3, 4, 3)),
        "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    promised(
        GRADIENTS,
        {
            "167": ("padding", "a table used twice"),
            "168": ("layer_norm of a constant row", "layer_norm of one element"),
            "169": ("running statistics",),
            "174": ("a masked row", "a row of -inf", "causal"),
        },
    ),
)
def test_values_and_gradients(name):
    compare(plain(GRADIENTS[name](kael)), plain(GRADIENTS[name](torch)))


@pytest.mark.parametrize("name", VALUES)
def test_values_and_dtypes(name):
    compare(plain(VALUES[name](kael)), plain(VALUES[name](torch)))


@pytest.mark.parametrize(
    "name",
    promised(
        ERRORS,
        {
            "167": ("embedding",),
            "169": ("batch_norm of one value",),
        },
    ),
)
def test_errors(name):
    program, text = ERRORS[name]
    theirs, ours = outcome(program, torch), outcome(program, kael)
    assert text in ours[1]
    assert text in in_our_words(theirs[1])
    assert ours[0] is theirs[0]


@pytest.mark.parametrize("option", [{"max_norm": 1.0}, {"scale_grad_by_freq": True}, {"sparse": True}])
def test_options_of_embedding_that_kael_lacks_are_refused_by_name(option):
    with pytest.raises(NotImplementedError, match=f"embedding: {next(iter(option))}=.* is not in kael"):
        kael.nn.functional.embedding(kael.tensor([0]), kael.ones(2, 2), **option)


def test_grouped_queries_are_refused_with_the_way_to_do_it():
    with pytest.raises(NotImplementedError, match="repeat_interleave"):
        kael.nn.functional.scaled_dot_product_attention(*[kael.ones(2, 2)] * 3, enable_gqa=True)


def test_evaluation_uses_the_running_statistics_and_leaves_them():
    mean, var = kael.tensor([1.0]), kael.tensor([4.0])
    y = kael.nn.functional.batch_norm(kael.tensor([[3.0], [5.0]]), mean, var, eps=0.0)
    assert y.tolist() == [[1.0], [2.0]]
    assert (mean.version, var.version) == (0, 0)


def test_running_statistics_count_the_writes_to_them():
    mean, var = kael.zeros(2), kael.ones(2)
    kael.nn.functional.batch_norm(kael.tensor([[3.0, 1.0], [5.0, 2.0]]), mean, var, training=True)
    assert mean.version > 0
    assert var.version > 0


def test_dropped_weights_have_no_gradient_and_the_others_theirs():
    kael.manual_seed(3)
    v = kael.tensor(np.eye(6), requires_grad=True)
    q = kael.zeros(6, 2, dtype=kael.float64)
    y = kael.nn.functional.scaled_dot_product_attention(q, q, v, dropout_p=0.5)
    y.backward(kael.tensor(np.eye(6)))
    assert sorted(set(np.round(y.detach().numpy().ravel(), 6).tolist())) == [0.0, 0.333333]
    np.testing.assert_array_equal(v.grad.numpy(), y.detach().numpy().T)
