"""The twin beside the plain loop: results, bits, strides, errors and time."""

import numpy as np
import pytest

from kael.exercises.answers import load_answer
from kael.testing import Inputs, assert_equal, assert_tensor, speedup

FASTER = 20


@pytest.fixture
def plain(exercise):
    """The loop in plain Python."""
    return load_answer(exercise.folder / "add_rows.py").add_rows


@pytest.fixture
def grad(numbers):
    return numbers.normal(size=(7, 3))


@pytest.fixture
def index(numbers):
    """Row 1 three times, row 0 twice, row 3 never."""
    return numbers.permutation(np.array([1, 0, 1, 2, 0, 1, 4]))


@pytest.fixture
def out(numbers):
    return numbers.normal(size=(5, 3))


def after(add_rows, grad, index, out):
    """What a copy of `out` holds after the call, or the error in words."""
    return into(add_rows, grad, index, out.copy())


def into(add_rows, grad, index, out):
    """What `out` holds after the call, in one piece, or the error in words."""
    try:
        add_rows(grad, index, out)
    except ValueError as error:
        return f"ValueError: {error}"
    return np.ascontiguousarray(out)


def assert_done(got, expected, because):
    """No error, and the right numbers."""
    __tracebackhide__ = True
    assert_equal(got if isinstance(got, str) else "no error", "no error", because=because)
    assert_tensor(got, expected, because=because)


def test_rows_that_were_picked_often(answer, plain, grad, index, out, because):
    last, once = out.copy(), out.copy()
    for row, gradient in zip(index, grad, strict=True):
        last[row] = gradient
    once[index] += grad
    reason = because(
        "add_rows(grad, index, out), where index names some rows twice", last_row_only=last, lost_repeats=once
    )
    given = Inputs(grad, index)
    assert_tensor(
        after(answer.add_rows, grad, index, out), after(plain, grad, index, out), because=reason, inputs=given
    )


def test_same_bits(answer, plain, numbers, because):
    grad = numbers.normal(size=(40, 2)) * 10.0 ** numbers.integers(-3, 4, (40, 1))
    index = numbers.integers(0, 2, 40)
    got, expected = (after(add_rows, grad, index, np.zeros((2, 2))) for add_rows in (answer.add_rows, plain))
    single = np.allclose(got, expected, rtol=1e-5) and not np.allclose(got, expected, rtol=1e-12)
    reason = because("add_rows of 40 rows into 2", "single_precision" if single else "other_order")
    assert_tensor(got, expected, because=reason)
    bits = [[float.hex(value) for value in array.ravel().tolist()] for array in (got, expected)]
    first = next((k for k, pair in enumerate(zip(*bits, strict=True)) if pair[0] != pair[1]), 0)
    assert_equal(bits[0][first], bits[1][first], because=reason)


def test_any_strides(answer, plain, grad, index, out, because):
    wide = np.repeat(np.repeat(grad, 2, 0), 2, 1)
    wide[1::2], wide[:, 1::2] = 99.0, 99.0
    spread = np.repeat(index, 2)
    spread[1::2] = 3
    expected = after(plain, grad[::-1], index, out)
    arguments = {
        "grad": (wide[::2, ::2][::-1], index),
        "index": (grad[::-1], spread[::2]),
        "grad, the transpose of an array,": (np.ascontiguousarray(grad[::-1].T).T, index),
    }
    for name, (g, i) in arguments.items():
        reason = because(f"add_rows, where {name} does not lie in one piece", "assumes_contiguous")
        assert_done(after(answer.add_rows, g, i, out), expected, because=reason)
    around = np.full((2 * len(out), 2 * out.shape[1]), 99.0)
    for name, place in (("every other number of an array", around[::2, ::2]), ("a transpose", around[:3, :5].T)):
        around[:] = 99.0
        place[:] = out
        reason = because(f"add_rows, where out is {name}", "assumes_contiguous")
        assert_done(into(answer.add_rows, grad[::-1], index, place), expected, because=reason)
        place[:] = 99.0
        assert_tensor(around, np.full(around.shape, 99.0), because=reason)


def test_arrays_that_may_only_be_read(answer, plain, grad, index, out, because):
    grad.flags.writeable = index.flags.writeable = False
    reason = because("add_rows, where grad and index are read-only", "asks_to_write")
    assert_done(after(answer.add_rows, grad, index, out), after(plain, grad, index, out), because=reason)


def test_same_errors(answer, plain, grad, index, out, because):
    too_large, negative = index.copy(), index.copy()
    too_large[4], negative[4] = 5, -2
    cases = [
        ("index[4] is 5 of 5 rows", "half_done", grad, too_large, out),
        ("index[4] is -2", "negative_wraps", grad, negative, out),
        ("grad is (7, 2) and out (5, 3)", "no_shape_check", grad[:, :2], index, out),
        ("grad is (6, 3) and index (7,)", "no_shape_check", grad[:6], index, out),
    ]
    for called, key, *arguments in cases:
        said = []
        for add_rows in (answer.add_rows, plain):
            before = arguments[2].copy()
            try:
                add_rows(arguments[0], arguments[1], before)
                said.append(("no error", "", "changed"))
            except (ValueError, IndexError) as error:
                state = "as it was" if np.array_equal(before, arguments[2]) else "changed"
                said.append((type(error).__name__, str(error), state))
        assert_equal(said[0], said[1], because=because(f"add_rows, where {called}: error, text and out", key))


def test_many_times_faster(answer, plain, because):
    grad, index, out = np.ones((400, 16)), np.arange(400) % 50, np.zeros((50, 16))
    ratio = speedup(lambda: plain(grad, index, out), lambda: answer.add_rows(grad, index, out), FASTER)
    reason = because("the time of the plain loop, divided by the time of the twin", "not_typed")
    got = "enough" if ratio >= FASTER else f"{ratio:.1f} times faster; {FASTER} is asked for"
    assert_equal(got, "enough", because=reason)
