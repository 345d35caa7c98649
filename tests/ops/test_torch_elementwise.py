"""Elementwise operations beside PyTorch: kinks and edges, dtypes, operators, and errors."""

from __future__ import annotations

import math
from typing import Any

import pytest

import kael

torch = pytest.importorskip("torch")

from tests.ops.test_torch import DTYPES, compare, differentiated, in_our_words, of, outcome, plain  # noqa: E402

NAN, INF = math.nan, math.inf
ENDS = [-INF, -1000.0, -1.0, -0.0, 0.0, 1.0, 1000.0, INF, NAN]

GRADIENTS = {
    # at 0, and at the ends of where a function is defined
    "139 abs": of(lambda x: x.abs(), [0.0, -0.0]),
    "139 sign": of(lambda x: x.sign(), [0.0]),
    "139 relu": of(lambda x: x.relu(), [0.0, -0.0]),
    "139 sqrt": of(lambda x: x.sqrt(), [0.0]),
    "139 rsqrt": of(lambda x: x.rsqrt(), [0.0]),
    "139 log": of(lambda x: x.log(), [0.0]),
    "139 log2 and log10": of(lambda x: x.log2() + x.log10(), [0.0, 4.0]),
    "139 reciprocal": of(lambda x: x.reciprocal(), [0.0, -0.0]),
    "139 log1p": of(lambda x: x.log1p(), [-1.0, -2.0]),
    "139 asin": of(lambda x: x.asin(), [1.0, -1.0, 1.5]),
    "139 acos": of(lambda x: x.acos(), [1.0, -1.0, 1.5]),
    "139 atanh": of(lambda x: x.atanh(), [1.0, -1.0, 1.5]),
    "139 acosh": of(lambda x: x.acosh(), [1.0, 0.5]),
    "139 atan2": differentiated(lambda k, x, y: k.atan2(x, y), [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]),
    "139 hypot": differentiated(lambda k, x, y: k.hypot(x, y), [0.0, 0.0], [0.0, -1.0]),
    "140 relu of nan": of(lambda x: x.relu(), [NAN]),
    "141 clamp at the bounds": differentiated(lambda k, x: k.clamp(x, -1, 1), [-1.0, 1.0, -2.0, 2.0, 0.5, NAN]),
    "141 clamp with crossed bounds": differentiated(lambda k, x: k.clamp(x, 1, -1), [-2.0, 0.0, 2.0]),
    "141 maximum and clamp_min of 0": differentiated(lambda k, x: k.maximum(x, x * 0) + x.clamp_min(0), [0.0]),
    "141 clamp by tensors": differentiated(
        lambda k, x, low, high: x.clamp(low, high), [-2.0, 0.0, 2.0, 1.0], [-1.0, 0.0, -1.0, 2.0], [1.0, 0.0, 1.0, 1.5]
    ),
    "141 clamp by one tensor": differentiated(lambda k, x, low: x.clamp(min=low), [-2.0, 0.0, 2.0], [-1.0, 0.0, -1.0]),
    "143 powers at 0": of(lambda x: x**0 + x**1 + x**2 + x**0.5 + x**-1, [0.0, 4.0]),
    "143 0 ** y": of(lambda x, y: x**y, [0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 2.0, -1.0]),
    "143 negative base": of(lambda x, y: x**y, [-2.0, -4.0], [3.0, 0.5]),
    "143 2 ** x": of(lambda x: 2**x, [3.0]),
    "143 square": of(lambda x: x.square(), [0.0, -3.0]),
    "144 a / 0": of(lambda a, b: a / b, [0.0, 1.0], [0.0, 0.0]),
    "144 rounded quotients": differentiated(
        lambda k, a, b: k.div(a, b, rounding_mode="floor") + k.div(a, b, rounding_mode="trunc"), [-5.0, 1.0], [3.0, 0.0]
    ),
    "145 remainder": of(lambda x, y: x % y, [-5.0, 5.0, -5.0, 6.0], [3.0, -3.0, -3.0, 3.0]),
    "145 fmod": differentiated(lambda k, x, y: k.fmod(x, y), [-5.0, 5.0, -5.0, 6.0], [3.0, -3.0, -3.0, 3.0]),
    "145 remainder at the ends": of(lambda x, y: x % y, [1.0, -1.0, INF, 1.0], [INF, INF, 2.0, 0.0]),
    "146 saturation": of(lambda x: x.sigmoid() + x.tanh() + x.erf(), [1000.0, -1000.0, INF, -INF]),
    "147 where hides no nan": differentiated(lambda k, x: k.where(x > 0, x.sqrt(), 0.0), [0.0, -1.0]),
    "148 nan in the constant branch": differentiated(
        lambda k, x: k.where(x > 0, x, k.tensor(NAN, dtype=k.float64)), [1.0]
    ),
    "149 float32 beside int": differentiated(lambda k, x: x * k.tensor([2, 3]), [1.0, 2.0], dtype="float32"),
    "149 float16 beside float32": differentiated(
        lambda k, x: x.exp() * k.tensor([2.0, 3.0]), [1.0, 2.0], dtype="float16"
    ),
    "150 xlogy": differentiated(lambda k, x, y: k.xlogy(x, y), [0.0, 0.0, 0.0, 2.0, 0.0], [2.0, 0.0, -1.0, 0.0, NAN]),
    "150 sinc": differentiated(lambda k, x: k.sinc(x), [0.0, 1.0, 0.5, -2.0]),
    # where the value is extreme
    "exponentials": of(lambda x: x.expm1() + x.exp2(), ENDS),
    "small numbers": of(lambda x: x.expm1() + x.log1p() + x.erf() + x.sinh() + x.asinh() + x.tan(), [1e-20, -1e-12]),
    "circles": of(lambda x: x.sin() + x.cos() * 2 + x.tan() * 3, [0.0, 1.0, -4.0, 1e6, INF]),
    "error functions": of(lambda x: x.erf() + 2 * x.erfc(), ENDS),
    "hyperbolas": of(lambda x: x.sinh() + 2 * x.cosh() + 3 * x.asinh(), [0.0, 1.0, -2.0, 800.0]),
    # several operands
    "alpha": differentiated(
        lambda k, x, y: k.add(x, y, alpha=2.5) + k.sub(x, y, alpha=0.5), [[1.0], [2.0]], [3.0, 4.0]
    ),
    "lerp by a number": differentiated(lambda k, x, y: k.lerp(x, y, 0.75), [1.0, 2.0], [3.0, -4.0]),
    "lerp by weights": differentiated(lambda k, x, y, w: x.lerp(y, w), [1.0, 2.0], [3.0, -4.0], [0.5, 1.0]),
    "addcmul": differentiated(lambda k, x, a, b: x.addcmul(a, b, value=-2), [1.0, 2.0], [[3.0], [4.0]], [5.0, 6.0]),
    "addcdiv": differentiated(lambda k, x, a, b: x.addcdiv(a, b, value=3), [1.0, 2.0], [[3.0], [4.0]], [5.0, 0.0]),
    "round to decimals": differentiated(lambda k, x: k.round(x, decimals=2), [1.234, -5.678]),
}

ROUNDED = {
    "floor": lambda k, x, y: k.div(x, y, rounding_mode="floor"),
    "trunc": lambda k, x, y: k.div(x, y, rounding_mode="trunc"),
}
WHOLE = ["int8", "int16", "int32", "int64", "uint8"]


def whole(k: Any, dtype: str) -> list[Any]:
    """Two tensors of an integer dtype."""
    low = 1 if dtype == "uint8" else -7
    return [k.tensor([7, low, 6, 5], dtype=getattr(k, dtype)), k.tensor([2, 3, 3, 4], dtype=getattr(k, dtype))]


VALUES = {
    "isnan, isinf, isfinite": lambda k: [
        f(k.tensor(data)) for f in (k.isnan, k.isinf, k.isfinite) for data in (ENDS, [1, 2], [True, False], NAN)
    ],
    "isclose": lambda k: [
        k.isclose(k.tensor([1.0, 1.0, INF, INF, NAN, 1.0]), k.tensor([1.0 + 1e-6, 1.1, INF, -INF, NAN, INF])),
        k.isclose(k.tensor([NAN]), k.tensor([NAN]), equal_nan=True),
        k.isclose(k.tensor([10, 11]), k.tensor([10, 10]), rtol=0.2),
        k.isclose(k.tensor([[1.0], [2.0]]), k.tensor([1.0, 2.0])),
    ],
    "allclose": lambda k: [
        k.allclose(k.tensor([1.0]), k.tensor([1.0 + 1e-6])), k.allclose(k.tensor([1.0]), k.tensor([1.1])),
        k.allclose(k.tensor([1.0]), k.tensor([1.1]), atol=0.2), k.allclose(k.zeros(0), k.zeros(0)),
    ],
    "equal": lambda k: [
        k.equal(k.tensor([1.0]), k.tensor([1])), k.equal(k.ones(2), k.ones(1)), k.equal(k.tensor(NAN), k.tensor(NAN)),
        k.equal(k.zeros(0), k.zeros(0)), k.tensor([1, 2]).equal(k.tensor([1, 2])),
    ],
    "where of a condition alone": lambda k: [
        list(k.where(k.tensor([[0.0, 2.0], [3.0, 0.0]]))), list(k.where(k.tensor([True, False, True]))),
    ],
    "logical_xor": lambda k: [
        k.logical_xor(k.tensor([0.0, 2.0]), k.tensor([1, 1])), k.tensor([True, False]) ^ k.tensor([True, True])
    ],
    "bits of masks and numbers": lambda k: [
        f(k.tensor([12, -5, 7]), k.tensor([10, 3, True])) for f in (k.bitwise_and, k.bitwise_or, k.bitwise_xor)
    ] + [~k.tensor([5, -1]), 5 ^ k.tensor([1]), 6 & k.tensor([3]), 1 | k.tensor([2]), k.tensor([3]) & True],
    "bits of small integers": lambda k: [
        k.tensor([200], dtype=k.uint8) << 1, k.tensor([-7], dtype=k.int8) >> 1, ~k.tensor([5], dtype=k.uint8),
        k.tensor([5], dtype=k.int8) ^ k.tensor([3]), k.tensor([-128], dtype=k.int8) >> 9,
    ],
    "shifts": lambda k: [k.tensor([1, -8, 5]) << 3, k.tensor([1, -8, 5]) >> 1, 2 << k.tensor([1, 70])],
    "clamp of integers": lambda k: [
        k.tensor([-5, 3, 9]).clamp(0, 5), k.tensor([-5, 3, 9]).clamp(0.5), k.tensor([5], dtype=k.uint8).clamp(max=3),
        k.tensor([-5, 3]).clamp(k.tensor([0, 4])), k.tensor([1, 2]).clamp(max=k.tensor([1.5, 1.5])),
    ],
    "clamp of nan and by nan": lambda k: [k.tensor([1.0, NAN]).clamp(0, 2), k.tensor([1.0, 5.0]).clamp(k.tensor(NAN))],
    "rounding": lambda k: [
        f(k.tensor([-2.5, -0.5, 0.5, 1.5, INF, NAN])) for f in (k.trunc, k.round, k.floor, k.ceil, k.fix)
    ] + [k.tensor([1, 2]).trunc(), k.round(k.tensor([1234.5]), decimals=-2)],
    "square and reciprocal of integers": lambda k: [
        k.square(k.tensor([3, -4])), k.square(k.tensor([True])), k.reciprocal(k.tensor([2, 4])), k.rsqrt(k.tensor([4])),
        k.square(k.tensor([100], dtype=k.int8)),
    ],
    "integers to negative powers": lambda k: k.tensor([1, -1, 2, -1]) ** k.tensor([-1, -3, -1, -2]),
    "alpha of integers": lambda k: [
        k.tensor([1, 2]).add(k.tensor([3, 4]), alpha=2), k.add(k.tensor([1.0]), 3, alpha=2),
        k.sub(k.tensor([1, 2]), 3, alpha=2), k.add(k.tensor([True]), k.tensor([True]), alpha=True),
    ],
    "second names": lambda k: [
        k.absolute(k.tensor([-1.0])), k.clip(k.tensor([3.0]), 0, 1), k.multiply(k.tensor([2.0]), 3),
        k.tensor([7]).true_divide(2), k.divide(k.tensor([7]), 2, rounding_mode="floor"),
        k.arctan2(k.ones(1), k.ones(1)), k.arcsin(k.ones(1)),
        k.greater(k.tensor([1, 2]), k.tensor([1])), k.tensor([1, 2]).not_equal(1), k.negative(k.tensor([1])),
    ],
    "0-d and empty": lambda k: [k.sin(k.tensor(1.0)), k.erf(k.zeros(0, 2)), k.tensor(5) % 3, k.tensor(7.0) // 2],
    "numbers on the left": lambda k: [
        7 // k.tensor([2, -2]), 7.5 % k.tensor([2.0, -2.0]), 7 % k.tensor([4]), 2 ** k.tensor([3.0]),
        1 - k.tensor([2.0]), 9 >> k.tensor(2),
    ],
    "float16 computes in float32": lambda k: [
        f(k.tensor([0.1, 0.7, 3.0], dtype=k.float16)) for f in (k.sin, k.erf, k.log1p, k.rsqrt, k.square, k.reciprocal)
    ] + [k.tensor([5.3], dtype=k.float16) % 0.7, k.tensor([5.3], dtype=k.float16).clamp(0, 2.3)],
}  # fmt: skip

ERRORS = {
    "clamp without bounds": (lambda k: k.clamp(k.ones(1)), "At least one of 'min' or 'max' must not be None"),
    "rounding_mode": (
        lambda k: k.div(k.ones(1), 1, rounding_mode="up"),
        "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'",
    ),
    "integer // 0": (lambda k: k.tensor([1]) // 0, "ZeroDivisionError"),
    "integer % 0": (lambda k: k.tensor([1]) % 0, "ZeroDivisionError"),
    "fmod of integers by 0": (lambda k: k.fmod(k.tensor([1]), k.tensor([0])), "ZeroDivisionError"),
    "trunc of integers by 0": (lambda k: k.div(k.tensor([1]), 0, rounding_mode="trunc"), "ZeroDivisionError"),
    "fractional alpha of integers": (
        lambda k: k.add(k.tensor([1]), k.tensor([1]), alpha=0.5),
        "For integral input tensors, argument alpha must not be a floating point number.",
    ),
    "remainder of bool": (lambda k: k.tensor([True]) % k.tensor([True]), "not implemented for "),
    "fmod of bool": (lambda k: k.fmod(k.tensor([True]), k.tensor([True])), "not implemented for "),
    "bits of floats": (lambda k: k.ones(1) & 1, "not implemented for "),
    "exclusive or of floats": (lambda k: k.ones(1) ^ k.ones(1), "not implemented for "),
    "inverse of floats": (
        lambda k: ~k.ones(1), "~ (operator.invert) is only implemented on integer and Boolean-type tensors",
    ),
    "shift of floats": (lambda k: k.ones(1) << 1, "not implemented for "),
    "divmod": (lambda k: divmod(k.ones(1), 2), "unsupported operand type(s) for divmod(): "),
    "lerp dtypes": (
        lambda k: k.lerp(k.ones(1), k.ones(1, dtype=k.float64), 0.5),
        "expected dtype float32 for `end` but got dtype float64",
    ),
    "lerp of integers": (lambda k: k.lerp(k.tensor([1]), k.tensor([2]), 1), "not implemented for "),
    "isclose dtypes": (lambda k: k.isclose(k.ones(1), k.ones(1, dtype=k.float64)), "float32 did not match float64"),
    "equal to a number": (lambda k: k.equal(k.ones(1), 1), "must be Tensor, not int"),
    "addcdiv of integers": (lambda k: k.addcdiv(k.ones(1), k.tensor([1]), k.tensor([2])), "nteger division"),
}  # fmt: skip


def names(table: dict[str, Any]) -> list[Any]:
    """The rows of a table; those that stand for a numbered statement carry its number."""
    found = []
    for name in table:
        number = name.split()[0]
        found.append(pytest.param(name, marks=pytest.mark.promise(number)) if number.isdigit() else name)
    return found


@pytest.mark.parametrize("name", names(GRADIENTS))
def test_values_and_gradients(name):
    compare(plain(GRADIENTS[name](kael)), plain(GRADIENTS[name](torch)))


@pytest.mark.parametrize("name", VALUES)
def test_values_and_dtypes(name):
    compare(plain(VALUES[name](kael)), plain(VALUES[name](torch)))


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    program, text = ERRORS[name]
    theirs, ours = outcome(program, torch), outcome(program, kael)
    assert text in ours[1]
    assert text in in_our_words(theirs[1])
    assert ours[0] is theirs[0]


@pytest.mark.parametrize("dtype", WHOLE)
def test_division_of_integers(dtype):
    for f in (*ROUNDED.values(), lambda k, x, y: k.fmod(x, y), lambda k, x, y: x % y, lambda k, x, y: x // y):
        compare(plain(f(kael, *whole(kael, dtype))), plain(f(torch, *whole(torch, dtype))))


@pytest.mark.parametrize(
    "op", ["fmod", "remainder", "floor_divide", "pow", "bitwise_and", "logical_xor", "atan2", "xlogy"]
)
@pytest.mark.parametrize("left", DTYPES)
@pytest.mark.parametrize("right", DTYPES)
def test_promotion_of_two_tensors(op, left, right):
    def program(k):
        shapes = [((2,), (2,)), ((2,), ()), ((), (2,)), ((), ())]
        return [
            getattr(k, op)(k.ones(a, dtype=getattr(k, left)), k.ones(b, dtype=getattr(k, right))) for a, b in shapes
        ]

    try:
        theirs = plain(program(torch))
    except (RuntimeError, NotImplementedError):
        with pytest.raises((RuntimeError, NotImplementedError)):
            program(kael)
    else:
        compare(plain(program(kael)), theirs)


UNARY = ["sin", "erf", "log1p", "exp2", "rsqrt", "reciprocal", "square", "trunc", "asinh", "sinc", "isnan"]


@pytest.mark.parametrize("op", UNARY)
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_of_one_operand(op, dtype):
    if (op, dtype) == ("trunc", "bool"):
        pytest.skip("PyTorch refuses to round bool")
    compare(
        plain(getattr(kael, op)(kael.ones(2, dtype=getattr(kael, dtype)))),
        plain(getattr(torch, op)(torch.ones(2, dtype=getattr(torch, dtype)))),
    )


@pytest.mark.promise("150")
def test_the_slope_of_sinc_near_0():
    x = kael.tensor([1e-6], dtype=kael.float64, requires_grad=True)
    kael.sinc(x).backward()
    assert x.grad.item() == pytest.approx(-3.289868e-6, rel=1e-6)


@pytest.mark.promise("143")
def test_an_integer_to_a_negative_power_is_refused():
    for k in (kael, torch):
        with pytest.raises(RuntimeError, match="Integers to negative integer powers are not allowed"):
            k.tensor([2]) ** -1
