"""softmax, log_softmax, logsumexp, nll_loss and cross_entropy: values, gradients, extremes, refusals."""

import math

import numpy as np
import pytest

import kael
from kael.autograd.gradcheck import gradcheck
from kael.nn.functional import cross_entropy, nll_loss


def scores(*shape: int, seed: int = 0) -> kael.Tensor:
    values = np.random.default_rng(seed).standard_normal(shape)
    return kael.tensor(values, requires_grad=True)


@pytest.mark.parametrize("dim", [0, 1, 2, -1])
@pytest.mark.parametrize("op", [kael.softmax, kael.log_softmax, kael.logsumexp])
def test_gradients_agree_with_finite_differences(op, dim):
    assert gradcheck(lambda x: op(x, dim), (scores(2, 3, 4),))


def test_gradient_of_logsumexp_over_two_axes():
    assert gradcheck(lambda x: kael.logsumexp(x, (0, 2), keepdim=True), (scores(2, 3, 4),))


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_gradient_of_cross_entropy(reduction):
    target = kael.tensor([2, 0, 1, 2])
    assert gradcheck(lambda x: cross_entropy(x, target, reduction=reduction), (scores(4, 3),))


def test_gradient_of_cross_entropy_is_softmax_less_onehot_over_rows():
    x = scores(2, 3)
    cross_entropy(x, kael.tensor([0, 2])).backward()
    expected = kael.softmax(x.detach(), 1).numpy() - np.eye(3)[[0, 2]]
    np.testing.assert_allclose(x.grad.numpy(), expected / 2, rtol=1e-14)


def test_softmax_sums_to_one_where_exponentials_would_overflow():
    y = kael.softmax(kael.tensor([[1e4, 1e4, -1e4]], dtype=kael.float64), 1)
    assert y.tolist() == [[0.5, 0.5, 0.0]]


def test_log_softmax_is_exact_where_softmax_rounds_to_zero():
    assert kael.log_softmax(kael.tensor([0.0, 1000.0]), 0).tolist() == [-1000.0, 0.0]


def test_softmax_of_nothing_but_minus_infinity_is_nan():
    assert all(math.isnan(value) for value in kael.softmax(kael.tensor([-math.inf, -math.inf]), 0).tolist())


@pytest.mark.parametrize(
    ("values", "expected"),
    [([-math.inf, -math.inf], -math.inf), ([math.inf, 1.0], math.inf), ([-math.inf, 2.0], 2.0), ([], -math.inf)],
)
def test_logsumexp_of_infinities_and_of_nothing(values, expected):
    assert kael.logsumexp(kael.tensor(values), 0).item() == expected


@pytest.mark.parametrize("op", [kael.softmax, kael.log_softmax])
def test_empty_operands_give_empty_results(op):
    assert op(kael.zeros(2, 0), 1).shape == (2, 0)
    assert op(kael.zeros(0, 3), 1).shape == (0, 3)


@pytest.mark.parametrize("op", [kael.softmax, kael.log_softmax])
def test_of_a_number(op):
    assert op(kael.tensor(3.0), 0).item() == (1.0 if op is kael.softmax else 0.0)


def test_float16_rounds_once():
    values = np.random.default_rng(0).standard_normal((5, 7)).astype(np.float16)
    exact = np.exp(values.astype(np.float64))
    exact /= exact.sum(1, keepdims=True)
    found = kael.softmax(kael.tensor(values), 1)
    assert found.dtype is kael.float16
    assert (np.abs(found.numpy() - exact) <= np.spacing(exact.astype(np.float16)) * 0.51).all()


@pytest.mark.parametrize("op", [kael.softmax, kael.log_softmax])
def test_integers_are_refused(op):
    text = f"{op.__name__}: not implemented for 'int64'; cast it to a floating point dtype first"
    with pytest.raises(NotImplementedError, match=text):
        op(kael.tensor([1, 2]), 0)


def test_logsumexp_of_integers_is_float32():
    assert kael.logsumexp(kael.tensor([0, 0]), 0).dtype is kael.float32


def test_axis_out_of_range():
    with pytest.raises(IndexError, match=r"Dimension out of range \(expected to be in range of \[-2, 1\], but got 2\)"):
        kael.softmax(kael.zeros(2, 3), 2)


@pytest.mark.parametrize(
    ("target", "error", "text"),
    [
        ([0, 3], IndexError, "Target 3 is out of bounds: x has 3 classes, from 0"),
        ([-1, 0], IndexError, "Target -1 is out of bounds"),
        ([0], ValueError, r"Expected input batch_size \(2\) to match target batch_size \(1\)"),
        ([0.0, 1.0], RuntimeError, "expected target dtype to be int64 or uint8, but got float32"),
        ([[0], [1]], RuntimeError, "0D or 1D target tensor expected, multi-target not supported"),
    ],
)
def test_targets_that_do_not_fit(target, error, text):
    with pytest.raises(error, match=text):
        cross_entropy(kael.zeros(2, 3), kael.tensor(target))


def test_unknown_reduction():
    with pytest.raises(ValueError, match="average is not a valid value for reduction; choose none, sum, mean"):
        cross_entropy(kael.zeros(2, 3), kael.tensor([0, 1]), reduction="average")


def test_a_single_row_without_a_batch_axis():
    x = scores(3)
    loss = cross_entropy(x, kael.tensor(1))
    assert loss.shape == ()
    assert loss.item() == pytest.approx((kael.logsumexp(x, 0) - x[1]).item())


def test_mean_over_no_rows_is_nan():
    assert math.isnan(cross_entropy(kael.zeros(0, 3), kael.zeros(0, dtype=kael.int64)).item())


@pytest.mark.parametrize("loss_of", [nll_loss, cross_entropy])
def test_a_target_changed_between_forward_and_backward_changes_nothing(loss_of):
    x, target = scores(2, 3), kael.tensor([0, 1])
    loss_of(x, target).backward()
    before, x.grad = x.grad, None
    loss = loss_of(x, target)
    target[0] = 2
    loss.backward()
    assert x.grad.tolist() == before.tolist()


def test_equal_to_pytorch():
    torch = pytest.importorskip("torch")
    values = np.random.default_rng(3).standard_normal((5, 7)) * 10
    target = [0, 6, 3, 3, 1]
    x, other = kael.tensor(values, requires_grad=True), torch.tensor(values, requires_grad=True)
    loss, expected = (
        cross_entropy(x, kael.tensor(target)),
        torch.nn.functional.cross_entropy(other, torch.tensor(target)),
    )
    loss.backward()
    expected.backward()
    assert loss.item() == pytest.approx(expected.item(), rel=1e-13)
    np.testing.assert_allclose(x.grad.numpy(), other.grad.numpy(), rtol=1e-11, atol=1e-15)
