"""The fused pass beside the plain loop: repeats, strides, bits, memory and time."""

import numpy as np
import pytest

from kael.exercises.answers import load_answer
from kael.testing import Inputs, assert_equal, assert_tensor, speedup, traced

FASTER_THAN_PLAIN = 40
FASTER_THAN_PASSES = 2
ROWS_BY_COLUMNS = 0.75
NAN, INF = np.float32("nan"), np.float32("inf")
READ_ONLY = {"asks_to_write": "ValueError: buffer source array is read-only"}
"""What a view without const says to an operand that may not be written, such as one that np.broadcast_to repeats."""


@pytest.fixture
def plain(exercise):
    """The loop in plain Python."""
    return load_answer(exercise.folder / "normalize.py").normalize


@pytest.fixture
def passes(exercise):
    """Three compiled loops."""
    return load_answer(exercise.folder / "normalize_passes.pyx").normalize


@pytest.fixture
def draw(numbers):
    """Makes a random float32 array of a shape."""
    return lambda *shape: numbers.normal(size=shape).astype(np.float32)


def after(normalize, operands, out):
    """What `out` holds after the call, or the error in words."""
    try:
        with np.errstate(all="ignore"):
            normalize(*operands, out)
    except ValueError as error:
        return f"ValueError: {error}"
    return out


def assert_done(got, expected, because):
    """No error, and the right numbers."""
    __tracebackhide__ = True
    assert_equal(got if isinstance(got, str) else "no error", "no error", because=because)
    assert_tensor(got, expected, because=because)


def nothing(*shape):
    """An `out` in which nothing has been written."""
    return np.full(shape, NAN)


def bits(array):
    """The elements as text that tells them apart to the last bit; one nan is as good as another."""
    return [value.hex() for row in array.tolist() for value in row]


def test_a_row_of_parameters(answer, plain, draw, because):
    operands = draw(6, 4), draw(1, 4), draw(1, 4), draw(1, 4)
    given = Inputs(*operands)
    got, expected = (after(f, operands, nothing(6, 4)) for f in (answer.normalize, plain))
    reason = because("normalize, x of shape (6, 4) and parameters of shape (1, 4)", "never_repeats", **READ_ONLY)
    assert_equal(got if isinstance(got, str) else "no error", "no error", because=reason)
    assert_tensor(got, expected, because=reason, inputs=given)


def test_every_operand_may_repeat(answer, plain, draw, because):
    shapes = [(5, 3), (1, 3), (5, 1), (1, 1)]
    for turn in range(4):
        chosen = shapes[turn:] + shapes[:turn]
        operands = [draw(*shape) for shape in chosen]
        reason = because(f"normalize, operands of shapes {', '.join(map(str, chosen))}", "never_repeats", **READ_ONLY)
        assert_done(*(after(f, operands, nothing(5, 3)) for f in (answer.normalize, plain)), reason)
    for shape in ((0, 3), (3, 0), (1, 1)):
        operands = [draw(*shape) for _ in range(4)]
        reason = because(f"normalize of arrays of shape {shape}", "never_repeats", **READ_ONLY)
        assert_done(*(after(f, operands, nothing(*shape)) for f in (answer.normalize, plain)), reason)


def test_any_strides(answer, plain, draw, because):
    operands = [draw(4, 3) for _ in range(4)]
    expected = after(plain, operands, nothing(4, 3))
    for number, name in enumerate(("x", "mean", "scale", "shift")):
        wide = draw(8, 6)
        wide[::-2, ::-2] = operands[number]
        views = {
            "every second element, backwards": wide[::-2, ::-2],
            "the transpose of an array": np.ascontiguousarray(operands[number].T).T,
        }
        for kind, view in views.items():
            given = [*operands[:number], view, *operands[number + 1 :]]
            reason = because(f"normalize, where {name} is {kind}", "assumes_contiguous")
            assert_done(after(answer.normalize, given, nothing(4, 3)), expected, reason)
    around = np.zeros((8, 6), np.float32)
    reason = because("normalize, where out is every second element, backwards", "assumes_contiguous")
    assert_done(after(answer.normalize, operands, around[::-2, ::-2]), expected, reason)
    assert_equal(float(np.abs(around[::2]).sum()), 0.0, because=reason)
    for operand in operands:
        operand.flags.writeable = False
    reason = because("normalize, where the operands are read-only", "asks_to_write")
    assert_done(after(answer.normalize, operands, nothing(4, 3)), expected, reason)


def test_same_bits(answer, plain, draw, because):
    centre = np.float32(3000) * draw(1, 30)
    x, scale, shift = centre + draw(20, 30), draw(1, 30), draw(20, 1)
    got, expected = (after(f, (x, centre, scale, shift), nothing(20, 30)) for f in (answer.normalize, plain))
    double = [operand.astype(np.float64) for operand in (x, centre, scale, shift)]
    once = ((double[0] - double[1]) * double[2] + double[3]).astype(np.float32)
    folded = x * scale + (shift - centre * scale)
    known = {"in_double": bits(once), "folded": bits(folded)}
    key = next((name for name, value in known.items() if value == bits(got)), "")
    if not key and not np.allclose(got, expected, rtol=1e-4, atol=1e-4):
        key = "folded"
    reason = because("normalize, where x is close to mean", key)
    if bits(got) != bits(expected):
        place = next(k for k, pair in enumerate(zip(bits(got), bits(expected), strict=True)) if pair[0] != pair[1])
        assert_equal(bits(got)[place], bits(expected)[place], because=reason)


def test_special_values(answer, plain, because):
    special = np.array([NAN, INF, 0.0, -0.0, 1.5, -3e38], np.float32)
    x, mean, scale, shift = np.stack(np.meshgrid(*[special] * 4)).reshape(4, 36, 36)
    got, expected = (after(f, (x, mean, scale, shift), nothing(36, 36)) for f in (answer.normalize, plain))
    for k, (mine, right) in enumerate(zip(bits(got), bits(expected), strict=True)):
        if mine != right:
            a, m, s, h = (operand.flat[k] for operand in (x, mean, scale, shift))
            reason = because(f"({a} - {m}) * {s} + {h}", "zero_times" if s == 0 else "in_double")
            assert_equal(mine, right, because=reason)


def test_out_may_be_any_operand(answer, plain, draw, because):
    for number, name in enumerate(("x", "mean", "scale", "shift")):
        operands = [draw(5, 4) for _ in range(4)]
        expected = after(plain, operands, nothing(5, 4))
        reason = because(f"normalize, where out is {name} itself", "through_out")
        assert_done(after(answer.normalize, operands, operands[number]), expected, reason)


def test_no_array_on_the_way(answer, draw, because):
    operands, out = (draw(300, 200), draw(1, 200), draw(1, 200), draw(300, 1)), nothing(300, 200)
    with traced() as memory:
        answer.normalize(*operands, out)
    got = "none" if memory.most < out.nbytes / 8 else f"{memory.most:,} bytes; out has {out.nbytes:,}"
    assert_equal(got, "none", because=because("normalize of 300 x 200: arrays made on the way", "temporaries"))


def test_what_does_not_fit(answer, draw, because):
    for number, name in enumerate(("x", "mean", "scale", "shift")):
        for shape in ((1, 7), (4, 4), (2, 1)):
            operands, out = [draw(1, 4) for _ in range(4)], nothing(6, 4)
            operands[number] = draw(*shape)
            said = after(answer.normalize, operands, out)
            got = "ValueError" if isinstance(said, str) else "no error"
            state = "out as it was" if np.isnan(out).all() else "out written"
            reason = because(f"normalize, where {name} is {shape} and out is (6, 4)", "writes_first")
            assert_equal(f"{got}, {state}", "ValueError, out as it was", because=reason)


def assert_faster(ratio, asked, because):
    """The quotient is what was asked for."""
    __tracebackhide__ = True
    got = "enough" if ratio >= asked else f"{ratio:.2f} times as fast; {asked} is asked for"
    assert_equal(got, "enough", because=because)


def test_faster_than_the_plain_loop(answer, plain, draw, because):
    given = draw(40, 40), draw(1, 40), draw(1, 40), draw(1, 40), nothing(40, 40)
    ratio = speedup(lambda: plain(*given), lambda: answer.normalize(*given), FASTER_THAN_PLAIN)
    reason = because("the time of the plain loop, divided by the time of the pass", "not_typed")
    assert_faster(ratio, FASTER_THAN_PLAIN, reason)


def test_faster_than_three_passes(answer, passes, draw, because):
    given = draw(400, 300), draw(1, 300), draw(1, 300), draw(1, 300), nothing(400, 300)
    ratio = speedup(lambda: passes(*given), lambda: answer.normalize(*given), FASTER_THAN_PASSES)
    reason = because(
        "the time of three compiled passes, divided by yours", "still_checks" if ratio > 0.6 else "not_typed"
    )
    assert_faster(ratio, FASTER_THAN_PASSES, reason)


def test_row_by_row(answer, draw, because):
    given = np.zeros((800, 1000), np.float32), draw(1, 1000), draw(1, 1000), draw(1, 1000), nothing(800, 1000)
    by_columns = [operand.T.copy().T for operand in given]
    ratio = speedup(lambda: answer.normalize(*by_columns), lambda: answer.normalize(*given), ROWS_BY_COLUMNS)
    reason = because("the time for arrays stored column by column, divided by that for rows", "down_the_columns")
    assert_faster(ratio, ROWS_BY_COLUMNS, reason)
