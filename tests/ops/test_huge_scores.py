"""Equal scores share evenly, also where they are so large that the logarithm of their count is lost beside them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kael

attend = kael.nn.functional.scaled_dot_product_attention
FLOATS = [kael.float32, kael.float64]


def operands(dtype: Any, size: float = 1.0) -> list[Any]:
    """Query, key and value of four positions: equal queries and keys, and values that differ."""
    q = kael.full((1, 4, 4), size, dtype=dtype)
    v = kael.arange(16.0, dtype=dtype).reshape(1, 4, 4)
    return [x.clone().requires_grad_() for x in (q, q, v)]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("huge", [-1e9, 1e9, -1e5, -3e38])
@pytest.mark.parametrize("learned", [False, True])
def test_an_equal_mask_changes_no_gradient(dtype: Any, huge: float, learned: bool) -> None:
    masked, plain = operands(dtype), operands(dtype)
    mask = kael.full((4, 4), huge, dtype=dtype, requires_grad=learned)
    nothing = kael.zeros(4, 4, dtype=dtype, requires_grad=True)
    attend(*masked, attn_mask=mask).pow(2).sum().backward()
    attend(*plain, attn_mask=nothing).pow(2).sum().backward()
    assert masked[2].grad.tolist() == plain[2].grad.tolist()
    for got, want in zip((*masked, mask)[: 4 if learned else 3], (*plain, nothing), strict=False):
        np.testing.assert_allclose(got.grad.numpy(), want.grad.numpy(), rtol=1e-6, atol=1e-4)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_a_mask_of_minus_a_billion_leaves_each_value_one(dtype: Any) -> None:
    q, k, v = operands(dtype)
    attend(q, k, v, attn_mask=kael.full((4, 4), -1e9, dtype=dtype)).sum().backward()
    assert v.grad.tolist() == [[[1.0] * 4] * 4]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("size", [1e3, 1e10])
def test_equal_huge_scores_without_a_mask(dtype: Any, size: float) -> None:
    q, k, v = operands(dtype, size)
    attend(q, k, v, is_causal=True).sum().backward()
    shares = np.tri(4) / np.arange(1, 5)[:, None]
    np.testing.assert_allclose(v.grad.numpy()[0], np.repeat(shares.sum(0)[:, None], 4, 1), rtol=1e-6)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_a_wholly_masked_row_gives_and_gets_nothing(dtype: Any) -> None:
    q, k, v = operands(dtype)
    mask = kael.full((4, 4), -1e9, dtype=dtype)
    mask[0] = -float("inf")
    out = attend(q, k, v, attn_mask=mask)
    out.sum().backward()
    assert out[0, 0].tolist() == [0.0] * 4
    assert v.grad.tolist() == [[[0.75] * 4] * 4]
    assert q.grad[0, 0].tolist() == [0.0] * 4


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("huge", [-1e20, 1e20, 1e9])
def test_equal_huge_elements_of_logsumexp(dtype: Any, huge: float) -> None:
    x = kael.full((2, 4), huge, dtype=dtype, requires_grad=True)
    kael.logsumexp(x, 1).sum().backward()
    assert x.grad.tolist() == [[0.25] * 4] * 2


def test_an_infinite_element_of_logsumexp_is_as_before() -> None:
    x = kael.tensor([[np.inf, 1.0], [-np.inf, 1.0], [-np.inf, -np.inf]], requires_grad=True)
    kael.logsumexp(x, 1).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [[np.nan, 0.0], [0.0, 1.0], [np.nan, np.nan]])
