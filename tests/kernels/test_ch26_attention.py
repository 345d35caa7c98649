"""Attention agrees over all rungs within the stated bounds, in every layout, with masks, without keys, with nan."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.kernels.parity import FLOATS, draw, layouts, outcome, parameters, same_bits
from tests.kernels.rungs import load_rungs

RUNGS = load_rungs("ch26_attention")
REFERENCE = RUNGS["python"]
COMPILED = [name for name in RUNGS if name != "python"]

SHAPES = {
    "small": ((2, 4), (3, 4), (3, 5)),
    "heads": ((2, 3, 5, 8), (2, 3, 7, 8), (2, 3, 7, 6)),
    "keys that repeat": ((2, 3, 4, 3), (3, 5, 3), (1, 1, 5, 2)),
    "one of each": ((1, 1), (1, 1), (1, 1)),
    "size 0": ((2, 0), (3, 0), (3, 4)),
    "values of size 0": ((2, 3), (3, 3), (3, 0)),
    "no queries": ((0, 4), (3, 4), (3, 4)),
    "no keys": ((2, 3), (0, 3), (0, 4)),
    "no matrix": ((0, 2, 3), (0, 4, 3), (0, 4, 3)),
    "more than a block": ((170, 3), (131, 3), (131, 2)),
    "more keys than queries": ((3, 2), (300, 2), (300, 17)),
}
"""By name: shapes of query, key and value."""

MASKS = ("none", "causal", "bool", "bool that repeats", "added", "added to one row")


@pytest.fixture(params=RUNGS)
def any_rung(request: pytest.FixtureRequest) -> ModuleType:
    return RUNGS[request.param]


@pytest.fixture(params=COMPILED)
def quick_rung(request: pytest.FixtureRequest) -> ModuleType:
    return RUNGS[request.param]


def mask_of(kind: str, dtype: str, batch: tuple[int, ...], rows: int, keys: int) -> np.ndarray[Any, Any] | None:
    """A mask for matrices of this size; its first row sees nothing."""
    if kind in ("none", "causal"):
        return None
    generator = np.random.default_rng(7)
    if kind == "added to one row":
        return np.asarray(generator.normal(size=(1, keys)), dtype)
    chosen = generator.random((*batch, rows, keys)) < 0.7
    chosen[..., :1, :] = False
    if kind == "bool":
        return chosen
    if kind == "bool that repeats":
        return np.asarray(chosen.any(axis=tuple(range(len(batch))))[:, :1])
    return np.asarray(np.where(chosen, generator.normal(size=chosen.shape), -np.inf), dtype)


class Exact:
    """Attention as it is written down, in the widest floats, and the bounds that the reference states."""

    def __init__(self, q: Any, k: Any, v: Any, mask: Any, scale: float, causal: bool, g: Any) -> None:
        eps = np.finfo(q.dtype).eps
        q, k, v, g = (np.asarray(x, np.longdouble) for x in (q, k, v, g))
        rows, size, (keys, wide) = q.shape[-2], q.shape[-1], v.shape[-2:]
        scores = q @ k.swapaxes(-1, -2) * scale
        large = (np.abs(q) @ np.abs(k).swapaxes(-1, -2) * abs(scale)).max(initial=0)
        if causal:
            scores = np.where(np.tri(rows, keys, dtype=bool), scores, -np.inf)
        if mask is not None and mask.dtype == bool:
            scores = np.where(mask, scores, -np.inf)
        elif mask is not None:
            scores = scores + mask
            large = large + np.abs(mask[np.isfinite(mask)]).max(initial=0)
        best = scores.max(-1, keepdims=True, initial=-np.inf)
        best = np.where(np.isfinite(best), best, 0)
        weights = np.exp(scores - best)
        total = weights.sum(-1, keepdims=True)
        weights = weights / np.where(total == 0, 1, total)
        with np.errstate(divide="ignore"):
            self.logsumexp = (best + np.log(total))[..., 0]
        self.out = weights @ v
        self.out_bound = (keys + 16 + 2 * (size + 3) * large) * eps * np.abs(v).max(initial=0)
        slopes = weights * (g @ v.swapaxes(-1, -2) - (g * self.out).sum(-1, keepdims=True)) * scale
        spread = np.abs(g) @ np.abs(v).swapaxes(-1, -2)
        spread = weights * (spread + (weights * spread).sum(-1, keepdims=True)) * abs(scale)
        bound = (keys + size + wide + 16 + 4 * (size + 3) * large) * eps
        self.gradients = (slopes @ k, slopes.swapaxes(-1, -2) @ q, weights.swapaxes(-1, -2) @ g)
        self.bounds = (
            bound * (spread @ np.abs(k)),
            bound * (spread.swapaxes(-1, -2) @ np.abs(q)),
            bound * (weights.swapaxes(-1, -2) @ np.abs(g)),
        )


def run(rung: ModuleType, q: Any, k: Any, v: Any, mask: Any, scale: float, causal: bool, g: Any) -> tuple[Any, ...]:
    """Both kernels of a rung: out, totals and the three gradients, in arrays that held nan before."""
    batch = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    rows, keys = q.shape[-2], k.shape[-2]
    shapes = ((rows, v.shape[-1]), (rows, 2), (rows, q.shape[-1]), (keys, q.shape[-1]), (keys, v.shape[-1]))
    out, totals, *gradients = (np.full((*batch, *shape), np.nan, q.dtype) for shape in shapes)
    rung.attention(q, k, v, mask, scale, causal, out, totals)
    rung.attention_vjp(g, q, k, v, mask, scale, causal, out, totals, *gradients)
    return out, totals, *gradients


def problem(dtype: str, which: str, masked: str) -> tuple[Any, ...]:
    """Operands: query, key, value, mask, scale, causal, g."""
    q, k, v = (draw(dtype, shape, seed) for seed, shape in enumerate(SHAPES[which]))
    batch = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    mask = mask_of(masked, dtype, batch, q.shape[-2], k.shape[-2])
    return q, k, v, mask, 0.3, masked == "causal", draw(dtype, (*batch, q.shape[-2], v.shape[-1]), 9)


@pytest.mark.parametrize("masked", MASKS)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("which", SHAPES)
def test_results_and_gradients_are_within_the_bounds(any_rung: ModuleType, dtype: str, which: str, masked: str) -> None:
    operands = problem(dtype, which, masked)
    exact = Exact(*operands)
    out, totals, *gradients = run(any_rung, *operands)
    assert np.all(np.abs(out - exact.out) <= exact.out_bound)
    with np.errstate(divide="ignore"):
        logsumexp = totals[..., 0] + np.log(totals[..., 1])
    assert np.array_equal(np.isinf(logsumexp), np.isinf(exact.logsumexp))
    np.testing.assert_allclose(logsumexp, exact.logsumexp, rtol=1e-5 if dtype == "float32" else 1e-13)
    for found, want, bound in zip(gradients, exact.gradients, exact.bounds, strict=True):
        assert np.all(np.abs(found - want) <= bound)


@pytest.mark.parametrize("dtype", FLOATS)
def test_blocks_of_many_queries_and_keys(quick_rung: ModuleType, dtype: str) -> None:
    generator = np.random.default_rng(3)
    q, k, v, g = (np.asarray(generator.normal(size=(2, 515, 40)), dtype) for _ in range(4))
    for causal in (False, True):
        exact = Exact(q, k, v, None, 0.16, causal, g)
        out, _, *gradients = run(quick_rung, q, k, v, None, 0.16, causal, g)
        assert np.all(np.abs(out - exact.out) <= exact.out_bound)
        for found, want, bound in zip(gradients, exact.gradients, exact.bounds, strict=True):
            assert np.all(np.abs(found - want) <= bound)


def test_every_layout_gives_the_same_bits(any_rung: ModuleType) -> None:
    operands = problem("float64", "heads", "added")
    want = run(any_rung, *operands)
    q, k, v, mask, scale, causal, g = operands
    for (_, a), (_, b), (_, c), (_, m), (_, d) in zip(*(layouts(x) for x in (q, k, v, mask, g)), strict=True):
        assert all(same_bits(x, y) for x, y in zip(run(any_rung, a, b, c, m, scale, causal, d), want, strict=True))
    for places in zip(*(layouts(np.full_like(x, np.nan)) for x in (want[0], *want[2:])), strict=True):
        out, *gradients = (place for _, place in places)
        totals = np.full(want[1].shape, np.nan)[::-1]
        any_rung.attention(q, k, v, mask, scale, causal, out, totals)
        any_rung.attention_vjp(g, q, k, v, mask, scale, causal, out, totals, *gradients)
        assert all(same_bits(x, y) for x, y in zip((out, totals, *gradients), want, strict=True))


def test_heads_are_read_where_a_projection_left_them(any_rung: ModuleType) -> None:
    joined = draw("float32", (2, 5, 3 * 12))
    q, k, v = (joined[..., n * 12 : (n + 1) * 12].reshape(2, 5, 3, 4).transpose(0, 2, 1, 3) for n in range(3))
    g = draw("float32", q.shape, 1)
    want = run(any_rung, *(np.ascontiguousarray(x) for x in (q, k, v)), None, 0.5, True, g)
    assert all(same_bits(x, y) for x, y in zip(run(any_rung, q, k, v, None, 0.5, True, g), want, strict=True))


def test_a_key_of_nan_spoils_the_queries_that_see_it(any_rung: ModuleType) -> None:
    q, k, v, _, scale, _, g = problem("float64", "heads", "none")
    k[..., 3, :] = np.nan
    out, totals, *_ = run(any_rung, q, k, v, None, scale, True, g)
    assert np.isnan(out[..., 3:, :]).all()
    assert np.isnan(totals[..., 3:, 1]).all()
    assert not np.isnan(totals[..., :3, :]).any()


def test_large_scores_do_not_overflow(any_rung: ModuleType) -> None:
    q = np.array([[1e4], [-1e4]], np.float32)
    k, v = np.array([[3.0], [1.0], [2.0]], np.float32), np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], np.float32)
    out, totals, dq, dk, dv = run(any_rung, q, k, v, None, 1.0, False, np.ones((2, 2), np.float32))
    assert out.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert totals.tolist() == [[3e4, 1.0], [-1e4, 1.0]]
    assert dq.tolist() == [[0.0], [0.0]]
    assert dk.tolist() == [[0.0], [0.0], [0.0]]
    assert dv.tolist() == [[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]


# Masks and scores beside which float32, and float64 too, has no digits left for the logarithm of a count.
HUGE = {
    "mask of -1e9": (1.0, np.full((4, 4), -1e9)),
    "mask of the least number": (1.0, np.full((4, 4), np.finfo(np.float32).min)),
    "mask of 1e20": (1.0, np.full((4, 4), 1e20)),
    "scores of 1e20": (1e10, None),
    "scores of 1e5": (316.22776601683796, None),
    "half of the keys": (1.0, np.broadcast_to([-1e9, -1e9, -np.inf, -np.inf], (4, 4))),
    "a row that sees nothing": (1.0, np.where(np.eye(4, 1, dtype=bool), -np.inf, -1e9).repeat(4, 1)),
}


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("which", HUGE)
def test_equal_huge_scores_share_the_gradient(any_rung: ModuleType, dtype: str, which: str, causal: bool) -> None:
    size, mask = HUGE[which]
    mask = None if mask is None else np.asarray(mask, dtype)
    q = np.full((4, 1), size, dtype)
    v, g = np.arange(8, dtype=dtype).reshape(4, 2), np.ones((4, 2), dtype)
    seen = np.ones((4, 4), bool) if mask is None else ~np.isneginf(mask)
    seen = seen & np.tri(4, dtype=bool) if causal else seen
    weights = seen / np.maximum(seen.sum(-1, keepdims=True), 1)
    slopes = weights * (g @ v.T - (weights @ v).sum(-1, keepdims=True))
    out, totals, dq, dk, dv = run(any_rung, q, q, v, mask, 1.0, causal, g)
    near = {"rtol": 8 * np.finfo(dtype).eps, "atol": 64 * np.finfo(dtype).eps}
    np.testing.assert_array_equal(totals[:, 1], seen.sum(-1))
    np.testing.assert_allclose(out, weights @ v, **near)
    np.testing.assert_allclose(dv, weights.T @ g, **near)
    np.testing.assert_allclose(dq / size, slopes.sum(-1, keepdims=True), **near)
    np.testing.assert_allclose(dk / size, slopes.sum(0)[:, None], **near)


def test_operands_are_left_as_they_were(any_rung: ModuleType) -> None:
    operands = problem("float32", "small", "added")
    before = [x.copy() for x in operands if isinstance(x, np.ndarray)]
    run(any_rung, *operands)
    assert all(same_bits(x, y) for x, y in zip([x for x in operands if isinstance(x, np.ndarray)], before, strict=True))


def test_a_second_run_gives_the_same_bits(any_rung: ModuleType) -> None:
    operands = problem("float32", "more than a block", "bool")
    assert all(same_bits(x, y) for x, y in zip(run(any_rung, *operands), run(any_rung, *operands), strict=True))


def calls() -> list[tuple[str, tuple[Any, ...]]]:
    """Calls that every rung refuses."""
    f = np.float32
    q, k, v, g = np.ones((2, 3), f), np.ones((4, 3), f), np.ones((4, 5), f), np.ones((2, 5), f)
    out, totals, dq, dk, dv = np.ones((2, 5), f), np.ones((2, 2), f), np.ones((2, 3), f), np.ones((4, 3), f), v.copy()
    locked = out.copy()
    locked.flags.writeable = False
    shifted = np.frombuffer(bytes(25), np.uint8)[1:].view(f).reshape(2, 3)
    forward = [
        (np.ones((2, 3), int), k, v, None, 1.0, False, out, totals),
        (q, k.astype("f8"), v, None, 1.0, False, out, totals),
        (q, k, v, np.ones((2, 4), int), 1.0, False, out, totals),
        (q, k, v, np.ones((2, 4)), 1.0, False, out, totals),
        (q[0], k, v, None, 1.0, False, out, totals),
        (q, np.ones((4, 2), f), v, None, 1.0, False, out, totals),
        (q, np.ones((5, 3), f), v, None, 1.0, False, out, totals),
        (np.ones((2, 2, 3), f), k, v, None, 1.0, False, out, totals),
        (q, k, v, np.ones((3, 4), bool), 1.0, False, out, totals),
        (q, k, v, np.ones((2, 2, 4), bool), 1.0, False, out, totals),
        (q, k, v, None, 1.0, False, np.ones((2, 4), f), totals),
        (q, k, v, None, 1.0, False, out, np.ones((2, 1), f)),
        (q, k, v, None, 1.0, False, locked, totals),
        (shifted, k, v, None, 1.0, False, out, totals),
    ]
    backward = [
        (g[:1], q, k, v, None, 1.0, False, out, totals, dq, dk, dv),
        (g, q, k, v, None, 1.0, False, out, totals, dq[:1], dk, dv),
        (g, q, k, v, None, 1.0, False, out, totals, dq, dk[:1], dv),
        (g, q, k, v, None, 1.0, False, out, totals, dq, dk, dv[:, :1]),
        (g, q, k, v, None, 1.0, False, out, totals, dq.astype("f8"), dk, dv),
        (g, q, k, v, None, 1.0, False, out, totals, dq, dk, np.broadcast_to(dv[:1], dv.shape)),
    ]
    return [*(("attention", call) for call in forward), *(("attention_vjp", call) for call in backward)]


@pytest.mark.parametrize("number", range(len(calls())))
def test_bad_calls_are_refused_in_the_same_words(any_rung: ModuleType, number: int) -> None:
    name, arguments = calls()[number]
    refused = outcome(getattr(any_rung, name), *arguments)
    assert refused is not None
    assert refused[0] in ("TypeError", "ValueError")
    assert refused == outcome(getattr(REFERENCE, name), *arguments)


def test_rungs_have_the_same_names_and_parameters(any_rung: ModuleType) -> None:
    assert any_rung.__all__ == REFERENCE.__all__
    assert parameters(any_rung) == parameters(REFERENCE)
