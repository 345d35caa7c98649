"""Row-major, transposed, reversed and repeated views, and targets that cannot be filled."""

from kael.testing import assert_equal

CALL = "expanded({}, {}, {})"
REFUSED = [
    ((2, 3), (3, 1), (4, 3), "any_size"),
    ((3,), (1,), (1,), "any_size"),
    ((0,), (1,), (2,), "any_size"),
    ((1, 3), (3, 1), (3,), "drops_axes"),
    ((3,), (1,), (-1, 3), "nothing_to_keep"),
    ((3,), (1,), (-2,), "any_negative"),
    ((1,), (1,), (-2,), "any_negative"),
    ((3,), (1,), (-2, 3), "any_negative"),
]


def told(answer, *operands):
    """What comes back, or the name of the error."""
    try:
        return answer.expanded(*operands)
    except ValueError:
        return "ValueError"


def test_row_is_repeated(answer, because):
    reason = because(CALL.format((3,), (1,), (2, 3)), walks_on=((2, 3), (3, 1)), aligned_left="ValueError")
    assert_equal(told(answer, (3,), (1,), (2, 3)), ((2, 3), (0, 1)), because=reason)


def test_axis_of_size_one_is_repeated(answer, because):
    reason = because(CALL.format((4, 1, 5), (5, 5, 1), (4, 3, 5)), walks_on=((4, 3, 5), (5, 5, 1)))
    assert_equal(told(answer, (4, 1, 5), (5, 5, 1), (4, 3, 5)), ((4, 3, 5), (5, 0, 1)), because=reason)


def test_size_of_none(answer, because):
    reason = because(CALL.format((1, 3), (3, 1), (0, 0, 3)), larger_of_two=((0, 1, 3), (0, 0, 1)))
    assert_equal(told(answer, (1, 3), (3, 1), (0, 0, 3)), ((0, 0, 3), (0, 0, 1)), because=reason)


def test_operand_stands_at_the_right_end(answer, because):
    reason = because(CALL.format((2, 1), (1, 2), (2, 2, 3)), aligned_left=((2, 2, 3), (1, 0, 0)))
    assert_equal(told(answer, (2, 1), (1, 2), (2, 2, 3)), ((2, 2, 3), (0, 1, 0)), because=reason)


def test_view_keeps_its_own_strides(answer, because):
    reason = because(
        CALL.format((3, 2), (-1, 6), (4, 3, 2)),
        row_major=((4, 3, 2), (0, 2, 1)),
        loses_sign=((4, 3, 2), (0, 1, 6)),
    )
    assert_equal(told(answer, (3, 2), (-1, 6), (4, 3, 2)), ((4, 3, 2), (0, -1, 6)), because=reason)


def test_one_that_stays_one_keeps_its_stride(answer, because):
    reason = because(CALL.format((1, 3), (7, 2), (1, 3)), stands_still=((1, 3), (0, 2)))
    assert_equal(told(answer, (1, 3), (7, 2), (1, 3)), ((1, 3), (7, 2)), because=reason)


def test_minus_one_keeps_a_size(answer, because):
    reason = because(
        CALL.format((3, 1), (1, 3), (2, -1, -1)),
        minus_one_stays=((2, -1, -1), (0, 1, 3)),
        stands_still=((2, 3, 1), (0, 1, 0)),
    )
    assert_equal(told(answer, (3, 1), (1, 3), (2, -1, -1)), ((2, 3, 1), (0, 1, 3)), because=reason)


def test_what_cannot_be_filled_is_refused(answer, because):
    for shape, strides, target, key in REFUSED:
        got = repr(told(answer, shape, strides, target)).strip("'")
        assert_equal(got, "ValueError", because=because(CALL.format(shape, strides, target), key))
