"""Losses and layers at their edges: ignored rows, large numbers, ties, windows that hang over."""

import math

import pytest

import kael
from kael.nn import functional
from tests.promises.gradients import assert_gradients, gradients

NAN, INF = math.nan, math.inf
ZEROS = [[0.0, 0.0], [0.0, 0.0]]


def wanted(*classes):
    return kael.tensor(list(classes))


def double(values):
    return kael.tensor(values, dtype=kael.float64)


@pytest.mark.promise("163")
@pytest.mark.parametrize(
    ("scores", "target", "options", "value", "slopes"),
    [
        (ZEROS, [0, 1], {}, math.log(2), [[-0.25, 0.25], [0.25, -0.25]]),
        (ZEROS, [0, -100], {}, math.log(2), [[-0.5, 0.5], [0.0, 0.0]]),
        (ZEROS, [0, 1], {"ignore_index": 1}, math.log(2), [[-0.5, 0.5], [0.0, 0.0]]),
        (ZEROS, [-100, -100], {}, NAN, ZEROS),
        (ZEROS, [-100, -100], {"reduction": "sum"}, 0.0, ZEROS),
        ([[1000.0, 0.0]], [1], {}, 1000.0, [[1.0, -1.0]]),
        ([[0.0, -INF]], [0], {}, 0.0, [[0.0, 0.0]]),
        ([[0.0, 0.0]], [0], {"label_smoothing": 0.1}, math.log(2), [[-0.45, 0.45]]),
        (ZEROS, [0, 1], {"weight": [1.0, 3.0]}, math.log(2), [[-0.125, 0.125], [0.375, -0.375]]),
    ],
)
def test_cross_entropy(scores, target, options, value, slopes):
    options = {name: double(option) if name == "weight" else option for name, option in options.items()}

    def loss(x):
        return functional.cross_entropy(x, wanted(*target), **options)

    assert loss(double(scores)).item() == pytest.approx(value, rel=1e-14, nan_ok=True)
    assert_gradients(loss, [scores], [slopes], 1e-14)


@pytest.mark.promise("163")
def test_cross_entropy_of_probabilities_of_nothing_and_of_wrong_classes():
    assert_gradients(
        lambda x: functional.cross_entropy(x, double([[0.25, 0.75]])), [[[0.0, 0.0]]], [[[0.25, -0.25]]], 1e-14
    )
    assert math.isnan(functional.cross_entropy(kael.zeros(0, 2), kael.zeros(0, dtype=kael.int64)).item())
    with pytest.raises(IndexError, match="^Target 2 is out of bounds"):
        functional.cross_entropy(kael.zeros(2, 2), wanted(2, 0))
    with pytest.raises(ValueError, match=r"Expected input batch_size \(2\) to match target batch_size \(1\)\."):
        functional.cross_entropy(kael.zeros(2, 2), wanted(0))


@pytest.mark.promise("164")
def test_binary_cross_entropy_of_large_logits_and_at_0():
    def of_logits(x):
        return functional.binary_cross_entropy_with_logits(x, double([1.0, 0.0]), reduction="sum")

    assert of_logits(double([-1000.0, 1000.0])).item() == 2000.0
    assert gradients(of_logits, [-1000.0, 1000.0]) == [[-1.0, 1.0]]
    assert functional.binary_cross_entropy(double([0.0]), double([1.0])).item() == 100.0
    assert_gradients(lambda x: functional.binary_cross_entropy(x, double([1.0])), [[0.0]], [[-1e12]], 1e-6)
    with pytest.raises(RuntimeError, match="all elements of input should be between 0 and 1"):
        functional.binary_cross_entropy(double([2.0]), double([1.0]))


@pytest.mark.promise("165")
def test_losses_at_their_kinks_and_of_two_shapes():
    assert gradients(functional.l1_loss, [0.0, 1.0], [0.0, 0.0])[0] == [0.0, 0.5]
    assert gradients(lambda x: functional.smooth_l1_loss(x, double([0.0])), [1.0]) == [[1.0]]
    assert functional.kl_div(double([-1.0]), double([0.0]), reduction="sum").item() == 0.0
    assert gradients(lambda x: functional.kl_div(x, double([0.0]), reduction="sum"), [-1.0]) == [[0.0]]
    with pytest.warns(UserWarning, match="Using a target size .* that is different to the input size"):
        functional.mse_loss(kael.zeros(3, 1), kael.zeros(3))


@pytest.mark.promise("166")
@pytest.mark.parametrize("f", [functional.softmax, functional.log_softmax, kael.logsumexp])
def test_the_softmax_family(f):
    x = kael.tensor([-1000.0, 1000.0], requires_grad=True)
    y = f(x, 0)
    y.sum().backward()
    assert all(math.isfinite(value) for value in [*y.reshape(-1).tolist(), *x.grad.tolist()])
    assert f(kael.tensor(0.0), 0).shape == ()


@pytest.mark.promise("166")
@pytest.mark.parametrize("f", [functional.softmax, functional.log_softmax])
@pytest.mark.parametrize("row", [[-INF, -INF], [INF, INF]])
def test_rows_of_infinities_are_nan(f, row):
    assert all(math.isnan(value) for value in f(kael.tensor(row), 0).tolist())


@pytest.mark.promise("167")
def test_embedding():
    rows = [[1.0], [2.0], [3.0]]
    assert gradients(lambda w: functional.embedding(wanted(1, 1, 2), w), rows) == [[[0.0], [2.0], [1.0]]]
    for padding in (1, -2):
        assert gradients(lambda w, p=padding: functional.embedding(wanted(1, 2), w, padding_idx=p), rows) == [
            [[0.0], [0.0], [1.0]]
        ]
    with pytest.raises(IndexError, match="index out of range in self"):
        functional.embedding(wanted(3), kael.ones(3, 1))
    with pytest.raises(RuntimeError, match="Expected tensor for argument #1 'indices'"):
        functional.embedding(kael.tensor([1.0]), kael.ones(3, 1))


@pytest.mark.promise("168")
def test_layer_norm_of_a_constant_row_and_of_one_element():
    assert functional.layer_norm(kael.tensor([3.0, 3.0]), (2,)).tolist() == [0.0, 0.0]
    half = 0.5 / math.sqrt(1e-5)
    assert_gradients(
        lambda x: functional.layer_norm(x, (2,)) * double([1.0, 2.0]), [[3.0, 3.0]], [[-half, half]], 1e-12
    )
    assert gradients(lambda x: functional.layer_norm(x, (1,)), [[2.0]]) == [[[0.0]]]


@pytest.mark.promise("169")
def test_batch_norm():
    mean, var = kael.zeros(1), kael.ones(1)
    x = kael.tensor([[1.0], [3.0]], requires_grad=True)
    (functional.batch_norm(x, mean, var, training=True, eps=0.0) * kael.tensor([[1.0], [2.0]])).sum().backward()
    assert x.grad.tolist() == [[0.0], [0.0]]
    assert mean.tolist() == pytest.approx([0.2])
    assert var.tolist() == pytest.approx([1.1])
    assert_gradients(
        lambda x: functional.batch_norm(x, double([0.0]), double([4.0]), double([6.0]), eps=0.0), [[[1.0]]], [[[3.0]]]
    )
    with pytest.raises(ValueError, match="Expected more than 1 value per channel when training"):
        functional.batch_norm(kael.ones(1, 2), kael.zeros(2), kael.ones(2), training=True)


@pytest.mark.promise("171")
def test_convolution_windows():
    ones = double([[[1.0, 1.0]]])
    line = [[[1.0, 2.0, 3.0, 4.0, 5.0]]]
    assert gradients(lambda x: functional.conv1d(x, ones, stride=2), line) == [[[[1.0, 1.0, 1.0, 1.0, 0.0]]]]
    assert gradients(lambda x: functional.conv1d(x, ones, padding=1), line) == [[[[2.0] * 5]]]
    assert gradients(lambda x: functional.conv1d(x, ones, dilation=3), line) == [[[[1.0, 1.0, 0.0, 1.0, 1.0]]]]
    square = kael.ones(1, 1, 3, 3, dtype=kael.float64)
    assert gradients(lambda w, b: functional.conv2d(square, w, b), [[[[2.0]]]], [5.0]) == [[[[[9.0]]]], [9.0]]


@pytest.mark.promise("171")
def test_convolution_groups_empty_batches_and_refusals():
    x = double([[[1.0, 2.0], [3.0, 4.0]]])
    assert functional.conv1d(x, double([[[10.0]], [[100.0]]]), groups=2).tolist() == [[[10.0, 20.0], [300.0, 400.0]]]
    assert functional.conv1d(kael.ones(0, 1, 4), kael.ones(1, 1, 2)).shape == (0, 1, 3)
    with pytest.raises(RuntimeError, match="Kernel size can't be greater than actual input size"):
        functional.conv1d(kael.ones(1, 1, 2), kael.ones(1, 1, 3))
    with pytest.raises(RuntimeError, match="to have 1 channels, but got 2 channels instead"):
        functional.conv1d(kael.ones(1, 2, 4), kael.ones(1, 1, 3))


@pytest.mark.promise("172")
@pytest.mark.parametrize(
    ("line", "options", "values", "slopes"),
    [
        ([3.0, 3.0], {"kernel_size": 2}, [3.0], [1.0, 0.0]),
        ([1.0, 5.0, 2.0], {"kernel_size": 2, "stride": 1}, [5.0, 5.0], [0.0, 2.0, 0.0]),
        ([-3.0, -2.0], {"kernel_size": 2, "padding": 1}, [-3.0, -2.0], [1.0, 1.0]),
        ([1.0, 9.0, 2.0], {"kernel_size": 2, "dilation": 2}, [2.0], [0.0, 0.0, 1.0]),
        ([1.0, 2.0, 3.0], {"kernel_size": 2, "ceil_mode": True}, [2.0, 3.0], [0.0, 1.0, 1.0]),
        ([1.0, NAN], {"kernel_size": 2}, [NAN], [0.0, 1.0]),
    ],
)
def test_max_pooling(line, options, values, slopes):
    assert functional.max_pool1d(kael.tensor([[line]]), **options).tolist()[0][0] == pytest.approx(values, nan_ok=True)
    assert gradients(lambda x: functional.max_pool1d(x, **options), [[line]]) == [[[slopes]]]


@pytest.mark.promise("172")
def test_max_pooling_is_padded_by_half_a_window_at_most():
    with pytest.raises(RuntimeError, match="padding should be at most half of kernel size"):
        functional.max_pool1d(kael.ones(1, 1, 4), 2, padding=2)


@pytest.mark.promise("173")
def test_average_pooling_divides_by_what_it_counts():
    def slopes(size, **options):
        return gradients(lambda x: functional.avg_pool1d(x, 2, **options), [[[1.0] * size]])[0][0][0]

    assert slopes(2, padding=1) == [0.5, 0.5]
    assert slopes(2, padding=1, count_include_pad=False) == [1.0, 1.0]
    assert slopes(5, ceil_mode=True) == [0.5, 0.5, 0.5, 0.5, 1.0]


@pytest.mark.promise("174")
def test_adaptive_pooling_of_five_to_three():
    assert_gradients(
        lambda x: functional.adaptive_avg_pool1d(x, 3),
        [[[1.0, 2.0, 3.0, 4.0, 5.0]]],
        [[[1 / 2, 5 / 6, 1 / 3, 5 / 6, 1 / 2]]],
        1e-14,
    )


@pytest.mark.promise("174")
def test_normalize_of_zeros_has_the_slope_of_its_least_divisor():
    assert_gradients(lambda x: functional.normalize(x, dim=0), [[0.0, 0.0]], [[1e12, 1e12]], 1e-14)


@pytest.mark.promise("174")
def test_attention_sees_what_came_before_and_of_a_masked_row_nothing():
    attention = functional.scaled_dot_product_attention
    zeros, values = kael.zeros(2, 1, dtype=kael.float64), double([[2.0], [4.0]])
    assert attention(zeros, zeros, values, is_causal=True).tolist() == [[2.0], [3.0]]
    mask = kael.tensor([[True, True], [False, False]])
    assert attention(zeros, zeros, values, attn_mask=mask).tolist() == [[3.0], [0.0]]
    assert gradients(lambda q, k, v: attention(q, k, v, attn_mask=mask), [[0.0], [1.0]], *[[[1.0], [1.0]]] * 2) == [
        [[0.0], [0.0]],
        [[0.0], [0.0]],
        [[0.5], [0.5]],
    ]
