"""The twin beside the plain loop: bits, bound, strides, memory and time."""

from fractions import Fraction
from functools import reduce
from math import fsum

import numpy as np
import pytest

from kael.exercises.answers import load_answer
from kael.testing import Inputs, assert_equal, assert_tensor, speedup, traced

FASTER_THAN_PLAIN = 30
FASTER_THAN_RUNNING = 1.6
UNIT = 2.0**-53
DEPTH = 512 + 3 + 8
"""Additions that an element of a million passes through: 512 in a lane, three folds, eight pairs of blocks."""


@pytest.fixture
def plain(exercise):
    """The loop in plain Python."""
    return load_answer(exercise.folder / "total.py").total


@pytest.fixture
def running(exercise):
    """One total, compiled."""
    return load_answer(exercise.folder / "running_total.pyx").total


def told(total, x):
    """The sum, or the error in words."""
    try:
        return total(x)
    except ValueError as error:
        return f"ValueError: {error}"


def folded(lanes, neighbours=False):
    """The sum of eight lanes; in another order when neighbours are added."""
    lanes = list(lanes)
    while len(lanes) > 1:
        half = len(lanes) // 2
        pairs = (lanes[::2], lanes[1::2]) if neighbours else (lanes[:half], lanes[half:])
        lanes = [a + b for a, b in zip(*pairs, strict=True)]
    return float(lanes[0])


def in_lanes(x):
    """What eight lanes hold after all elements."""
    whole = np.concatenate([x, np.full(-len(x) % 8, -0.0)]).reshape(-1, 8)
    return np.cumsum(whole, axis=0)[-1]


def assert_same(got, expected, because):
    """The same float to the last bit."""
    __tracebackhide__ = True
    if isinstance(got, float):
        assert_equal(repr(float(got)), repr(expected), because=because)
    assert_tensor(got, expected, because=because)


def test_up_to_thirty_elements(answer, plain, numbers, because):
    for count in reversed(range(31)):
        x = numbers.normal(size=count)
        whole = count - count % 8
        known = {"tail_lost": folded(in_lanes(x[:whole])) if whole else -0.0}
        known["tail_elsewhere"] = reduce(float.__add__, x[whole:].tolist(), known["tail_lost"])
        known["other_fold"] = folded(in_lanes(x), neighbours=True) if count else -0.0
        given = Inputs(x)
        got, expected = told(answer.total, x), plain(x)
        key = next((key for key, value in known.items() if value == got != expected), "") if count else "nothing"
        reason = because(f"total of {count} elements", key)
        assert_same(got, expected, reason)
        assert_tensor(got, expected, because=reason, inputs=given)


def test_same_bits(answer, plain, numbers, because):
    drawn = [numbers.normal(size=count) for count in (1000, 4096, 6010, 9003, 20_000)]
    got, expected = ([told(total, x) for x in drawn] for total in (answer.total, plain))
    key = "" if got == expected else order_of(got, drawn, plain)
    for x, mine, right in zip(drawn, got, expected, strict=True):
        assert_same(mine, right, because(f"total of {len(x)} elements", key))


def order_of(got, drawn, plain):
    """The order that gives these totals, of those that come to mind."""
    known = {
        "other_fold": folded_in_halves,
        "half_off": lambda x: cut_in_the_middle(plain, x),
        "from_the_start": lambda x: counted(plain, x),
        "no_pairs": lambda x: folded(in_lanes(x)),
        "one_total": lambda x: float(np.cumsum(x)[-1]),
    }
    found = [key for key, total in known.items() if [total(x) for x in drawn] == got]
    near = np.allclose(np.array(got, float), [fsum(x) for x in drawn], rtol=1e-9)
    return found[0] if found else "library" if near else ""


def folded_in_halves(x):
    """The order asked for, but for neighbouring lanes that are added."""
    if len(x) <= 4096:
        return folded(in_lanes(x), neighbours=True)
    half = len(x) // 16 * 8
    return folded_in_halves(x[:half]) + folded_in_halves(x[half:])


def cut_in_the_middle(plain, x):
    """The order asked for, but for halves of any length."""
    if len(x) <= 4096:
        return plain(x)
    half = len(x) // 2
    return cut_in_the_middle(plain, x[:half]) + cut_in_the_middle(plain, x[half:])


def counted(plain, x):
    """Blocks of 4096 from the start, added as a binary counter carries."""
    waiting = []
    for number, start in enumerate(range(0, len(x), 4096), 1):
        so_far = plain(x[start : start + 4096])
        while number % 2 == 0:
            so_far = waiting.pop() + so_far
            number //= 2
        waiting.append(so_far)
    so_far = waiting.pop()
    while waiting:
        so_far = waiting.pop() + so_far
    return so_far


def test_error_stays_below_the_bound(answer, numbers, because):
    value = float(numbers.uniform(0.05, 0.15)) / 3
    x = np.full(1_000_003, value)
    exact = Fraction(value) * len(x)
    bound = DEPTH * UNIT * float(exact)
    got = told(answer.total, x)
    error = abs(Fraction(got) - exact) if isinstance(got, float) else exact
    said = "within the bound" if error <= bound else f"an error of {float(error / exact) / UNIT:,.0f} units of roundoff"
    key = "no_pairs" if said != "within the bound" and got == folded(in_lanes(x)) else "one_total"
    reason = because(f"total of {len(x):,} times {value:.3f}; the bound is {DEPTH} units of roundoff", key)
    assert_equal(said, "within the bound", because=reason)


def test_any_stride(answer, plain, numbers, because):
    wide = numbers.normal(size=(6003, 3))
    views = {
        "a column of a matrix": wide[:, 1],
        "every third element": wide.ravel()[::3],
        "backwards": np.ascontiguousarray(wide[:, 2])[::-1],
        "one element, repeated": np.broadcast_to(wide[0, 0], 1000),
    }
    for name, view in views.items():
        got, expected = told(answer.total, view), plain(view)
        key = "" if isinstance(got, float) and np.isclose(got, expected) else "assumes_contiguous"
        reason = because(f"total, where x is {name}", "asks_to_write" if "read-only" in str(got) else key)
        assert_equal(got if isinstance(got, str) else "no error", "no error", because=reason)
        assert_same(got, expected, reason)


def test_signs_and_infinities(answer, plain, because):
    inf, nan = float("inf"), float("nan")
    for x in ([-0.0], [-0.0] * 21, [0.0, -0.0], [inf, 1.0], [-inf] * 9, [inf, -inf], [1.0] * 12 + [nan], [1e308] * 20):
        array = np.array(x)
        got, expected = told(answer.total, array), plain(array)
        reason = because(f"total of {len(x)} elements, the last {x[-1]}", "loses_sign")
        assert_equal(str(got), str(expected), because=reason)


def test_no_copy(answer, numbers, because):
    x = numbers.normal(size=(30_000, 2))[:, 0]
    with traced() as memory:
        told(answer.total, x)
    got = "none" if memory.most < x.nbytes / 4 else f"{memory.most:,} bytes; the elements take {x.nbytes:,}"
    assert_equal(got, "none", because=because("total of 30,000 elements: copies made on the way", "copies"))


def assert_faster(ratio, asked, because):
    """The quotient is what was asked for."""
    __tracebackhide__ = True
    got = "enough" if ratio >= asked else f"{ratio:.1f} times as fast; {asked} is asked for"
    assert_equal(got, "enough", because=because)


def test_faster_than_the_plain_loop(answer, plain, numbers, because):
    x = numbers.normal(size=5000)
    ratio = speedup(lambda: plain(x), lambda: answer.total(x), FASTER_THAN_PLAIN)
    reason = because("the time of the plain loop, divided by the time of the twin", "not_typed")
    assert_faster(ratio, FASTER_THAN_PLAIN, reason)


def test_faster_than_one_total(answer, running, numbers, because):
    x = numbers.normal(size=200_000)
    ratio = speedup(lambda: running(x), lambda: answer.total(x), FASTER_THAN_RUNNING)
    key = "waits" if ratio > 0.2 else "not_typed"
    assert_faster(ratio, FASTER_THAN_RUNNING, because("the time of one compiled total, divided by yours", key))
