"""Errors in ulp against fifty decimal digits, range by range, and the values at the ends."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from kael.exercises import LibraryCalled
from kael.exercises.forbidden import forbidden
from kael.testing import assert_equal


@pytest.fixture
def exp(answer, because):
    """The reader's exp on a fresh out; None for whoever asks math.exp or np.exp."""

    def call(x):
        out, before = np.full_like(x, 7.0), x.copy()
        with forbidden("math.exp", "numpy.exp"):
            try:
                answer.exp(x, out)
            except LibraryCalled:
                return None
        same = "as it was" if np.array_equal(x, before, equal_nan=True) else "changed"
        assert_equal(same, "as it was", because=because("exp(x, out): x afterwards", "changes_x"))
        return out

    return call


def errors(x, got):
    """Error of each result in ulp of the exact one."""
    with localcontext() as context:
        context.prec = 50
        found = []
        for value, result in zip(x.tolist(), got.tolist(), strict=True):
            exact = Decimal(value).exp()
            if math.isfinite(result):
                found.append(float(abs(Decimal(result) - exact) / Decimal(math.ulp(float(exact)))))
            else:
                found.append(math.inf)
    return found


def assert_within_one_ulp(exp, x, key, because):
    """Every result is within 1 ulp; `key` names the mistake from the largest error."""
    __tracebackhide__ = True
    got = exp(x)
    if got is None:
        assert_equal("the library was asked", "computed", because=because("exp(x, out)", "asks_the_library"))
    off = errors(x, got)
    worst = int(np.argmax(off))
    said = "within 1 ulp" if off[worst] <= 1 else f"{got[worst]}, {off[worst]:.3g} ulp off"
    reason = because(f"exp({float(x[worst])!r}), the worst of {len(x)}", key(off[worst]) if off[worst] > 1 else "")
    assert_equal(said, "within 1 ulp", because=reason)


def test_ordinary_arguments(exp, numbers, because):
    def key(worst):
        return "no_reduction" if worst > 1e6 else "truncates" if worst > 8 else "one_part"

    assert_within_one_ulp(exp, np.append(numbers.uniform(-5, 5, 300), -30.0), key, because)


def test_large_arguments(exp, numbers, because):
    x = np.concatenate([numbers.uniform(300, 700, 400), numbers.uniform(-700, -300, 400)])

    def key(worst):
        return "sign_of_low" if worst > 1e6 else "one_part"

    assert_within_one_ulp(exp, x, key, because)


def test_close_to_the_largest(exp, numbers, because):
    def key(worst):
        return "clamps_early" if math.isfinite(worst) else "one_scale"

    assert_within_one_ulp(exp, numbers.uniform(709.45, 709.78, 50), key, because)


def test_subnormal_results(exp, numbers, because):
    assert_within_one_ulp(exp, numbers.uniform(-745.0, -708.5, 100), lambda worst: "flushes", because)


def test_ends(exp, because):
    x = np.array([math.inf, -math.inf, math.nan, 0.0, -0.0, 710.0, -746.0])
    got = exp(x)
    known = "the library was asked" if got is None else " ".join(map(str, got.tolist()))
    key = "loses_nan" if got is None or not math.isnan(got[2]) else "clamps_early"
    reason = because(f"exp of {' '.join(map(str, x.tolist()))}", key)
    assert_equal(known, "inf 0.0 nan 1.0 1.0 inf 0.0", because=reason)


def test_one_element_and_none(exp, because):
    for size in (0, 1):
        got = exp(np.ones(size))
        found = [] if got is None else got.tolist()
        near = len(found) == size and all(abs(value - math.e) < 1e-15 for value in found)
        assert_equal("right" if near else str(found), "right", because=because(f"exp of {size} ones"))
