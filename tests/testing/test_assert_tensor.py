"""Each message of `assert_tensor` on the wrong answer it was made for, and silence on right ones."""

import math
from typing import Any

import numpy as np
import pytest

import kael
from chapters.flat import Buffer
from kael.testing import Because, Inputs, Mismatch, assert_equal, assert_tensor

NUMBERS = np.random.default_rng(0)
SOURCE = NUMBERS.normal(size=(4, 3, 5))
MATRIX = NUMBERS.normal(size=(2, 3))
CUBE = NUMBERS.normal(size=(3, 3, 3))
SQUARE = NUMBERS.normal(size=(3, 3))


def message(actual: Any, expected: Any, because: Because | str = "f(x)", inputs: Inputs | None = None) -> str:
    """What is said about a wrong answer."""
    with pytest.raises(Mismatch) as caught:
        assert_tensor(actual, expected, because=because, inputs=inputs)
    return str(caught.value)


def cause(actual: Any, expected: Any, because: Because | str = "f(x)") -> str:
    """The line that names the likely cause."""
    (line,) = [line for line in message(actual, expected, because).splitlines() if line.startswith("likely cause:")]
    return line.removeprefix("likely cause: ")


class TestRightAnswers:
    @pytest.mark.parametrize(
        "actual", [MATRIX.copy(), MATRIX + 1e-13, kael.tensor(MATRIX)], ids=["same", "near", "kael"]
    )
    def test_an_array_stands_for_any_tensor(self, actual: Any) -> None:
        assert_tensor(actual, MATRIX, because="f(x)")

    def test_buffer_for_buffer(self) -> None:
        assert_tensor(Buffer([1, 2], (1, 2)), Buffer([1, 2], (1, 2)), because="f(x)")

    def test_whole_number_for_a_number(self) -> None:
        assert_tensor(5, 5.0, because="f(x)")

    def test_nan_where_nan_is_expected(self) -> None:
        assert_tensor(np.array([math.nan, 1.0]), np.array([math.nan, 1.0]), because="f(x)")

    def test_float32_to_seven_digits(self) -> None:
        assert_tensor(np.float32([1.000001]), np.float32([1.0]), because="f(x)")

    def test_empty(self) -> None:
        assert_tensor(np.zeros((0, 3)), np.zeros((0, 3)), because="f(x)")


class TestFiveLines:
    def test_each_begins_with_its_word(self) -> None:
        because = Because("f(x)", cause="forgot", read="17.2", again="pytest here")
        words = [line.split(":")[0] for line in message(MATRIX + 1, MATRIX, because).splitlines()]
        assert words == ["called", "expected", "likely cause", "read", "run again"]

    def test_a_number_has_no_index(self) -> None:
        assert "expected:     3.0; got 2.5\n" in message(2.5, 3.0)

    def test_first_bad_index(self) -> None:
        wrong = SOURCE.copy()
        wrong[2, 1, 4] += 1
        wrong[3, 0, 0] += 1
        assert "at [2, 1, 4] of a float64 of shape (4, 3, 5)" in message(wrong, SOURCE)

    def test_the_question_s_own_cause_when_nothing_is_recognised(self) -> None:
        assert cause(MATRIX + 1, MATRIX, Because("f(x)", cause="look at line 3")) == "look at line 3"

    def test_no_cause_is_made_up(self) -> None:
        assert cause(MATRIX + 1, MATRIX) == "no mistake that this check knows gives this value"


class TestTypeShapeAndElements:
    def test_none(self) -> None:
        assert "never returned" in cause(None, MATRIX)

    def test_a_list_is_no_tensor(self) -> None:
        assert "expected:     a tensor; got a list" in message(MATRIX.tolist(), MATRIX)

    def test_a_scalar_is_no_vector_of_equal_numbers(self) -> None:
        assert "expected:     shape (3,); got shape ()" in message(np.array(2.0), np.full(3, 2.0))

    def test_an_array_is_no_buffer(self) -> None:
        assert "expected:     a Buffer; got" in message(np.ones(2), Buffer([1, 1]))

    def test_a_type_of_the_caller_s_own_is_none_that_is_asked_for(self) -> None:
        class Own(Buffer):
            pass

        Own.__module__ = "chapters.flat"
        assert "expected:     a Buffer; got" in message(Own([1, 2]), Buffer([1, 2]))
        assert "expected:     a tensor; got" in message(MATRIX.view(type("Mine", (np.ndarray,), {})), MATRIX)

    def test_true_is_no_number(self) -> None:
        assert "got True" in message(True, 1.0)

    def test_a_long_text_is_cut_and_not_called_a_str(self) -> None:
        assert f"got '{'x' * 76}...\n" in message("x" * 200, MATRIX)

    def test_another_element_type(self) -> None:
        assert "expected:     float64; got float32" in message(MATRIX.astype(np.float32), MATRIX)

    def test_nan_for_a_number(self) -> None:
        assert "nan or inf where a number belongs" in cause(np.array([1.0, math.nan]), np.array([1.0, 2.0]))

    def test_a_number_for_nan(self) -> None:
        text = message(np.array([1.0, 2.0]), np.array([1.0, math.nan]))
        assert "expected:     nan at [1]" in text
        assert "; got 2.0\n" in text

    def test_inf_for_a_number(self) -> None:
        assert "nan or inf" in cause(np.array([math.inf, 1.0]), np.array([3.0, 1.0]))

    def test_the_likely_cause_of_another_element_type(self) -> None:
        assert cause(MATRIX.astype(np.float32), MATRIX) == "the element type was changed on the way"

    def test_one_in_a_last_digit_of_an_integer(self) -> None:
        assert "at [1]" in message(np.array([1, 2**60 + 1]), np.array([1, 2**60]))


class TestKnownRelations:
    @pytest.mark.parametrize(
        ("actual", "expected", "words"),
        [
            (MATRIX.T, MATRIX, "transposed"),
            (SQUARE.T, SQUARE, "transposed"),
            (-MATRIX, MATRIX, "negated"),
            (3 * MATRIX, MATRIX, "3 times too large"),
            (MATRIX / 6, MATRIX, "divided by 6: a mean where a sum belongs"),
            (np.zeros((2, 3)), MATRIX, "every element is zero"),
            (MATRIX[None], MATRIX, "one axis of size 1 too many"),
            (MATRIX.sum(0), MATRIX.sum(0, keepdims=True), "one axis of size 1 too few"),
            (SOURCE, SOURCE.sum(0), "not summed over a broadcast axis: summing over (0,)"),
            (SOURCE, SOURCE.sum((0, 2), keepdims=True)[0], "not summed over a broadcast axis: summing over (0, 2)"),
            (np.roll(MATRIX, 1, 1), MATRIX, "off by one along axis 1"),
            (np.roll(MATRIX, -1, 0), MATRIX, "off by one along axis 0"),
            (MATRIX[None, None], MATRIX, "2 axes of size 1 too many"),
            (MATRIX[:, None], MATRIX[None], "an axis of size 1 is misplaced"),
            (SOURCE.swapaxes(1, 2), SOURCE, "the axes 1 and 2 are exchanged"),
            (CUBE.swapaxes(0, 1), CUBE, "the axes 0 and 1 are exchanged"),
            (SOURCE.T, SOURCE, "the axes 0 and 2 are exchanged"),
            (MATRIX.tolist(), MATRIX, "no mistake that this check knows"),
            (Buffer([2.0, 3.0]), Buffer([2.0, 3.0], (1, 2)), "one axis of size 1 too few"),
        ],
    )
    def test_is_named(self, actual: Any, expected: Any, words: str) -> None:
        assert words in cause(actual, expected)

    def test_overwritten_instead_of_accumulated(self) -> None:
        parts = [SQUARE, SQUARE @ SQUARE]
        because = Because("f(x)", contributions=parts)
        assert "overwritten instead of accumulated: this is contribution 2 of 2" in cause(parts[1], sum(parts), because)

    def test_missing_factor(self) -> None:
        upstream = NUMBERS.normal(size=(2, 3))
        because = Because("f(x)", factors={"the gradient that arrives": upstream})
        assert cause(MATRIX, MATRIX * upstream, because) == "a factor is missing: the gradient that arrives"

    def test_summed_over_another_axis(self) -> None:
        because = Because("f(x)", source=SOURCE)
        assert "summed over the axes (1, 2)," in cause(SOURCE.sum((1, 2)), SOURCE.sum((0, 2)), because)

    def test_summed_over_another_axis_and_left_in_place(self) -> None:
        because = Because("f(x)", source=SOURCE)
        assert "summed over the axes (1,) and left in place with size 1" in cause(
            SOURCE.sum(1, keepdims=True), SOURCE.sum((0, 2), keepdims=True), because
        )

    def test_not_summed_at_all(self) -> None:
        because = Because("f(x)", source=SOURCE)
        assert cause(SOURCE, SOURCE.sum(0), because) == "not summed over the axes that were repeated"

    def test_right_numbers_in_another_type(self) -> None:
        assert cause(np.array([1.0, 2.0]), Buffer([1.0, 2.0])) == "the numbers are right, what holds them is not"

    def test_a_mistake_of_the_question_s_own_comes_first(self) -> None:
        assert cause(-MATRIX, MATRIX, Because("f(x)", mistakes={"took y - x": -MATRIX})) == "took y - x"

    def test_a_mistake_that_leaves_nothing(self) -> None:
        assert cause(None, 1.0, Because("x.grad", mistakes={"never seeded": None})) == "never seeded"

    def test_a_right_sum_of_another_type_is_not_called_a_wrong_sum(self) -> None:
        because = Because("f(x)", source=SOURCE)
        total = SOURCE.sum(0)
        assert "element type" in cause(total, total.astype(np.float32), because)


class TestInputs:
    def test_a_changed_argument(self) -> None:
        x = MATRIX.copy()
        given = Inputs(x)
        x[0, 0] = 7.0
        text = message(MATRIX * 2, MATRIX * 2, "double(x)", given)
        assert "expected:     arguments left as they were; got argument 1 was" in text
        assert "likely cause: an argument was written to" in text

    def test_a_sign_of_zero_is_a_change(self) -> None:
        x = np.array([0.0])
        given = Inputs(x)
        x[0] = -0.0
        assert "argument 1" in message(np.array([1.0]), np.array([1.0]), "f(x)", given)

    @pytest.mark.parametrize("make", [np.array, kael.tensor, Buffer], ids=["array", "tensor", "buffer"])
    def test_a_result_in_an_argument_s_memory(self, make: Any) -> None:
        x = make([1.0, 2.0])
        expected = (
            Buffer([1, 2]) if make is Buffer else np.array([1.0, 2.0], np.float32 if make is kael.tensor else float)
        )
        assert "the memory of argument 1" in message(x, expected, "f(x)", Inputs(x))

    def test_a_view_shares(self) -> None:
        x = MATRIX.copy()
        assert "the memory of argument 1" in message(x[::-1], MATRIX[::-1], "f(x)", Inputs(x))

    def test_the_likely_cause_of_a_shared_result(self) -> None:
        x = MATRIX.copy()
        assert "likely cause: an argument was passed on" in message(x, MATRIX, "f(x)", Inputs(x))

    def test_the_question_s_own_cause_of_a_change_comes_first(self) -> None:
        x = MATRIX.copy()
        given = Inputs(x)
        x[0, 0] = 7.0
        because = Because("double(x)", cause="it doubles x itself")
        assert "likely cause: it doubles x itself" in message(MATRIX * 2, MATRIX * 2, because, given)

    def test_a_fresh_result_of_unchanged_arguments(self) -> None:
        x = MATRIX.copy()
        assert_tensor(x * 2, MATRIX * 2, because="double(x)", inputs=Inputs(x))

    def test_a_large_argument_is_not_printed(self) -> None:
        x = SOURCE.copy()
        given = Inputs(x)
        x[0] = 0.0
        text = message(SOURCE, SOURCE, "f(x)", given)
        assert "argument 1 was a float64 of shape (4, 3, 5) before the call" in text

    def test_sharing_can_be_allowed(self) -> None:
        x = MATRIX.copy()
        assert_tensor(x, MATRIX, because="f(x)", inputs=Inputs(x, may_share=True))


class TestAssertEqual:
    def test_equal(self) -> None:
        assert_equal((0, 2), (0, 2), because="axes")

    @pytest.mark.parametrize(("actual", "expected"), [([0, 2], (0, 2)), (True, 1), (1.0, 1), (None, 0)])
    def test_another_type_is_not_equal(self, actual: object, expected: object) -> None:
        with pytest.raises(Mismatch):
            assert_equal(actual, expected, because="axes")

    def test_a_known_mistake_is_named(self) -> None:
        because = Because("axes", mistakes={"numbers of what was left": (0, 1)})
        with pytest.raises(Mismatch, match="numbers of what was left"):
            assert_equal((0, 1), (0, 2), because=because)


def test_an_expectation_that_is_no_tensor_is_a_mistake_of_the_check() -> None:
    with pytest.raises(TypeError, match="give a number, an array or a tensor"):
        assert_tensor(1.0, "one", because="f(x)")
