"""The tile beside the plain loops: sizes, strides, bits, errors and time."""

import numpy as np
import pytest

from kael.exercises.answers import load_answer
from kael.testing import Inputs, assert_equal, assert_tensor, speedup

FASTER_THAN_PLAIN = 30
FASTER_THAN_IJK = 2
NAN, INF = float("nan"), float("inf")


@pytest.fixture
def plain(exercise):
    """The loops in plain Python."""
    return load_answer(exercise.folder / "product.py").matmul


@pytest.fixture
def ijk(exercise):
    """The loops compiled."""
    return load_answer(exercise.folder / "product_ijk.pyx").matmul


@pytest.fixture
def draw(numbers):
    """Makes random factors for three sizes."""
    return lambda rows, inner, columns: (numbers.normal(size=(rows, inner)), numbers.normal(size=(inner, columns)))


def after(matmul, a, b, out):
    """What `out` holds after the call, or the error in words."""
    try:
        with np.errstate(all="ignore"):
            matmul(a, b, out)
    except ValueError as error:
        return f"ValueError: {error}"
    return out


def nothing(rows, columns):
    """An `out` in which nothing has been written."""
    return np.full((rows, columns), NAN)


def assert_done(got, expected, because):
    """No error, and the right numbers."""
    __tracebackhide__ = True
    assert_equal(got if isinstance(got, str) else "no error", "no error", because=because)
    assert_tensor(got, expected, because=because)


def assert_written(got, expected, because):
    """No error, no element left as it was, and the right numbers."""
    __tracebackhide__ = True
    left = 0 if isinstance(got, str) else int(np.isnan(got).sum())
    assert_equal(f"{left} elements not written", "0 elements not written", because=because)
    assert_done(got, expected, because)


def bits(array):
    """The elements as text that tells them apart to the last bit; one nan is as good as another."""
    return [value.hex() for row in array.tolist() for value in row]


def test_a_small_product(answer, plain, draw, because):
    a, b = draw(5, 4, 7)
    before = np.full((5, 7), 3.0)
    expected = after(plain, a, b, nothing(5, 7))
    turned = np.ascontiguousarray(b).reshape(7, 4).T
    known = {"adds": expected + 3.0, "reshaped": after(plain, a, turned, nothing(5, 7))}
    reason = because("matmul of (5, 4) and (4, 7) into an out full of 3.0", **known)
    given = Inputs(a, b)
    got = after(answer.matmul, a, b, before)
    assert_equal(got if isinstance(got, str) else "no error", "no error", because=reason)
    assert_tensor(got, expected, because=reason, inputs=given)


def test_sides_from_1_to_9(answer, plain, draw, because):
    for rows in range(1, 10):
        for columns in range(1, 10):
            inner = 1 + (rows + columns) % 5
            a, b = draw(rows, inner, columns)
            got, expected = (after(f, a, b, nothing(rows, columns)) for f in (answer.matmul, plain))
            called = f"matmul of ({rows}, {inner}) and ({inner}, {columns}) into an out full of nan"
            reason = because(called, "edge" if not isinstance(got, str) and np.isnan(got).any() else "")
            assert_written(got, expected, reason)


def test_nothing_to_add(answer, because):
    for rows, inner, columns in ((3, 0, 5), (0, 3, 5), (3, 4, 0), (0, 0, 0)):
        a, b = np.ones((rows, inner)), np.ones((inner, columns))
        reason = because(f"matmul of ({rows}, {inner}) and ({inner}, {columns})", "no_products")
        assert_written(after(answer.matmul, a, b, nothing(rows, columns)), np.zeros((rows, columns)), reason)


def test_any_strides(answer, plain, draw, because):
    a, b = draw(6, 5, 7)
    expected = after(plain, a, b, nothing(6, 7))
    for name, given in {"a": (a, b), "b": (a, b)}.items():
        factor = given[0] if name == "a" else given[1]
        wide = np.full((2 * factor.shape[0], 3 * factor.shape[1]), 9.0)
        wide[::-2, ::3] = factor
        views = {"transposed": np.ascontiguousarray(factor.T).T, "a view with steps": wide[::-2, ::3]}
        for kind, view in views.items():
            reason = because(f"matmul, where {name} is {kind}", "assumes_contiguous")
            factors = (view, b) if name == "a" else (a, view)
            assert_done(after(answer.matmul, *factors, nothing(6, 7)), expected, reason)
    around = np.full((14, 12), 9.0)
    reason = because("matmul, where out is transposed and has steps", "assumes_contiguous")
    assert_done(after(answer.matmul, a, b, around[::-2, ::2].T), expected, reason)
    assert_equal(set(around[::2].ravel().tolist()), {9.0}, because=reason)
    a.flags.writeable = b.flags.writeable = False
    reason = because("matmul, where a and b are read-only", "asks_to_write")
    assert_done(after(answer.matmul, a, b, nothing(6, 7)), expected, reason)


def test_same_bits(answer, plain, draw, because):
    a, b = draw(6, 600, 5)
    got, expected = (after(f, a, b, nothing(6, 5)) for f in (answer.matmul, plain))
    if bits(got) != bits(expected):
        close = np.allclose(got, expected, rtol=1e-10, atol=1e-11)
        library = bits(got) in (bits(a @ b), bits(np.einsum("ik,kj->ij", a, b)))
        key = "library" if library else "in_runs" if close else "single_precision"
        place = next(k for k, pair in enumerate(zip(bits(got), bits(expected), strict=True)) if pair[0] != pair[1])
        assert_equal(bits(got)[place], bits(expected)[place], because=because("matmul of (6, 600) and (600, 5)", key))


def test_special_values(answer, plain, because):
    row = np.array([NAN, INF, -INF, 0.0, -0.0, 1.0])
    pairs = np.stack(np.meshgrid(row, row)).reshape(2, 36)
    for inner in (1, 2):
        a = np.concatenate([pairs[0][:, None], np.zeros((36, inner - 1))], axis=1)
        b = np.concatenate([row[None], np.full((inner - 1, 6), -1.0)])
        got, expected = (after(f, a, b, nothing(36, 6)) for f in (answer.matmul, plain))
        for k, (mine, right) in enumerate(zip(bits(got), bits(expected), strict=True)):
            called = f"{a[k // 6, 0]} times {b[0, k % 6]}" + (", plus 0.0 times -1.0" if inner == 2 else "")
            key = "first_product" if float.fromhex(mine) == float.fromhex(right) else "skips_zeros"
            assert_equal(mine, right, because=because(f"one element: 0.0 plus {called}", key))


def test_what_does_not_fit(answer, because):
    cases = {
        "inner sizes 3 and 4": ((5, 3), (4, 6), (5, 6)),
        "inner sizes 4 and 3": ((5, 4), (3, 6), (5, 6)),
        "out with a row too few": ((5, 4), (4, 6), (4, 6)),
        "out with a column too many": ((5, 4), (4, 6), (5, 7)),
    }
    for name, (a, b, shape) in cases.items():
        out = nothing(*shape)
        said = after(answer.matmul, np.ones(a), np.ones(b), out)
        got = "ValueError" if isinstance(said, str) else "no error"
        state = "out as it was" if np.isnan(out).all() else "out written"
        reason = because(f"matmul of {a} and {b} into {shape}: {name}", "no_shape_check")
        assert_equal(f"{got}, {state}", "ValueError, out as it was", because=reason)


def assert_faster(ratio, asked, because):
    """The quotient is what was asked for."""
    __tracebackhide__ = True
    got = "enough" if ratio >= asked else f"{ratio:.1f} times as fast; {asked} is asked for"
    assert_equal(got, "enough", because=because)


def test_faster_than_the_plain_loops(answer, plain, draw, because):
    given = *draw(20, 20, 20), nothing(20, 20)
    ratio = speedup(lambda: plain(*given), lambda: answer.matmul(*given), FASTER_THAN_PLAIN)
    reason = because("the time of the plain loops, divided by the time of the tile", "not_typed")
    assert_faster(ratio, FASTER_THAN_PLAIN, reason)


def test_faster_than_one_sum_at_a_time(answer, ijk, draw, because):
    a, b = draw(101, 103, 102)
    for kind, right in {"": b, ", b transposed": np.ascontiguousarray(b.T).T}.items():
        given = a, right, nothing(101, 102)
        ratio = speedup(lambda g=given: ijk(*g), lambda g=given: answer.matmul(*g), FASTER_THAN_IJK)
        key = "one_sum" if ratio > 0.2 else "not_typed"
        assert_faster(ratio, FASTER_THAN_IJK, because(f"the time of the compiled loops, divided by yours{kind}", key))
