"""Your tables beside what the rules return, number by number."""

from math import prod

import pytest

from chapters.ch16_rules.registry import RULES, chain_rule_step
from chapters.flat import Buffer
from kael.exercises.answers import filled
from kael.testing import assert_tensor

X, Y = 2.0, 5.0
A, B, G = Buffer([1, 2], (1, 2)), Buffer([3, 5, 4, 6], (2, 2)), Buffer([10, 1], (1, 2))


def rule(op_name, grad, inputs, output=None):
    """What a rule returns for plain numbers."""
    saved = None if output is None else Buffer([output], ())
    gradients = chain_rule_step(op_name, Buffer([grad], ()), [Buffer([v], ()) for v in inputs], saved)
    return [gradient.tolist() for gradient in gradients]


@pytest.fixture
def returned(answer):
    """The reader's numbers by call and receiver."""
    rows = filled(answer.RETURNED, "RETURNED")
    given = [(1, "x"), (1, "y"), (2, "x"), (2, "y"), (3, "x"), *((4, f"a1{k}") for k in (1, 2))]
    given += [(4, f"b{i}{j}") for i in (1, 2) for j in (1, 2)]
    assert [row[:2] for row in rows] == given, "RETURNED: keep its rows as they were"
    return {row[:2]: row[2] for row in rows}


@pytest.fixture
def paths(answer):
    """The reader's numbers of PATHS, in order."""
    rows = filled(answer.PATHS, "PATHS")
    assert [row[0] for row in rows] == [1, 2, 3, 4, 5, 6], "PATHS: keep its rows as they were"
    return [row[2] for row in rows]


def test_sum(returned, because):
    for receiver, expected in zip("xy", rule("add", -3.0, [2.0, 5.0]), strict=True):
        reason = because(f"call 1, add: what {receiver} gets", forgot_incoming=1.0, split_in_add=-1.5)
        assert_tensor(returned[1, receiver], expected, because=reason)


def test_product(returned, because):
    for receiver, own, other in (("x", 4.0, 7.0), ("y", 7.0, 4.0)):
        expected = rule("mul", -2.0, [own, other])[0]
        reason = because(f"call 2, mul: what {receiver} gets", forgot_incoming=other, own_factor=-2.0 * own)
        assert_tensor(returned[2, receiver], expected, because=reason)


def test_exponential(returned, because):
    reason = because("call 3, exp: what x gets", forgot_incoming=8.0, gradient_alone=0.5)
    assert_tensor(returned[3, "x"], rule("exp", 0.5, [0.0], 8.0)[0], because=reason)


def test_left_matrix(returned, because):
    expected, _ = chain_rule_step("matmul", G, [A, B], None)
    for k, untransposed in enumerate((34.0, 56.0)):
        reason = because(
            f"call 4, matmul: a1{k + 1}", not_transposed=untransposed, forgot_incoming=B[2 * k] + B[2 * k + 1]
        )
        assert_tensor(returned[4, f"a1{k + 1}"], expected[k], because=reason)


def test_right_matrix(returned, because):
    _, expected = chain_rule_step("matmul", G, [A, B], None)
    for i in range(2):
        for j in range(2):
            reason = because(f"call 4, matmul: b{i + 1}{j + 1}", mirrored=expected[2 * j + i], forgot_incoming=A[i])
            assert_tensor(returned[4, f"b{i + 1}{j + 1}"], expected[2 * i + j], because=reason)


def test_products_along_paths(paths, because):
    s = X * Y + Y
    slopes = {0: (Y, 1.0, X), 1: (s,), 3: (X, 1.0, X), 4: (1.0, X)}
    for row, along in slopes.items():
        product = prod(along)
        missed = "missed_slope" if any(paths[row] == product / slope for slope in along) else ""
        what = f"PATHS, row {row + 1}: the product of the local slopes"
        reason = because(what, **{missed: paths[row]}) if missed else because(what, added_slopes=sum(along))
        assert_tensor(paths[row], product, because=reason)


def test_sums_over_paths(paths, because):
    for row, first, second, expected in ((2, 10.0, 15.0, 2 * X * Y + Y), (5, 4.0, 2.0, X * X + X)):
        reason = because(f"PATHS, row {row + 1}: the sum over all paths", multiplied_paths=first * second)
        known = because(f"PATHS, row {row + 1}: the sum over all paths", one_path=second)
        assert_tensor(paths[row], expected, because=known if paths[row] == second else reason)


def test_bytes_kept(answer, because):
    rows = filled(answer.KEPT, "KEPT")
    assert [row[:2] for row in rows] == [(1, "add"), (2, "mul"), (3, "exp")], "KEPT: keep its rows as they were"
    one = 500 * 8 * 4
    for (_, op_name, given), operands in zip(rows, (2, 2, 1), strict=True):
        saves = RULES[op_name].saves
        expected = one * (operands * ("operands" in saves) + ("result" in saves))
        reason = because(
            f"KEPT: the bytes that the rule of {op_name} keeps",
            "" if saves else "kept_for_a_sum",
            kept_everything=one * (operands + 1),
            one_factor=expected / operands,
            numbers_kept=expected / 4,
            eight_bytes=2 * expected,
        )
        assert_tensor(given, expected, because=reason)
