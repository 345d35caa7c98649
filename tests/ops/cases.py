"""One list of cases, one or more per operation, from which the tests of all operations are generated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import kael
from kael.ops.normalization import nll_loss

UNARY = ((), (5,), (2, 3), (0,), (2, 0), (2, 3, 4))
BINARY = (
    ((2, 3), (2, 3)), ((2, 3), (3,)), ((3, 1), (1, 4)), ((), (2, 3)), ((1,), (2, 3)), ((4, 0), (4, 1)), ((), (1, 1)),
    ((), ()), ((2, 3, 4), (3, 1)),
)  # fmt: skip
AXES = ((2, 3), (2, 3, 4), (3, 1))


def draw(shape: tuple[int, ...], which: int = 0, positive: bool = False) -> np.ndarray:
    """Distinct float64 numbers that meet no kink: none is whole, and no two of two operands are equal."""
    count = int(np.prod(shape))
    order = np.random.default_rng(count + 7 * which).permutation(count)
    values = (order - count // 2 + (0.3, 0.55, 0.8)[which]) * 0.37
    return (np.abs(values) if positive else values).reshape(shape)


@dataclass(frozen=True)
class Case:
    """How to call an operation, and what NumPy says that it computes."""

    op: str
    function: Callable[..., kael.Tensor]
    oracle: Callable[..., np.ndarray]
    shapes: tuple[tuple[tuple[int, ...], ...], ...]
    positive: bool = False
    label: str = ""

    @property
    def name(self) -> str:
        return f"{self.op}-{self.label}" if self.label else self.op

    def arrays(self, shapes: tuple[tuple[int, ...], ...]) -> list[np.ndarray]:
        """Operands of these shapes."""
        return [draw(shape, which, self.positive) for which, shape in enumerate(shapes)]

    def expected(self, *arrays: np.ndarray) -> np.ndarray:
        """The oracle's result."""
        with np.errstate(all="ignore"):
            return np.asarray(self.oracle(*arrays))


def unary(op: str, oracle: Callable[..., Any], positive: bool = False) -> Case:
    """A case of an elementwise operation of one operand."""
    return Case(op, getattr(kael, op), oracle, tuple((shape,) for shape in UNARY), positive)


def binary(op: str, oracle: Callable[..., Any], positive: bool = False) -> Case:
    """A case of an elementwise operation of two operands that broadcast."""
    return Case(op, getattr(kael, op), oracle, BINARY, positive)


def one(op: str, label: str, function: Any, oracle: Any, *shapes: tuple[int, ...]) -> Case:
    """A case of an operation of one operand, of each of these shapes."""
    return Case(op, function, oracle, tuple((shape,) for shape in shapes), label=label)


def several(op: str, label: str, function: Any, oracle: Any, *shapes: tuple[tuple[int, ...], ...]) -> Case:
    """A case of an operation of several operands."""
    return Case(op, function, oracle, shapes, label=label)


def shares(x: np.ndarray, axis: int) -> np.ndarray:
    """The softmax, as it is written down."""
    return np.exp(x) / np.exp(x).sum(axis, keepdims=True)


CONDITION = np.array([[True, False, True], [False, False, True]])
LIST = [0, 0, 1]
PAIRS = np.array([[0, 1, 0], [1, 0, 1]])
MASK = np.array([[True, False, True], [False, True, False]])

DIFFERENTIABLE = [
    binary("add", np.add),
    binary("sub", np.subtract),
    binary("mul", np.multiply),
    binary("div", np.divide),
    binary("pow", np.power, positive=True),
    binary("maximum", np.maximum),
    binary("minimum", np.minimum),
    unary("neg", np.negative),
    unary("abs", np.abs),
    unary("exp", np.exp),
    unary("log", np.log, positive=True),
    unary("sqrt", np.sqrt, positive=True),
    unary("tanh", np.tanh),
    unary("sigmoid", lambda x: 1 / (1 + np.exp(-x))),
    unary("relu", lambda x: np.maximum(x, 0)),
    unary("sign", np.sign),
    unary("floor", np.floor),
    unary("ceil", np.ceil),
    unary("round", np.round),
    unary("clone", np.copy),
    several(
        "where", "", lambda x, y: kael.where(kael.tensor(CONDITION), x, y), lambda x, y: np.where(CONDITION, x, y),
        ((2, 3), (2, 3)), ((3,), ()), ((1, 1), (2, 1)),
    ),
    one("sum", "all", kael.sum, np.sum, *UNARY),
    one("sum", "first", lambda x: kael.sum(x, 0), lambda x: np.sum(x, 0), *AXES, (0, 3)),
    one("sum", "two", lambda x: kael.sum(x, (0, -1), True), lambda x: np.sum(x, (0, -1), keepdims=True), *AXES),
    one("mean", "all", kael.mean, np.mean, (), (5,), (2, 3, 4)),
    one("mean", "last", lambda x: kael.mean(x, -1), lambda x: np.mean(x, -1), *AXES),
    one("mean", "two", lambda x: kael.mean(x, (1, 0), True), lambda x: np.mean(x, (1, 0), keepdims=True), *AXES),
    one("amax", "all", kael.amax, np.max, (), (5,), (2, 3, 4)),
    one("amax", "first", lambda x: kael.amax(x, 0), lambda x: np.max(x, 0), *AXES),
    one("amax", "two", lambda x: kael.amax(x, (0, 1), True), lambda x: np.max(x, (0, 1), keepdims=True), *AXES),
    one("amin", "all", kael.amin, np.min, (), (5,), (2, 3, 4)),
    one("amin", "last", lambda x: kael.amin(x, -1), lambda x: np.min(x, -1), *AXES),
    one("max", "first", lambda x: kael.max(x, 0).values, lambda x: np.max(x, 0), (5,), *AXES),
    one("max", "kept", lambda x: kael.max(x, 1, True).values, lambda x: np.max(x, 1, keepdims=True), *AXES),
    one("min", "last", lambda x: kael.min(x, -1).values, lambda x: np.min(x, -1), (5,), *AXES),
    one("softmax", "", lambda x: kael.softmax(x, -1), lambda x: shares(x, -1), (), (5,), (2, 3), (2, 0), (0, 3)),
    one("softmax", "first", lambda x: kael.softmax(x, 0), lambda x: shares(x, 0), *AXES),
    one("log_softmax", "", lambda x: kael.log_softmax(x, -1), lambda x: np.log(shares(x, -1)), (5,), (2, 3), (0, 3)),
    one("log_softmax", "first", lambda x: kael.log_softmax(x, 0), lambda x: np.log(shares(x, 0)), *AXES),
    one("logsumexp", "", lambda x: kael.logsumexp(x, -1), lambda x: np.log(np.exp(x).sum(-1)), (5,), (2, 3), (0, 3)),
    one("logsumexp", "two", lambda x: kael.logsumexp(x, (0, 1), True),
        lambda x: np.log(np.exp(x).sum((0, 1), keepdims=True)), *AXES),
    one("nll_loss", "", lambda x: nll_loss(x, kael.tensor([2, 0])), lambda x: -(x[0, 2] + x[1, 0]) / 2, (2, 3)),
    one("nll_loss", "each", lambda x: nll_loss(x, kael.tensor([2, 0]), "none"),
        lambda x: -np.array([x[0, 2], x[1, 0]]), (2, 3)),
    several("matmul", "2d", kael.matmul, np.matmul,
            ((2, 3), (3, 4)), ((1, 1), (1, 1)), ((2, 0), (0, 3)), ((0, 2), (2, 3))),
    several("matmul", "vectors", kael.matmul, np.matmul, ((3, 2), (2,)), ((3,), (3, 2)), ((3,), (3,))),
    several(
        "matmul", "batches", kael.matmul, np.matmul,
        ((2, 1, 2, 3), (3, 3, 2)), ((4, 2, 3), (3,)), ((2, 3), (4, 3, 2)), ((1, 2, 3), (4, 3, 2)),
        ((0, 2, 3), (0, 3, 2)),
    ),
    one("reshape", "flat", lambda x: x.reshape(-1), lambda x: x.reshape(-1), (5,), (2, 3), (2, 3, 4), ()),
    one("reshape", "turned", lambda x: x.t().reshape(6), lambda x: x.T.reshape(6), (2, 3)),
    one("reshape", "view", lambda x: x.view(3, 2), lambda x: x.reshape(3, 2), (6,)),
    one("reshape", "flatten", lambda x: x.flatten(1), lambda x: x.reshape(2, -1), (2, 3, 4)),
    one("reshape", "empty", lambda x: x.reshape(0, 5), lambda x: x.reshape(0, 5), (2, 0)),
    one("transpose", "", lambda x: x.transpose(0, -1), lambda x: x.swapaxes(0, -1), (2, 3), (2, 3, 4), (2, 0)),
    one("transpose", "t", lambda x: x.t(), lambda x: x.T, (), (5,), (2, 3)),
    one("permute", "", lambda x: x.permute(2, 0, 1), lambda x: x.transpose(2, 0, 1), (2, 3, 4)),
    one("expand", "", lambda x: x.expand(2, 3), lambda x: np.broadcast_to(x, (2, 3)), (2, 1), (3,), (1,), ()),
    one("expand", "kept", lambda x: x.expand(4, -1, 3), lambda x: np.broadcast_to(x, (4, 2, 3)), (2, 1)),
    one("squeeze", "all", lambda x: x.squeeze(), lambda x: x.squeeze(), (2, 1, 3), (1, 1), (2, 3)),
    one("squeeze", "one", lambda x: x.squeeze(1), lambda x: x[:, 0] if x.shape[1] == 1 else x, (2, 1, 3), (2, 3)),
    one("unsqueeze", "", lambda x: x.unsqueeze(-1), lambda x: x[..., None], (), (5,), (2, 3)),
    one("to", "float32", lambda x: x.float().double(), lambda x: x.astype("f4").astype("f8"), ()),
    several("cat", "", lambda x, y: kael.cat([x, y, x]), lambda x, y: np.concatenate([x, y, x]),
            ((2, 3), (1, 3)), ((0, 3), (2, 3))),
    several("cat", "last", lambda x, y: kael.cat([x, y], -1), lambda x, y: np.concatenate([x, y], -1),
            ((2, 3), (2, 1))),
    several("stack", "", lambda x, y: kael.stack([x, y, x]), lambda x, y: np.stack([x, y, x]),
            ((2, 3), (2, 3)), ((), ())),
    several("stack", "last", lambda x, y: kael.stack([x, y], -1), lambda x, y: np.stack([x, y], -1), ((2, 3), (2, 3))),
    one("getitem", "row", lambda x: x[1], lambda x: x[1], (2, 3), (5,), (2, 3, 4)),
    one("getitem", "back", lambda x: x[-1, ..., None], lambda x: x[-1, ..., None], (2, 3), (5,)),
    one("getitem", "slices", lambda x: x[1:, ::2], lambda x: x[1:, ::2], (2, 3), (5, 4)),
    one("getitem", "none", lambda x: x[None, ..., 0], lambda x: x[None, ..., 0], (2, 3), (3,)),
    one("getitem", "empty", lambda x: x[2:2], lambda x: x[2:2], (2, 3)),
    one("getitem", "list", lambda x: x[LIST], lambda x: x[LIST], (3,), (2, 3)),
    one("getitem", "tensor", lambda x: x[kael.tensor(PAIRS)], lambda x: x[PAIRS], (3,), (2, 3)),
    one("getitem", "pair", lambda x: x[LIST, [1, 1, 0]], lambda x: x[LIST, [1, 1, 0]], (2, 2)),
    one("getitem", "mask", lambda x: x[kael.tensor(MASK)], lambda x: x[MASK], (2, 3)),
    one("getitem", "no mask", lambda x: x[kael.tensor(MASK & ~MASK)], lambda x: x[MASK & ~MASK], (2, 3)),
    one("getitem", "mixed", lambda x: x[:, LIST], lambda x: x[:, LIST], (3, 2)),
]  # fmt: skip

OTHERS = [
    binary("eq", np.equal),
    binary("ne", np.not_equal),
    binary("lt", np.less),
    binary("le", np.less_equal),
    binary("gt", np.greater),
    binary("ge", np.greater_equal),
    binary("logical_and", np.logical_and),
    binary("logical_or", np.logical_or),
    unary("logical_not", np.logical_not),
    one("argmax", "all", kael.argmax, np.argmax, (5,), (2, 3, 4)),
    one("argmax", "last", lambda x: kael.argmax(x, -1), lambda x: np.argmax(x, -1), *AXES),
    one("argmin", "kept", lambda x: kael.argmin(x, 0, True), lambda x: np.argmin(x, 0, keepdims=True), *AXES),
]

CASES = [*DIFFERENTIABLE, *OTHERS]


def pairs(cases: list[Case]) -> list[tuple[Case, tuple[tuple[int, ...], ...]]]:
    """Each case with each of its shapes."""
    return [(case, shapes) for case in cases for shapes in case.shapes]


def label(value: Any) -> str | None:
    """A test id for a case or its shapes."""
    if isinstance(value, Case):
        return value.name
    return ",".join("x".join(map(str, shape)) or "0d" for shape in value) if isinstance(value, tuple) else None
