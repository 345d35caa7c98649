"""Cases of the operations in `kael.ops.standardization`."""

from math import prod
from typing import Any

import numpy as np

from tests.ops.cases.case import one, several


def average(x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """The mean over some axes, also of no elements."""
    return np.asarray(x.sum(axes, keepdims=True) / max(prod(x.shape[axis] for axis in axes), 1))


def normal(x: np.ndarray, axes: tuple[int, ...], eps: float = 1e-5) -> np.ndarray:
    """x with mean 0 and, but for eps, variance 1 over some axes."""
    away = x - average(x, axes)
    return np.asarray(away / np.sqrt(average(away * away, axes) + eps))


def grouped(x: np.ndarray, groups: int, eps: float = 1e-5) -> np.ndarray:
    """`normal` for each group of channels."""
    parts = x.reshape(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])
    return normal(parts, tuple(range(2, parts.ndim)), eps).reshape(x.shape)


def channels(w: np.ndarray, x: np.ndarray) -> np.ndarray:
    """One number per channel, to broadcast to x."""
    return w.reshape(-1, *[1] * (x.ndim - 2))


def running(x: Any, k: Any) -> tuple[Any, Any]:
    """A mean and a variance for each of three channels."""
    return k.tensor([0.5, -0.25, 0.0], dtype=x.dtype), k.tensor([1.0, 0.5, 2.0], dtype=x.dtype)


MEAN, VAR = np.array([0.5, -0.25, 0.0]), np.array([1.0, 0.5, 2.0])

DIFFERENTIABLE = [
    several("layer_norm", "", lambda k, x, w, b: k.nn.functional.layer_norm(x, (3,), w, b),
            lambda x, w, b: normal(x, (-1,)) * w + b, ((2, 3), (3,), (3,)), ((3,), (3,), (3,)), ((0, 3), (3,), (3,)),
            ((2, 4, 3), (3,), (3,))),
    several("layer_norm", "two axes", lambda k, x, w, b: k.nn.functional.layer_norm(x, x.shape[-2:], w, b, 0.1),
            lambda x, w, b: normal(x, (-2, -1), 0.1) * w + b, ((2, 4, 3), (4, 3), (4, 3)), ((4, 3), (4, 3), (4, 3))),
    one("layer_norm", "alone", lambda k, x: k.nn.functional.layer_norm(x, x.shape[-1:]), lambda x: normal(x, (-1,)),
        (2, 3), (3, 2, 4), (3, 0), kinks=((np.full((2, 3), 2.0),), (np.array([[1.0], [2.0]]),),
                                  (np.array([[1.0, np.nan], [1.0, 2.0]]),))),
    several("layer_norm", "weight", lambda k, x, w: k.nn.functional.layer_norm(x, (3,), w),
            lambda x, w: normal(x, (-1,)) * w, ((2, 3), (3,))),
    several("layer_norm", "bias", lambda k, x, b: k.nn.functional.layer_norm(x, (3,), None, b),
            lambda x, b: normal(x, (-1,)) + b, ((2, 3), (3,))),
    several("rms_norm", "", lambda k, x, w: k.nn.functional.rms_norm(x, (3,), w, 0.01),
            lambda x, w: x / np.sqrt((x * x).mean(-1, keepdims=True) + 0.01) * w,
            ((2, 3), (3,)), ((3,), (3,)), ((0, 3), (3,)), ((2, 4, 3), (3,)),
            differs="a weight of another dtype is refused, as layer_norm refuses it in both libraries"),
    one("rms_norm", "alone", lambda k, x: k.nn.functional.rms_norm(x, x.shape[-2:]),
        lambda x: x / np.sqrt((x * x).mean((-2, -1), keepdims=True) + np.finfo(x.dtype).eps), (2, 3), (2, 4, 3),
        kinks=((np.zeros((2, 3)),),)),
    several("group_norm", "", lambda k, x, w, b: k.nn.functional.group_norm(x, 2, w, b),
            lambda x, w, b: grouped(x, 2) * channels(w, x) + channels(b, x),
            ((2, 4), (4,), (4,)), ((2, 4, 3), (4,), (4,)), ((2, 4, 3, 2), (4,), (4,)), ((0, 4, 3), (4,), (4,))),
    one("group_norm", "alone", lambda k, x: k.nn.functional.group_norm(x, 1, eps=0.1), lambda x: grouped(x, 1, 0.1),
        (2, 4), (2, 3, 4), kinks=((np.full((2, 3, 2), 2.0),),)),
    several("group_norm", "weight", lambda k, x, w: k.nn.functional.group_norm(x, 4, w),
            lambda x, w: grouped(x, 4) * channels(w, x), ((2, 4, 3), (4,))),
    several("batch_norm", "", lambda k, x, w, b: k.nn.functional.batch_norm(x, None, None, w, b, True),
            lambda x, w, b: normal(x, (0, *range(2, x.ndim))) * channels(w, x) + channels(b, x),
            ((4, 3), (3,), (3,)), ((2, 3, 4), (3,), (3,)), ((2, 3, 4, 2), (3,), (3,)), ((1, 3, 4), (3,), (3,))),
    one("batch_norm", "alone", lambda k, x: k.nn.functional.batch_norm(x, None, None, training=True, eps=0.1),
        lambda x: normal(x, (0, *range(2, x.ndim)), 0.1), (4, 3), (2, 3, 4), kinks=((np.full((2, 3), 2.0),),)),
    one("batch_norm", "running", lambda k, x: k.nn.functional.batch_norm(x, *running(x, k), training=True),
        lambda x: normal(x, (0, *range(2, x.ndim))), (4, 3)),
    several("batch_norm", "evaluation", lambda k, x, w, b: k.nn.functional.batch_norm(x, *running(x, k), w, b),
            lambda x, w, b: (
                (x - channels(MEAN, x).astype(x.dtype)) / np.sqrt(channels(VAR, x).astype(x.dtype) + x.dtype.type(1e-5))
                * channels(w, x) + channels(b, x)
            ),
            ((4, 3), (3,), (3,)), ((2, 3, 4), (3,), (3,)), ((1, 3), (3,), (3,)), ((0, 3, 2), (3,), (3,))),
]  # fmt: skip
