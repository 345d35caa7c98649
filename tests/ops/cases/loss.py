"""Cases of the operations in `kael.ops.loss` and `kael.ops.unit_vectors`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.cases.case import Case, one, several

ENDS = np.array([-1000.0, -3.0, -1.0, -0.0, 0.0, 1.0, 3.0, 1000.0, np.inf, -np.inf, np.nan])
OTHER = np.array([0.5, -4.0, -1.0, 0.0, 0.0, 0.0, 2.0, 0.5, 1.0, 1.0, 1.0])
SHAPES = (((2, 3), (2, 3)), ((5,), (5,)), ((), ()), ((0,), (0,)), ((2, 3, 2), (2, 3, 2)))
ROWS = ((4, 3), (4, 1), (4, 5))
SPREAD = np.array([0.25, 1.0, 0.5, 2.0])
CLASSES = np.array([2, 0, 2, 1])
PARTLY = np.array([2, -100, 0, -100])
IMAGE = np.array([[[0, 2], [1, 1], [2, 0]], [[1, 1], [0, 2], [2, 2]]])
WEIGHTS = np.array([0.5, 2.0, 1.25])


def reduced(losses: np.ndarray, reduction: str = "mean") -> Any:
    if reduction == "none":
        return losses
    return np.divide(losses.sum(), losses.size, dtype=losses.dtype) if reduction == "mean" else losses.sum()


def pairs(name: str, losses: Callable[..., Any], label: str = "", more: Any = None, **options: Any) -> list[Case]:
    """The three reductions of a loss of two operands."""
    return [
        several(
            name, f"{label} {reduction}".strip(),
            lambda k, x, y, reduction=reduction: getattr(k.nn.functional, name)(x, y, reduction=reduction, **options),
            lambda x, y, reduction=reduction: reduced(losses(x, y), reduction), *SHAPES,
            differs="in two dtypes PyTorch's gradient fails, or it rounds to the narrower one", **(more or {}),
        )
        for reduction in ("mean", "sum", "none")
    ]  # fmt: skip


def smooth(x: Any, y: Any, beta: float) -> Any:
    d = np.abs(x - y)
    return np.where(d < beta, d * d / (2 * beta), d - beta / 2)


def chances(x: Any) -> Any:
    """Numbers between 0 and 1 from any."""
    return 1 / (1 + np.exp(-x))


def logits(x: Any, y: Any, positive: float = 1.0) -> Any:
    return positive * y * np.log(1 + np.exp(-x)) + (1 - y) * np.log(1 + np.exp(x))


def probabilities(k: Any, x: Any) -> Any:
    return k.sigmoid(x)


def bce(x: Any, y: Any) -> Any:
    return -y * np.log(x) - (1 - y) * np.log(1 - x)


def softened(x: Any, axis: int) -> Any:
    return np.exp(x) / np.exp(x).sum(axis, keepdims=True)


def rows(
    x: Any, target: Any, weight: Any = None, reduction: str = "mean", smoothing: float = 0.0, scores: bool = True
) -> Any:
    """The losses of rows of scores, written row by row."""
    x = np.moveaxis(x, 1, -1) if x.ndim > 1 else x
    logarithms = np.log(softened(x, -1)) if scores else x
    weight = np.ones(x.shape[-1]) if weight is None else weight
    losses = np.zeros(np.shape(target), x.dtype)
    total = 0.0
    for place in np.ndindex(*np.shape(target)):
        chosen = np.asarray(target)[place]
        if chosen == -100:
            continue
        row = logarithms[place] * weight
        losses[place] = -(1 - smoothing) * row[chosen] - smoothing / len(row) * row.sum()
        total += weight[chosen]
    if reduction == "mean":
        return (losses.sum() / total).astype(x.dtype) if total else np.asarray(np.nan, x.dtype)
    return reduced(losses, reduction)


def classes(label: str, target: np.ndarray, shapes: Any, **options: Any) -> list[Case]:
    """cross_entropy and nll_loss with these right classes."""
    found = []
    differs = "PyTorch's gradient refuses rows that are not contiguous" if IMAGE.shape == target.shape else ""
    for name, scores in (("cross_entropy", True), ("nll_loss", False)):
        if "label_smoothing" in options and not scores:
            continue
        oracle = {key: value for key, value in options.items() if key in ("reduction", "weight")}
        oracle["smoothing"] = options.get("label_smoothing", 0.0)

        def call(k: Any, x: Any, name: str = name) -> Any:
            given = dict(options)
            if "weight" in given:
                given["weight"] = k.tensor(given["weight"]).to(x.dtype)
            return getattr(k.nn.functional, name)(x, k.tensor(target), **given)

        op = "nll_loss" if "label_smoothing" in options else name

        def expected(x: Any, scores: bool = scores, oracle: Any = oracle) -> Any:
            return rows(x, target, scores=scores, **oracle)

        found.append(one(op, label, call, expected, *shapes, differs="" if scores else differs))
    return found


def soft_targets(x: Any, y: Any, smoothing: float = 0.0) -> Any:
    y = y * (1 - smoothing) + smoothing / x.shape[1]
    losses = -(np.log(softened(x, 1)) * y).sum(1)
    return losses.mean()


def unit(x: Any, p: float = 2.0, axis: int = 1) -> Any:
    return x / np.maximum((np.abs(x) ** p).sum(axis, keepdims=True) ** (1 / p), 1e-12)


KINKS = {"kinks": ((ENDS, OTHER),)}
DIFFERENTIABLE = [
    *pairs("mse_loss", lambda x, y: (x - y) ** 2, more=KINKS),
    several("mse_loss", "weight", lambda k, x, y: k.nn.functional.mse_loss(x, y, weight=k.tensor(SPREAD).to(x.dtype)),
            lambda x, y: ((x - y) ** 2 * SPREAD).sum().astype(x.dtype) / SPREAD.sum().astype(x.dtype), ((4,), (4,)),
            differs="integers and bool are refused with weights as without"),
    *pairs("l1_loss", lambda x, y: np.abs(x - y), more=KINKS),
    *pairs("smooth_l1_loss", lambda x, y: smooth(x, y, 1.0), more=KINKS),
    *pairs("smooth_l1_loss", lambda x, y: smooth(x, y, 0.3), "beta", beta=0.3),
    *pairs("huber_loss", lambda x, y: smooth(x, y, 1.0), more=KINKS),
    *pairs("huber_loss", lambda x, y: 0.3 * smooth(x, y, 0.3), "delta", delta=0.3),
    *[several("binary_cross_entropy", reduction,
              lambda k, x, y, reduction=reduction: k.nn.functional.binary_cross_entropy(
                  k.sigmoid(x), k.sigmoid(y), reduction=reduction),
              lambda x, y, reduction=reduction: reduced(bce(chances(x), chances(y)), reduction), *SHAPES)
      for reduction in ("mean", "sum", "none")],
    several("binary_cross_entropy", "weight",
            lambda k, x, y: k.nn.functional.binary_cross_entropy(
                k.sigmoid(x), k.sigmoid(y), k.tensor(SPREAD).to(x.dtype)),
            lambda x, y: (bce(chances(x), chances(y)) * SPREAD.astype(x.dtype)).mean(), ((3, 4), (3, 4))),
    *pairs("binary_cross_entropy_with_logits", logits, more={"kinks": ((ENDS[:-3], np.abs(OTHER[:-3])),)}),
    several("binary_cross_entropy_with_logits", "weights",
            lambda k, x, y: k.nn.functional.binary_cross_entropy_with_logits(
                x, y, k.tensor(SPREAD).to(x.dtype), pos_weight=k.tensor(SPREAD[::-1].copy()).to(x.dtype)),
            lambda x, y: (logits(x, y, SPREAD[::-1].astype(x.dtype)) * SPREAD.astype(x.dtype)).mean(),
            ((3, 4), (3, 4)), differs="two dtypes meet before the products"),
    *[several("kl_div", reduction,
              lambda k, x, y, reduction=reduction: k.nn.functional.kl_div(x, y, reduction=reduction),
              lambda x, y, reduction=reduction: reduced(y * (np.log(y) - x), reduction), *SHAPES, ((2, 3), (3,)),
              positive=True, differs="two dtypes meet before the products")
      for reduction in ("sum", "none")],
    several("kl_div", "batch", lambda k, x, y: k.nn.functional.kl_div(x, y, reduction="batchmean"),
            lambda x, y: (y * (np.log(y) - x)).sum() / len(x), ((2, 3), (2, 3)), ((4,), (4,)), positive=True,
            kinks=((np.array([0.5, 1.0, -2.0]), np.array([0.0, 0.0, 1.0])),),
            differs="the target's gradient at 0 is -inf, its limit; two dtypes meet before the products"),
    several("kl_div", "logarithms", lambda k, x, y: k.nn.functional.kl_div(x, y, reduction="sum", log_target=True),
            lambda x, y: (np.exp(y) * (y - x)).sum(), *SHAPES, differs="two dtypes meet before the products"),
    *classes("", CLASSES, ((4, 3),)),
    *classes("sum", CLASSES, ((4, 3),), reduction="sum"),
    *classes("none", CLASSES, ((4, 3),), reduction="none"),
    *classes("ignored", PARTLY, ((4, 3),)),
    *classes("ignored none", PARTLY, ((4, 3),), reduction="none"),
    *classes("weight", CLASSES, ((4, 3),), weight=WEIGHTS),
    *classes("weight ignored", PARTLY, ((4, 3),), weight=WEIGHTS),
    *classes("weight none", CLASSES, ((4, 3),), weight=WEIGHTS, reduction="none"),
    *classes("one row", np.array(1), ((3,),)),
    *classes("image", IMAGE, ((2, 3, 3, 2),)),
    *classes("image weight", IMAGE, ((2, 3, 3, 2),), weight=WEIGHTS, reduction="sum"),
    *classes("sequence", IMAGE[:, :, 0], ((2, 3, 3),), reduction="none"),
    *classes("smoothing", CLASSES, ((4, 3),), label_smoothing=0.1),
    *classes("smoothing weight", PARTLY, ((4, 3),), label_smoothing=0.1, weight=WEIGHTS),
    *classes("smoothing none", IMAGE[:, :, 0], ((2, 3, 3),), label_smoothing=0.3, reduction="none"),
    several("log_softmax", "target", lambda k, x, y: k.nn.functional.cross_entropy(x, y), soft_targets,
            ((4, 3), (4, 3)), ((2, 3, 4), (2, 3, 4))),
    several("log_softmax", "target smoothing",
            lambda k, x, y: k.nn.functional.cross_entropy(x, y, label_smoothing=0.2),
            lambda x, y: soft_targets(x, y, 0.2), ((4, 3), (4, 3)),
            differs="a float16 target is smoothed in float16"),
    one("norm", "normalize", lambda k, x: k.nn.functional.normalize(x), unit, *ROWS, kinks=((np.zeros((2, 3)),),)),
    one("norm", "normalize 3", lambda k, x: k.nn.functional.normalize(x, 3.0, 0), lambda x: unit(x, 3.0, 0), *ROWS),
    several("norm", "cosine", lambda k, x, y: k.nn.functional.cosine_similarity(x, y),
            lambda x, y: (unit(x) * unit(y)).sum(1), ((4, 3), (4, 3)), ((2, 3, 4), (1, 3, 4)),
            differs="two dtypes meet before the norms",
            kinks=((np.array([[0.0, 0.0], [1.0, 2.0]]), np.array([[1.0, 0.0], [-1.0, -2.0]])),)),
]  # fmt: skip

OTHERS = []
