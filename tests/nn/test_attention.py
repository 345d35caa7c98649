"""Attention as a layer: equal to PyTorch's, given its state dict."""

import numpy
import pytest

import kael


@pytest.mark.parametrize("masks", [{}, {"attn_mask"}, {"attn_mask", "key_padding_mask"}])
@pytest.mark.parametrize("need_weights", [False, True])
@pytest.mark.parametrize("options", [{}, {"batch_first": True, "bias": False}])
def test_results_and_gradients_equal_pytorchs(options, need_weights, masks):
    torch = pytest.importorskip("torch")
    theirs = torch.nn.MultiheadAttention(8, 2, dtype=torch.float64, **options)
    ours = kael.nn.MultiheadAttention(8, 2, dtype=kael.float64, **options)
    ours.load_state_dict({key: kael.tensor(value.numpy()) for key, value in theirs.state_dict().items()})
    theirs.load_state_dict({key: torch.tensor(value.numpy()) for key, value in ours.state_dict().items()})
    array = numpy.random.default_rng(0).normal(size=(4, 4, 8))
    given = {"attn_mask": numpy.triu(numpy.ones((4, 4), bool), 1), "key_padding_mask": numpy.zeros((4, 4), bool)}
    given["key_padding_mask"][:, 3] = True
    x, y = kael.tensor(array).requires_grad_(), torch.tensor(array).requires_grad_()
    got, weights = ours(x, x, x, need_weights=need_weights, **{n: kael.tensor(given[n]) for n in masks})
    expected, their_weights = theirs(y, y, y, need_weights=need_weights, **{n: torch.tensor(given[n]) for n in masks})
    (got * got).sum().backward()
    (expected * expected).sum().backward()
    pairs = [(got, expected), (x.grad, y.grad)]
    pairs += [(a.grad, b.grad) for a, b in zip(ours.parameters(), theirs.parameters(), strict=True)]
    pairs += [(weights, their_weights)] if need_weights else []
    for a, b in pairs:
        numpy.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-9, atol=1e-11)


def test_sizes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="num_heads 3 does not divide embed_dim 8"):
        kael.nn.MultiheadAttention(8, 3)
    with pytest.raises(RuntimeError, match="7 numbers but embed_dim is 8"):
        kael.nn.MultiheadAttention(8, 2)(*[kael.zeros(5, 2, 7)] * 3)
