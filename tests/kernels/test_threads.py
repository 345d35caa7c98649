"""A call divided among threads writes the bits that one thread writes, wherever and however it is cut."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from kael import kernels
from kael.cuts import RULES, Rule
from kael.dividing import Divided

Array = Any
COUNTS = (2, 3, 7)
LIBRARY = {kernel: name for name in kernels.LIBRARY for kernel in kernels.chapter(name).__all__}
pytestmark = pytest.mark.skipif(
    any(kernels.rung_of(kernels.chapter(name)) != "cython" for name in kernels.LIBRARY),
    reason="only twins are divided",
)


def numbers(*shape: int, seed: int = 0, dtype: str = "float32") -> Array:
    """Numbers of both signs."""
    return np.asarray(np.random.default_rng([seed, *shape]).standard_normal(shape) * 3, dtype)


def special(x: Array) -> Array:
    """The same with nan, infinities, a zero and a denormal number among them."""
    flat = x.reshape(-1)
    for k, value in enumerate((np.nan, np.inf, -np.inf, -0.0, 1e-40, 88.0)):
        flat[7 + 11 * k : 8 + 11 * k] = value
    return x


def kernel(name: str) -> Callable[..., None]:
    """The kernel itself, whatever stands before it."""
    found: Callable[..., None] = getattr(kernels.chapter(LIBRARY[name]), name)
    return found


def cheap(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """The rules for calls of which even small ones pay."""
    return tuple([rule._replace(least=1, each=1) for rule in rules])


def check(
    name: str,
    operands: tuple[Any, ...],
    written: tuple[int, ...],
    must: bool = True,
    kept: bool = False,
    **options: Any,
) -> None:
    """The kernel alone and divided write the same bits; with `must`, it was divided by some number of threads.

    With `kept`, what is written into holds what it did before, for kernels that change their operands.
    """
    alone = fresh(operands, written, kept)
    kernel(name)(*alone, **options)
    divided = False
    for threads in COUNTS:
        apart = fresh(operands, written, kept)
        door = Divided(kernel(name), cheap(RULES[name]), threads)
        divided = divided or door.parts(apart) is not None
        door.divide(apart, options)
        for position in written:
            assert bits(apart[position]) == bits(alone[position]), (name, threads, position)
    assert divided or not must


def bits(x: Array) -> bytes:
    """The bytes of an array, each nan as the same one: its sign is left open by IEEE 754, and by compilers."""
    return bytes((np.where(np.isnan(x), np.nan, x) if x.dtype.kind == "f" else x).tobytes())


def fresh(operands: tuple[Any, ...], written: tuple[int, ...], kept: bool) -> tuple[Any, ...]:
    """The operands with results of their own, of the layout they have."""
    own = np.array if kept else partial(np.full_like, fill_value=7)
    return tuple(own(x) if k in written else x for k, x in enumerate(operands))


@pytest.mark.parametrize("threads", COUNTS)
def test_every_thread_gets_as_many_parts(threads: int) -> None:
    for name in ("exp", "add", "matmul_batch"):
        (rule,) = (rule._replace(cost=None) for rule in RULES[name])
        for parts in range(30):
            x = np.broadcast_to(np.float32(0), (parts, rule.least))
            count = rule.worth((x,) * len(rule.inner), threads)
            assert count == 1 if parts == 0 else 2 <= count <= max(parts, 2)
            assert count <= threads or count % threads == 0


BOOLEAN = {"eq", "ne", "lt", "le", "gt", "ge", "isfinite", "isinf", "isnan"}
LOGICAL = {"logical_and", "logical_or", "logical_xor", "logical_not"}
ROWS = {"cumprod", "cumsum", "softmax", "log_softmax", "cumprod_vjp", "softmax_vjp", "log_softmax_vjp"}
POINTWISE = sorted(
    name
    for name, rules in RULES.items()
    if name in LIBRARY
    and len(rules) == 1
    and set(rules[0].inner) <= {0, None}
    and len(rules[0].whole) == 1
    and not name.startswith("standardize")
)
SHAPES = [(7919,), (3, 1999), (1999, 3), (2, 3, 5, 97), (1,), (), (0, 4), (1, 5003)]
LAYOUTS = ["alone", "turned", "strided", "row", "column", "number"]


def laid_out(x: Array, layout: str) -> Array:
    """An operand of the same values in another layout, or one of fewer axes that broadcasts to it."""
    if layout == "turned":
        return np.asfortranarray(x)
    if layout == "strided":
        wide = np.zeros((*x.shape[:-1], 3 * x.shape[-1]) if x.ndim else (), x.dtype)
        view = wide[..., 1::3] if x.ndim else wide
        view[...] = x
        return view
    if layout == "row" and x.ndim:
        return x[(0,) * (x.ndim - 1)] if x.size else x
    if layout == "column" and x.ndim:
        return x[..., :1]
    if layout == "number" and x.size:
        return np.asarray(x.flat[0])
    return x


def pointwise_operands(name: str, shape: tuple[int, ...], layout: str, dtype: str) -> tuple[tuple[Any, ...], int]:
    """Operands of a pointwise kernel and the place of its result; the last of several operands has the layout."""
    inner = RULES[name][0].inner
    result = RULES[name][0].whole[0]
    places = [k for k, kept in enumerate(inner) if kept == 0 and k != result]
    operands: list[Any] = [
        0.5 if kept is None else numbers(*shape, seed=k, dtype=dtype) for k, kept in enumerate(inner)
    ]
    if name == "where":
        operands[0] = np.asarray(operands[0] > 0)
    if name.startswith("hardtanh"):
        operands[-3:-1] = [-1.0, 1.0]
    if name in LOGICAL:
        operands = [np.asarray(x > 0) for x in operands]
    if name in BOOLEAN:
        operands[result] = np.asarray(operands[result] > 0)
    full = layout in ("alone", "turned", "strided")
    for k in places if full else places[1:]:
        operands[k] = laid_out(operands[k], layout)
    if layout == "turned":
        operands[result] = np.asfortranarray(operands[result])
    return tuple(operands), result


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", POINTWISE)
def test_elements(name: str, dtype: str) -> None:
    for shape in SHAPES:
        for layout in LAYOUTS:
            operands, result = pointwise_operands(name, shape, layout, dtype)
            long = max(shape, default=0) > 1 and 0 not in shape and name != "pow"
            check(name, operands, (result,), must=long)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_results_that_an_operand_is(dtype: str) -> None:
    for name in ("add", "mul", "div", "exp", "gelu"):
        x, y = numbers(3, 1999, dtype=dtype), numbers(3, 1999, seed=1, dtype=dtype)
        given = (x, y)[: len(RULES[name][0].inner) - 1]
        alone = x.copy()
        kernel(name)(alone, *given[1:], alone)
        for threads in COUNTS:
            apart = x.copy()
            Divided(kernel(name), cheap(RULES[name]), threads).divide((apart, *given[1:], apart), {})
            assert bits(apart) == bits(alone)


def test_a_power_whose_part_of_the_exponent_is_one_number() -> None:
    for power in (0.5, 2.0, 3.0, -0.5, 0.3):
        x = np.abs(numbers(3, 4999))
        y = np.array([[power], [power], [1.7]], np.float32)
        check("pow", (x, y, np.empty_like(x)), (2,), must=False)
        check("pow", (x, np.float32([power]), np.empty_like(x)), (2,))
        check("pow", (x, np.full_like(x, power), np.empty_like(x)), (2,))


@pytest.mark.parametrize(
    "name", sorted(["all", "any", "argmax", "max", "min", "prod", "sum", "mean", "var", "norm", "logsumexp"])
)
def test_reductions(name: str) -> None:
    for dtype in ("float32", "float64"):
        for shape in ((1009, 37), (37, 1009), (2, 3, 5, 97), (1, 4001), (4001, 1)):
            given = special(numbers(*shape, dtype=dtype))
            for kept in range(len(shape) + 1):
                sizes = tuple(size if axis < kept else 1 for axis, size in enumerate(shape))
                for out_shape in {sizes, tuple(reversed(sizes)) if len(shape) == 2 else sizes}:
                    if any(size not in (1, full) for size, full in zip(out_shape, shape, strict=True)):
                        continue
                    if name == "logsumexp" and out_shape != (*shape[:-1], 1):
                        continue
                    for x in (given, np.asfortranarray(given)):
                        kind = {"argmax": "int64", "all": "bool", "any": "bool"}.get(name, dtype)
                        taken = x > 0 if name in ("all", "any") else x
                        must = any(size > 1 for size in out_shape)
                        check(name, (taken, np.empty(out_shape, kind)), (1,), must=must)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_rows(name: str) -> None:
    for dtype in ("float32", "float64"):
        for shape in ((1009, 37), (37, 1009), (2, 3, 5, 97), (1, 4001), (4001, 1), (4001,), (0, 5), (5, 0)):
            for turned in (False, True):
                given = [special(numbers(*shape, seed=k, dtype=dtype)) for k in range(len(RULES[name][0].inner))]
                operands = tuple(np.asfortranarray(x) for x in given) if turned else tuple(given)
                check(name, operands, (len(operands) - 1,), must=0 not in shape and shape[0] > 1 and len(shape) > 1)


def test_cross_entropy_and_its_gradient() -> None:
    for dtype in ("float32", "float64"):
        for rows, classes in ((997, 10), (33, 1009), (1, 50), (50, 1), (0, 4)):
            x, target = numbers(rows, classes, dtype=dtype), np.random.default_rng(0).integers(-1, classes, rows)
            level, out = np.zeros((rows, 2), dtype), np.zeros(rows, dtype)
            check("cross_entropy", (x, target, level, out), (2, 3), must=rows > 1)
            kernel("cross_entropy")(x, target, level, out)
            check("cross_entropy_vjp", (out + 1, x, target, level, np.zeros_like(x)), (4,), must=rows > 1)


@pytest.mark.parametrize(
    ("table", "coordinates", "places", "must"),
    [
        ((53, 64), 1, (1009,), True),
        ((53, 3), 1, (7, 31), True),
        ((5, 11, 16), 2, (64,), True),
        ((53, 16, 16), 1, (16,), False),
        ((53,), 1, (53,), False),
        ((53, 8), 1, (1,), False),
        ((53, 8), 1, (0,), False),
        ((53, 0), 1, (9,), False),
    ],
)
def test_rows_that_are_read(table: tuple[int, ...], coordinates: int, places: tuple[int, ...], must: bool) -> None:
    index = np.random.default_rng(0).integers(0, 5, (coordinates, *places))
    for dtype in ("float32", "float64", "int64", "bool"):
        x = numbers(*table).astype(dtype)
        out = np.zeros((*places, *table[coordinates:]), dtype)
        check("gather_rows", (x, index, out), (2,), must=must)
        check("gather_rows", (x[::-1], index[..., ::-1], out[..., ::-1]), (2,), must=must)


def test_a_place_that_is_not_there_is_named_as_by_one_thread() -> None:
    x, index, out = numbers(50, 64), np.zeros((1, 1000), np.int64), np.zeros((1000, 64), np.float32)
    index[0, 300], index[0, 900] = 50, 70
    with pytest.raises(IndexError) as alone:
        kernel("gather_rows")(x, index, out)
    for threads in COUNTS:
        with pytest.raises(IndexError) as apart:
            Divided(kernel("gather_rows"), cheap(RULES["gather_rows"]), threads).divide((x, index, out), {})
        assert str(apart.value) == str(alone.value)


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize(
    ("shape", "kept", "weights"),
    [
        ((257, 64), (257, 1), (64,)),
        ((8, 31, 16, 4), (1, 31, 1, 1), (1, 31, 1, 1)),
        ((31, 7, 13), (31, 7, 1), ()),
        ((9, 4, 50), (1, 1, 1), (50,)),
        ((300, 20), (300, 1), (300, 20)),
    ],
)
def test_normalization(shape: tuple[int, ...], kept: tuple[int, ...], weights: tuple[int, ...], centred: bool) -> None:
    for dtype in ("float32", "float64"):
        x, g = numbers(*shape, dtype=dtype), numbers(*shape, seed=1, dtype=dtype)
        weight, bias = numbers(*weights, seed=2, dtype=dtype), numbers(*weights, seed=3, dtype=dtype)
        mean, var = np.zeros(kept, dtype), np.ones(kept, dtype)
        must = max(kept) > 1
        check("standardize", (x, weight, bias, 1e-5, centred, mean, var, np.empty_like(x)), (5, 6, 7), must=must)
        kernel("standardize")(x, weight, bias, 1e-5, centred, mean, var, np.empty_like(x))
        check("standardize_vjp", (g, x, weight, 1e-5, centred, mean, var, np.empty_like(x)), (7,), must=must)
        check("standardize_given", (x, weight, bias, 1e-5, mean, var, np.empty_like(x)), (6,))
        check("standardize_weight_vjp", (g, x, 1e-5, mean, var, np.empty_like(x)), (5,))


def products() -> list[tuple[int, int, int]]:
    """Sizes of products: primes, one row, one column, one inner place, none."""
    return [
        (97, 101, 103), (300, 257, 70), (1, 300, 501), (501, 300, 1), (1, 1, 700), (700, 1, 1), (37, 600, 33),
        (64, 64, 64), (40, 0, 40), (0, 5, 40), (35, 3, 41), (2, 700, 900), (900, 700, 2),
        (17, 17, 4001), (16, 16, 33),
    ]  # fmt: skip


@pytest.mark.parametrize(("rows", "inner", "columns"), products())
def test_products(rows: int, inner: int, columns: int) -> None:
    for dtype in ("float32", "float64"):
        a, b = numbers(rows, inner, dtype=dtype), numbers(inner, columns, seed=1, dtype=dtype)
        out = np.zeros((rows, columns), dtype)
        must = max(rows, columns) >= 32 and rows * inner * columns > 0
        for left in (a, np.asfortranarray(a), laid_out(a, "strided")):
            for right in (b, np.asfortranarray(b), laid_out(b, "strided")):
                check("matmul", (left, right, out), (2,), must=must)
        check("matmul", (a, b, np.asfortranarray(out)), (2,), must=must)
    whole = (numbers(rows, inner) > 0).astype(np.int64), (numbers(inner, columns) > 0).astype(np.int64)
    check("matmul", (*whole, np.zeros((rows, columns), np.int64)), (2,), must=must)


def test_batches_of_products() -> None:
    stacks = [
        ((16, 20, 30), (16, 30, 10)),
        ((5, 1, 20, 30), (3, 30, 10)),
        ((7, 40, 3), (7, 3, 1)),
        ((2, 9, 9), (1, 9, 9)),
    ]
    for a, b in stacks:
        left, right = numbers(*a), numbers(*b, seed=1)
        batch = np.broadcast_shapes(a[:-2], b[:-2])
        check("matmul_batch", (left, right, np.zeros((*batch, a[-2], b[-1]), np.float32)), (2,))


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize(
    ("samples", "channels", "filters", "size", "window"),
    [(9, 4, 34, 12, 3), (17, 2, 2, 9, 1), (3, 6, 64, 5, 5), (70, 2, 2, 3, 2), (30, 2, 4, 2, 1), (2, 32, 32, 20, 3)],
)
def test_convolutions(samples: int, channels: int, filters: int, size: int, window: int, groups: int) -> None:
    steps = ((1, 1), (0, 0), (1, 1), groups)
    left = size - window + 1
    x, weight = numbers(samples, channels, size, size), numbers(filters, channels // groups, window, window, seed=1)
    out, bias = np.zeros((samples, filters, left, left), np.float32), numbers(filters, seed=2)
    for added in (bias, None):
        check("conv2d", (x, weight, added, out, *steps), (3,), must=False)
    g = numbers(*out.shape, seed=3)
    check("conv2d_input_vjp", (g, weight, np.zeros_like(x), *steps), (2,), must=False)
    check("conv2d_weight_vjp", (g, x, np.zeros_like(weight), *steps), (2,), must=False)


def test_pooling_and_windows() -> None:
    x = numbers(5, 3, 12, 12)
    windows = np.array([[k, k + 3, 3] for k in range(0, 10, 2)])
    steps = np.array([[k, k + 3, 1] for k in range(0, 10, 2)])
    out, places = np.zeros((5, 3, 5, 5), np.float32), np.zeros((5, 3, 5, 5), np.int64)
    check("avg_pool2d", (x, out, windows, windows), (1,), divisor=4)
    check("avg_pool2d_vjp", (numbers(5, 3, 5, 5), x, windows, windows), (1,))
    check("max_pool2d", (x, out, places, steps, steps), (1, 2))
    kernel("max_pool2d")(x, out, places, steps, steps)
    check("max_pool2d_vjp", (numbers(5, 3, 5, 5), places, x), (2,))
    check("unfold2d", (x, np.zeros((5, 3, 3, 3, 10, 10), np.float32)), (1,), must=False)
    check("unfold2d", (x, np.zeros((5, 3, 3, 3, 10, 10), np.float32), (1, 1), (0, 0), (1, 1)), (1,))
    check("fold2d", (numbers(5, 3, 3, 3, 10, 10), x, (1, 1), (0, 0), (1, 1)), (1,))


@pytest.mark.parametrize("causal", [True, False])
def test_attention(causal: bool) -> None:
    for mask in (None, numbers(20), numbers(4, 1, 15, 20) > 0, numbers(6, 15, 20), numbers(15, 1) > 0):
        q, k, v = numbers(4, 6, 15, 8), numbers(4, 1, 20, 8, seed=1), numbers(6, 20, 5, seed=2)
        out, totals = np.zeros((4, 6, 15, 5), np.float32), np.zeros((4, 6, 15, 2), np.float32)
        check("attention", (q, k, v, mask, 0.3, causal, out, totals), (6, 7))
        kernel("attention")(q, k, v, mask, 0.3, causal, out, totals)
        made = [np.zeros((4, 6, rows, wide), np.float32) for rows, wide in ((15, 8), (20, 8), (20, 5))]
        check("attention_vjp", (numbers(4, 6, 15, 5), q, k, v, mask, 0.3, causal, out, totals, *made), (9, 10, 11))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_steps_of_optimizers(dtype: str) -> None:
    for shape in SHAPES:
        param, grad, mean, square = (numbers(*shape, seed=k, dtype=dtype) for k in range(4))
        must = max(shape, default=0) > 1 and 0 not in shape
        for layout in ("alone", "turned"):
            given = [laid_out(x, layout) for x in (param, grad, mean, np.abs(square))]
            numbered = (0.1, 0.9, 0.99, 1e-8, 0.01, True, 3)
            check("adam_step", (*given, None, *numbered), (0, 2, 3), must, kept=True)
            check("adam_step", (*given, given[3].copy(), *numbered), (0, 2, 3, 4), must, kept=True)
            rms = (0.1, 0.9, 1e-3, 0.9, 0.01)
            check("rmsprop_step", (*given[:2], given[3], None, None, *rms), (0, 2), must, kept=True)
            check("rmsprop_step", (*given[:2], given[3] + 100, given[2], None, *rms), (0, 2, 3), must, kept=True)
            check("adagrad_step", (*given[:2], given[3], 0.1, 1e-3, 0.01), (0, 2), must, kept=True)
            check("sgd_step", (*given[:3], 0.1, 0.9, 0.1, 0.01, True, False), (0, 2), must, kept=True)
            check("sgd_step", (*given[:2], None, 0.1, 0.0, 0.0, 0.0, False, False), (0,), must, kept=True)


class Clock:
    """Another thread that counts whenever it may run, and gives way after each count."""

    def __init__(self) -> None:
        self.count = 0
        self.over = False
        self.thread = threading.Thread(target=self.run)

    def run(self) -> None:
        while not self.over:
            self.count += 1
            time.sleep(0.0001)

    def __enter__(self) -> Clock:
        self.interval = sys.getswitchinterval()
        sys.setswitchinterval(100)  # nobody is made to give up the interpreter's lock
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.over = True
        self.thread.join()
        sys.setswitchinterval(self.interval)


REDUCED = sorted(["all", "any", "argmax", "max", "min", "prod", "sum", "mean", "var", "norm"])


@pytest.mark.parametrize("kept", [(2000, 1), (1, 2000), (1, 1)], ids=["rows", "columns", "whole"])
@pytest.mark.parametrize("name", REDUCED)
def test_others_run_during_a_large_reduction(name: str, kept: tuple[int, int]) -> None:
    x = numbers(2000, 2000)
    out = np.empty(kept, {"argmax": "int64", "all": "bool", "any": "bool"}.get(name, "float32"))
    taken = x > (-100 if name == "all" else 100) if name in ("all", "any") else x
    with Clock() as clock:
        for _ in range(100):
            before = clock.count
            kernel(name)(taken, out)
            if clock.count > before:
                return
    pytest.fail("no other thread ran")
