"""Writes before and after the saving, on the places and beside them, and what stays in memory."""

import pytest

from chapters.ch18_define_by_run.engine import FunctionNode, NodeInput, Tensor, backward, gradient_edge
from chapters.flat import Buffer
from kael.testing import assert_equal, traced

WRITTEN, RELEASED = "RuntimeError: written", "RuntimeError: released"
SIZE = 12


@pytest.fixture
def drawn(numbers):
    """Twelve different numbers: a table of three rows and four columns."""
    return [float(n) for n in numbers.permutation(SIZE)]


@pytest.fixture
def table(answer, drawn):
    return answer.Storage(drawn)


def got(action):
    """What an action gives; a refusal in words."""
    try:
        return action()
    except RuntimeError as error:
        words = [word for word in ("written", "released") if word in str(error)]
        return f"RuntimeError: {words[0]}" if len(words) == 1 else f"RuntimeError({str(error)[:50]!r})"


def test_numbers_until_they_are_written(answer, table, drawn, because):
    saved = answer.Saved(table, range(4, 8))
    for _ in range(2):
        assert_equal(got(saved.get), drawn[4:8], because=because("Saved(table, range(4, 8)).get()"))
    table.write(range(4, 8), [-1.0, -2.0, -3.0, -4.0])
    assert_equal(table.values, [*drawn[:4], -1.0, -2.0, -3.0, -4.0, *drawn[8:]], because=because("table.values"))
    for _ in range(2):
        reason = because("Saved(table, range(4, 8)), write(range(4, 8), ...), get()",
                         identity=[-1.0, -2.0, -3.0, -4.0], hands_copy_back=drawn[4:8])  # fmt: skip
        assert_equal(got(saved.get), WRITTEN, because=reason)


def test_same_numbers_written(answer, table, drawn, because):
    saved = answer.Saved(table, range(2, 5))
    table.write(range(4, 5), drawn[4:5])
    reason = because("Saved(table, range(2, 5)), its last number written anew, get()", "compares_values")
    assert_equal(got(saved.get), WRITTEN, because=reason)


def test_overlap_of_one_place(answer, table, because):
    for mine, theirs in [((0, 4), (3, 6)), ((4, 8), (0, 5)), ((3, 9), (5, 6)), ((5, 6), (3, 9)), ((6, 2, -1), (3, 4))]:
        saved = answer.Saved(table, range(*mine))
        table.write(range(*theirs), [0.5] * len(range(*theirs)))
        reason = because(f"Saved(table, range{mine}), write(range{theirs}, ...), get()", "same_places")
        assert_equal(got(saved.get), WRITTEN, because=reason)


def test_writes_to_other_places(answer, table, drawn, because):
    saved = answer.Saved(table, range(4, 8))
    nothing = answer.Saved(table, range(5, 5))
    table.write(range(4), [0.0] * 4)
    table.write(range(8, 12), [0.0] * 4)
    reason = because("Saved(table, range(4, 8)), write(range(0, 4), ...), write(range(8, 12), ...), get()",
                     whole_storage=WRITTEN)  # fmt: skip
    assert_equal(got(saved.get), drawn[4:8], because=reason)
    reason = because("Saved(table, range(5, 5)), writes, get()", whole_storage=WRITTEN)
    assert_equal(got(nothing.get), [], because=reason)


def test_column_beside_columns(answer, table, drawn, because):
    saved = answer.Saved(table, range(1, SIZE, 4))
    table.write(range(0, SIZE, 4), [0.0] * 3)
    table.write(range(6, 8), [0.0] * 2)
    reason = because("Saved(table, range(1, 12, 4)), write(range(0, 12, 4), ...), write(range(6, 8), ...), get()",
                     hull=WRITTEN)  # fmt: skip
    assert_equal(got(saved.get), drawn[1::4], because=reason)
    table.write(range(9, 8, -1), [0.0])
    reason = because("the same, then write(range(9, 8, -1), ...), get()", "same_places")
    assert_equal(got(saved.get), WRITTEN, because=reason)


def test_writes_before_the_saving(answer, table, because):
    for number in range(3):
        table.write(range(4), [float(number)] * 4)
        saved = answer.Saved(table, range(4))
        reason = because("write(range(0, 4), ...), Saved(table, range(0, 4)), get()", at_saving=WRITTEN)
        assert_equal(got(saved.get), [float(number)] * 4, because=reason)


def test_several_savings(answer, table, because):
    early = answer.Saved(table, range(4))
    table.write(range(2), [0.0, 0.0])
    late = answer.Saved(table, range(4))
    table.write(range(6, 7), [0.0])
    assert_equal(got(late.get), [0.0, 0.0, *table.values[2:4]], because=because("get() of a value saved after a write"))
    reason = because("get() of a value saved before the write, after another was saved behind it", "mark_taken_off")
    assert_equal(got(early.get), WRITTEN, because=reason)
    table.write(range(1, 2), [1.0])
    reason = because("get() of the second value after a write of its own", "mark_taken_off")
    assert_equal(got(late.get), WRITTEN, because=reason)


def test_nothing_is_copied(answer, table, drawn, because):
    saved = answer.Saved(table, range(2))
    table.values[1] = 0.25
    reason = because("Saved(table, range(0, 2)), table.values[1] = 0.25, get()", "copied")
    assert_equal(got(saved.get), [drawn[0], 0.25], because=reason)


def test_release(answer, table, because):
    kept, written = answer.Saved(table, range(4)), answer.Saved(table, range(4))
    kept.release()
    assert_equal(got(kept.get), RELEASED, because=because("Saved(...), release(), get()", "release_forgotten"))
    written.release()
    table.write(range(4), [0.0] * 4)
    reason = because("Saved(...), release(), a write, get()", "complains_after_release")
    assert_equal(got(written.get), RELEASED, because=reason)
    with traced() as memory:
        large = answer.Storage([0.5] * 40_000)
        saved = answer.Saved(large, range(40_000))
        saved.release()
        del large
    held = memory.held
    reason = because("memory in use after a saved storage of 40,000 numbers was released and dropped",
                     "keeps_after_release")  # fmt: skip
    assert_equal("next to nothing" if held < 200_000 else f"{held:,} bytes", "next to nothing", because=reason)


def test_long_training(answer, table, because):
    def grown(step, times):
        step()
        with traced() as memory:
            for _ in range(times):
                step()
        return "next to nothing" if memory.held < 60_000 else f"{memory.held:,} bytes"

    reason = because("what 1,500 writes of one number leave in memory", "log")
    assert_equal(grown(lambda: table.write(range(3, 4), [0.5]), 1_500), "next to nothing", because=reason)
    reason = because("what 800 savings that nobody holds leave in memory", "keeps_every_saved")
    assert_equal(grown(lambda: answer.Saved(table, range(4)).get(), 800), "next to nothing", because=reason)


def test_refused_write(answer, table, drawn, because):
    saved = answer.Saved(table, range(4))
    for values in ([7.0], [7.0] * 5):
        try:
            table.write(range(4), values)
            outcome = "no error"
        except ValueError:
            outcome = "ValueError"
        reason = because(f"write(range(0, 4), {len(values)} values)", "refused_counts")
        assert_equal(outcome, "ValueError", because=reason)
        reason = because(f"get() after write(range(0, 4), {len(values)} values) was refused", "refused_counts")
        assert_equal(got(saved.get), drawn[:4], because=reason)


class Picked(FunctionNode):
    """The node of a row of a table times a tensor: its rule reads the row from a Saved."""

    __slots__ = ("row",)

    def __init__(self, x, row):
        self.name, self.row = "PickedBackward", row
        self.inputs = (NodeInput(gradient_edge(x), x.shape),)

    def apply(self, gradient):
        return [Buffer([g * v for g, v in zip(gradient, self.row.get(), strict=True)])]

    def release(self):
        self.row.release()


def test_backward_of_the_engine(answer, table, drawn, because):
    def product(x):
        result = Tensor([v * w for v, w in zip(x.tolist(), table.values[4:8], strict=True)], True)
        result.grad_fn = Picked(x, answer.Saved(table, range(4, 8)))
        return result

    def gradient(x, y):
        return backward(y, [1.0, 2.0, 3.0, 4.0]) or x.grad.tolist()

    x = Tensor([1.0, 1.0, 2.0, 2.0], requires_grad=True)
    y = product(x)
    table.write(range(4), [0.0] * 4)
    right = [v * k for v, k in zip(drawn[4:8], range(1, 5), strict=True)]
    reason = because("y = x * row 1, row 0 of the table written, backward(y): x.grad", whole_storage=WRITTEN)
    assert_equal(got(lambda: gradient(x, y)), right, because=reason)
    table.write(range(4, 8), [0.0] * 4)
    reason = because("the same, row 1 written, and backward(y) once more", "complains_after_release")
    assert_equal(got(lambda: gradient(x, y)), RELEASED, because=reason)
    y = product(x)
    table.write(range(7, 8), [5.0])
    reason = because("y = x * row 1, the last number of row 1 written, backward(y)", "identity")
    assert_equal(got(lambda: gradient(x, y)), WRITTEN, because=reason)
    assert_equal(x.grad.tolist(), right, because=because("x.grad after the refused pass"))
