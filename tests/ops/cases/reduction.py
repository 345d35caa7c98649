"""Cases of the operations in `kael.ops.reduction`."""

import numpy as np

from tests.ops.cases.case import AXES, UNARY, one

DIFFERENTIABLE = [
    one("sum", "all", lambda k, x: k.sum(x), np.sum, *UNARY),
    one("sum", "first", lambda k, x: k.sum(x, 0), lambda x: np.sum(x, 0), *AXES, (0, 3)),
    one("sum", "two", lambda k, x: k.sum(x, (0, -1), True), lambda x: np.sum(x, (0, -1), keepdims=True), *AXES),
    one("mean", "all", lambda k, x: k.mean(x), np.mean, (), (5,), (2, 3, 4)),
    one("mean", "last", lambda k, x: k.mean(x, -1), lambda x: np.mean(x, -1), *AXES),
    one("mean", "two", lambda k, x: k.mean(x, (1, 0), True), lambda x: np.mean(x, (1, 0), keepdims=True), *AXES),
    one("amax", "all", lambda k, x: k.amax(x), np.max, (), (5,), (2, 3, 4)),
    one("amax", "first", lambda k, x: k.amax(x, 0), lambda x: np.max(x, 0), *AXES),
    one("amax", "two", lambda k, x: k.amax(x, (0, 1), True), lambda x: np.max(x, (0, 1), keepdims=True), *AXES),
    one("amin", "all", lambda k, x: k.amin(x), np.min, (), (5,), (2, 3, 4)),
    one("amin", "last", lambda k, x: k.amin(x, -1), lambda x: np.min(x, -1), *AXES),
    one("max", "first", lambda k, x: k.max(x, 0).values, lambda x: np.max(x, 0), (5,), *AXES),
    one("max", "kept", lambda k, x: k.max(x, 1, True).values, lambda x: np.max(x, 1, keepdims=True), *AXES),
    one("min", "last", lambda k, x: k.min(x, -1).values, lambda x: np.min(x, -1), (5,), *AXES),
]  # fmt: skip

OTHERS = [
    one("argmax", "all", lambda k, x: k.argmax(x), np.argmax, (5,), (2, 3, 4)),
    one("argmax", "last", lambda k, x: k.argmax(x, -1), lambda x: np.argmax(x, -1), *AXES),
    one("argmin", "kept", lambda k, x: k.argmin(x, 0, True), lambda x: np.argmin(x, 0, keepdims=True), *AXES),
]
