"""Where the operands of a kernel may be cut, so that parts of its result can be computed apart: same bits, any cut.

Independent outputs are what can be cut: elements, rows, samples, heads. What adds up over everything keeps its order.
Bits are the same but for the sign of a nan, which IEEE 754 leaves open and compilers choose anew where a loop ends.

A rule has an entry for each operand: the number of its last axes that belong together, or None for one that every part
gets as it is. What is before those axes broadcasts, aligned at the right, to the same axes of the operands that are
`whole`: they have every axis in full, and are cut along one of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple

import numpy

__all__ = ["RULES", "Rule", "parts_of"]

Shape = tuple[int, ...]
Place = tuple[slice, ...]

LINE = 16  # elements: a row is cut where a cache line may begin, so that two threads do not write into one
# Elements from which on two threads gain, on an x86-64 server: about 100 µs of work for one. To hand over costs 10 to a
# helper that is awake, and 100 to one that sleeps. LIGHT waits for memory, MIDDLING divides or passes twice, HEAVY has
# polynomials in it.
LIGHT, MIDDLING, HEAVY = 1 << 20, 1 << 19, 1 << 18
MULTIPLICATIONS = 1 << 22  # the same for products
ROWS = 16  # of a matrix product: what is packed for them is used often enough
FILTERS = 16  # each part makes the columns of all images again, for at least so many filters
FEW = 256  # results below which nobody asks how many multiplications it takes to make them
TINY = 256  # multiplications up to which chapter 14 takes its shortest loop, which rounds otherwise


class Rule(NamedTuple):
    """How a kernel is divided.

    Attributes
    ----------
    inner : tuple of int or None
        For each operand, how many of its last axes stay whole, or None to share it.
    whole : tuple of int
        Positions of the operands that are always cut, the one that is measured first.
    least : int
        The cost from which on dividing pays; a part costs half of that at least.
    cost : callable, optional
        The cost of a call, of its operands; the number of elements of the first whole operand when left out.
        Zero for a call whose bits would depend on the cut.
    thin : int
        The fewest places along the axis that a part may have.
    each : int
        Parts for each thread: more than one, so that a thread that is held up leaves some to the others.
    last : bool
        Only the last axis may be cut: what stands before it is not the same in every operand.
    """

    inner: tuple[int | None, ...]
    whole: tuple[int, ...]
    least: int
    cost: Callable[..., int] | None = None
    thin: int = 1
    each: int = 2
    last: bool = False

    def smallest(self) -> int:
        """Elements of the first whole operand below which a call is never divided."""
        return self.least if self.cost is None else FEW

    def worth(self, operands: tuple[Any, ...], threads: int) -> int:
        """How many parts a call is worth, as many for each thread where there are enough."""
        cost: int = self.cost(*operands) if self.cost else operands[self.whole[0]].size
        if cost < self.least:
            return 1
        count = min(self.each * threads, max(2, cost // self.least))
        return count - count % threads if count > threads else count  # three on two threads take as long as four


def parts_of(rule: Rule, operands: tuple[Any, ...], count: int) -> list[tuple[Any, ...]] | None:
    """The operands of up to `count` parts; None where they cannot be cut or do not fit each other."""
    leading: list[Shape | None] = []
    for operand, kept in zip(operands, rule.inner, strict=False):
        if kept is None or operand is None:
            leading.append(None)
        elif type(operand) is numpy.ndarray:
            leading.append(operand.shape[: max(operand.ndim - kept, 0)])
        else:
            return None
    measured = operands[rule.whole[0]]
    places = cuts(rule.whole, tuple(leading), measured.strides, measured.itemsize, count, rule.thin, rule.last)
    if places is None:
        return None
    extra = operands[len(rule.inner) :]
    return [
        (
            *[operand if place is None else operand[place] for operand, place in zip(operands, part, strict=False)],
            *extra,
        )
        for part in places
    ]


@functools.lru_cache(1024)
def cuts(
    whole: tuple[int, ...],
    leading: tuple[Shape | None, ...],
    strides: Shape,
    itemsize: int,
    count: int,
    thin: int,
    last: bool,
) -> list[list[Place | None]] | None:
    """For each part, where each operand's share lies, None for all of it; None where there is nothing to cut."""
    frame = leading[whole[0]] or ()
    if last and frame and frame[-1] > 1:
        axis: int | None = len(frame) - 1
    else:
        axis = chosen(frame, strides, [leading[position] or () for position in whole], count * thin)
    if axis is None:
        return None
    size, from_right = frame[axis], len(frame) - axis
    count = min(count, size // thin)
    if count < 2:
        return None
    before: list[Place | None] = []
    for shape in leading:
        place = -1 if shape is None else len(shape) - from_right
        if shape is None or place < 0 or shape[place] == 1:
            before.append(None)
        elif shape[place] != size:
            return None  # the kernel refuses this, and says why
        else:
            before.append((slice(None),) * place)
    borders = divided(size, count, abs(strides[axis]) == itemsize)
    return [[None if axes is None else (*axes, slice(low, high)) for axes in before] for low, high in pairwise(borders)]


def chosen(frame: Shape, strides: Shape, wholes: list[Shape], enough: int) -> int | None:
    """The axis to cut: the one farthest apart in memory that is long enough, else the longest; None without one."""
    able = []
    for axis, size in enumerate(frame):
        back = axis - len(frame)
        if size > 1 and all(len(shape) >= -back and shape[back] == size for shape in wholes):
            able.append(axis)
    long = [axis for axis in able if frame[axis] >= 2 * enough]
    if long:
        return max(long, key=lambda axis: abs(strides[axis]))
    return max(able, key=lambda axis: frame[axis], default=None)


def divided(size: int, count: int, adjacent: bool) -> list[int]:
    """Where parts of nearly one size begin and end; in whole cache lines where places are neighbours in memory."""
    unit = LINE if adjacent and size >= 2 * LINE * count else 1
    return [*[size // unit * part // count * unit for part in range(count)], size]


def power_cost(x: Any, y: Any, out: Any) -> int:
    """Results; the kernel asks whether the exponent is one number, which must not be so in a part alone."""
    return int(out.size) if y.size in (1, out.size) else 0


def product_cost(a: Any, b: Any, out: Any) -> int:
    """Multiplications of matrix products; each counts four times where it reads a number that no other one does."""
    work = int(out.size) * int(a.shape[-1])
    return 4 * work if 1 in out.shape[-2:] else work


def convolution_cost(x: Any, weight: Any, bias: Any, out: Any, *_: Any) -> int:
    """Multiplications of a convolution; 0 where one sample is too small for the matrix kernel's usual order."""
    inner, windows = int(prod(weight.shape[1:])), int(prod(out.shape[2:]))
    if windows < 2 or inner * windows <= TINY:
        return 0
    return int(out.size) * inner


def convolution_back_cost(g: Any, weight: Any, out: Any, *_: Any) -> int:
    """Multiplications of the gradient of the images, as of the convolution."""
    return convolution_cost(out, weight, None, g)


def weight_cost(g: Any, x: Any, out: Any, *steps: Any) -> int:
    """Multiplications of the gradient of the kernels, of which filters can be cut where there is one group of them."""
    inner = int(prod(out.shape[1:]))
    if (len(steps) == 4 and steps[3] != 1) or inner * FILTERS * prod(g.shape[2:]) <= TINY:
        return 0
    return int(g.size) * inner


def rows_cost(x: Any, index: Any, out: Any) -> int:
    """Results; 0 where what is read at each place is not a row of one axis, for then the axes do not meet."""
    return int(out.size) if out.ndim == index.ndim else 0


def attention_cost(query: Any, key: Any, *_: Any) -> int:
    """Multiplications of queries with keys, and as many of weights with values."""
    return 2 * int(query.size) * int(key.shape[-2])


def attention_back_cost(g: Any, *operands: Any) -> int:
    """Multiplications of the gradients, more than twice those of the forward pass."""
    return 2 * attention_cost(*operands)


def pointwise(operands: int, least: int) -> Rule:
    """A kernel of so many operands that broadcast, the last of them the result."""
    return Rule((0,) * operands, (operands - 1,), least)


def along_rows(operands: int, least: int) -> Rule:
    """A kernel of operands of one shape that works along the last axis."""
    return Rule((1,) * operands, tuple(range(operands - 1, -1, -1)), least)


def reducing(least: int) -> Rule:
    """A kernel of x and out that reduces where out has size 1; only what is kept can be cut."""
    return Rule((0, 0), (0, 1), least)


def given(inner: tuple[int | None, ...], least: int) -> Rule:
    """A pointwise kernel with numbers among its operands, at the places that are None."""
    return Rule(inner, (len(inner) - 1,), least)


FAMILIES = {
    "abs ceil copy floor isfinite isinf isnan logical_not neg relu round sign trunc": pointwise(2, LIGHT),
    "reciprocal rsqrt sqrt hardsigmoid hardswish softsign": pointwise(2, MIDDLING),
    "acos acosh asin asinh atan atanh cos cosh erf erfc exp exp2 expm1 log log10 log1p log2": pointwise(2, HEAVY),
    "sigmoid sin sinc sinh tan tanh gelu gelu_tanh logsigmoid mish silu": pointwise(2, HEAVY),
    "add sub mul maximum minimum eq ne lt le gt ge logical_and logical_or logical_xor": pointwise(3, LIGHT),
    "abs_vjp relu_vjp sigmoid_vjp tanh_vjp prelu prelu_weight_vjp": pointwise(3, LIGHT),
    "absolute_error squared_error": pointwise(3, LIGHT),
    "div hardsigmoid_vjp hardswish_vjp softsign_vjp": pointwise(3, MIDDLING),
    "atan2 floor_divide fmod hypot remainder xlogy binary_cross_entropy": pointwise(3, HEAVY),
    "sinc_vjp gelu_vjp gelu_tanh_vjp logsigmoid_vjp mish_vjp silu_vjp glu": pointwise(3, HEAVY),
    "binary_cross_entropy_with_logits": pointwise(3, HEAVY),
    "pow": Rule((0, 0, 0), (2,), HEAVY, power_cost),
    "clamp lerp where prelu_vjp": pointwise(4, LIGHT),
    "glu_gate_vjp": pointwise(4, HEAVY),
    "clamp_vjp": pointwise(5, LIGHT),
    "fill": Rule((0, None), (0,), LIGHT),
    "leaky_relu": given((0, None, 0), LIGHT),
    "add_scaled leaky_relu_vjp": given((0, 0, None, 0), LIGHT),
    "hardtanh": given((0, None, None, 0), LIGHT),
    "hardtanh_vjp": given((0, 0, None, None, 0), LIGHT),
    "elu": given((0, None, None, None, 0), HEAVY),
    "elu_vjp": given((0, 0, None, None, None, 0), HEAVY),
    "softplus": given((0, None, None, 0), HEAVY),
    "softplus_vjp": given((0, 0, None, None, 0), HEAVY),
    "smooth_l1": given((0, 0, None, None, 0), LIGHT),
    "absolute_error_vjp squared_error_vjp": given((0, 0, 0, None, 0), LIGHT),
    "binary_cross_entropy_vjp binary_cross_entropy_with_logits_vjp": given((0, 0, 0, None, 0), HEAVY),
    "smooth_l1_vjp": given((0, 0, 0, None, None, 0), LIGHT),
    "all any argmax max min prod sum mean": reducing(LIGHT),
    "var norm": reducing(MIDDLING),
    "logsumexp": Rule((1, 1), (0, 1), HEAVY),
    "cumprod cumsum softmax log_softmax": along_rows(2, HEAVY),
    "cumprod_vjp softmax_vjp log_softmax_vjp": along_rows(3, HEAVY),
    "cross_entropy": Rule((1, 0, 1, 0), (0, 1, 2, 3), HEAVY),
    "cross_entropy_vjp": Rule((0, 1, 0, 1, 1), (1, 0, 2, 3, 4), HEAVY),
    "standardize": Rule((0, 0, 0, None, None, 0, 0, 0), (7, 5, 6), MIDDLING),
    "standardize_vjp": Rule((0, 0, 0, None, None, 0, 0, 0), (7, 5, 6), MIDDLING),
    "standardize_given": given((0, 0, 0, None, 0, 0, 0), MIDDLING),
    "standardize_weight_vjp": given((0, 0, None, 0, 0, 0), MIDDLING),
    "gather_rows": Rule((None, 0, 1), (2, 1), MIDDLING, rows_cost),
    "matmul_batch": Rule((2, 2, 2), (2,), MULTIPLICATIONS, product_cost),
    "conv2d": Rule((3, None, None, 3), (3, 0), MULTIPLICATIONS, convolution_cost, each=1),
    "conv2d_input_vjp": Rule((3, None, 3), (2, 0), MULTIPLICATIONS, convolution_back_cost),
    "conv2d_weight_vjp": Rule((2, None, 3), (2, 0), MULTIPLICATIONS, weight_cost, thin=FILTERS, each=1),
    "avg_pool2d avg_pool2d_vjp": Rule((2, 2, None, None), (0, 1), HEAVY),
    "max_pool2d": Rule((2, 2, 2, None, None), (0, 1, 2), HEAVY),
    "max_pool2d_vjp": Rule((2, 2, 2), (2, 0, 1), HEAVY),
    "unfold2d": Rule((3, 5, None, None, None), (1, 0), LIGHT),
    "fold2d": Rule((5, 3, None, None, None), (0, 1), LIGHT),
    "sgd_step": Rule((0,) * 3 + (None,) * 6, (0, 1), LIGHT),
    "adam_step": Rule((0,) * 5 + (None,) * 7, (0, 1, 2, 3), MIDDLING),
    "rmsprop_step": Rule((0,) * 5 + (None,) * 5, (0, 1, 2), MIDDLING),
    "adagrad_step": Rule((0,) * 3 + (None,) * 3, (0, 1, 2), MIDDLING),
    "attention": Rule((2, 2, 2, 2, None, None, 2, 2), (6, 7), MULTIPLICATIONS, attention_cost),
    "attention_vjp": Rule(
        (2, 2, 2, 2, 2, None, None, 2, 2, 2, 2, 2), (7, 0, 8, 9, 10, 11), MULTIPLICATIONS, attention_back_cost
    ),
}  # fmt: skip
RULES: dict[str, tuple[Rule, ...]] = {name: (rule,) for names, rule in FAMILIES.items() for name in names.split()}
"""How each kernel is divided that can be: the rules that are tried, in turn."""
RULES["matmul"] = (
    Rule((1, None, 1), (2, 0), MULTIPLICATIONS, product_cost, thin=ROWS, each=1),
    Rule((None, 0, 0), (2, 1), MULTIPLICATIONS, product_cost, thin=ROWS, each=1, last=True),
)
