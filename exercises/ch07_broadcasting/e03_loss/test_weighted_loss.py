"""Columns and flat arrays, square and oblong shapes, unequal weights, and shapes that must be refused."""

import numpy as np

from kael.testing import assert_equal, assert_tensor

REFUSED = [
    # shape of the predictions, of the targets, of the weights, what accepting it means
    ((5, 3), (3,), (5,), "still_broadcasts"),
    ((5, 3), (1, 3), (5,), "still_broadcasts"),
    ((5, 3), (5, 1), (5,), "still_broadcasts"),
    ((5, 3), (5,), (5,), "still_broadcasts"),
    ((5, 3), (5, 3), (1,), "still_broadcasts"),
    ((5, 3), (5, 3), (3,), "still_broadcasts"),
    ((5, 3), (5, 3), (5, 1), "still_broadcasts"),
    ((5, 1), (1, 5), (5,), "only_sizes"),
    ((5, 3), (5, 3), (), "still_broadcasts"),
    ((2, 3), (3, 2), (2,), "only_sizes"),
    ((2, 2, 2), (2, 2, 2), (2,), "still_broadcasts"),
    ((), (), (1,), "still_broadcasts"),
]


def drawn(numbers, rows, columns):
    """Predictions and targets of shape (rows, columns), and weights that differ."""
    return (
        numbers.normal(size=(rows, columns)),
        numbers.normal(size=(rows, columns)),
        numbers.uniform(0.5, 2.0, size=rows),
    )


def expected(predictions, targets, weights):
    """The definition, one example after the other."""
    pairs = zip(predictions, targets, weights, strict=True)
    total = sum(weight * sum((p - t) ** 2) / len(p) for p, t, weight in pairs)
    return float(total / sum(weights))


def test_column_against_flat_targets(answer, numbers, because):
    predictions, targets, weights = drawn(numbers, 6, 1)
    crossed = (predictions - targets[:, 0]) ** 2 * weights
    reason = because(
        "weighted_loss(predictions (6, 1), targets (6,), weights (6,))",
        everybody=float(crossed.mean() * 6 / weights.sum()),
        weights_crossed=float(((predictions - targets) ** 2).mean()),
    )
    assert_tensor(
        answer.weighted_loss(predictions, targets[:, 0], weights),
        expected(predictions, targets, weights),
        because=reason,
    )


def test_flat_predictions(answer, numbers, because):
    predictions, targets, weights = drawn(numbers, 6, 1)
    wanted = expected(predictions, targets, weights)
    for flat in (targets, targets[:, 0]):
        reason = because(f"weighted_loss(predictions (6,), targets {flat.shape}, weights (6,))", "everybody")
        assert_tensor(answer.weighted_loss(predictions[:, 0], flat, weights), wanted, because=reason)


def test_weights_on_a_square(answer, numbers, because):
    predictions, targets, weights = drawn(numbers, 4, 4)
    squares = (predictions - targets) ** 2
    reason = because(
        "weighted_loss(predictions (4, 4), targets (4, 4), weights (4,))",
        on_columns=float((squares * weights).mean() * 4 / weights.sum()),
        plain_mean=float(squares.mean()),
        by_count=float((squares.mean(1) * weights).mean()),
        not_averaged=float((squares.sum(1) * weights).sum() / weights.sum()),
    )
    wanted = expected(predictions, targets, weights)
    assert_tensor(answer.weighted_loss(predictions, targets, weights), wanted, because=reason)


def test_oblong_shapes(answer, numbers, because):
    for rows, columns in [(5, 3), (3, 5)]:
        predictions, targets, weights = drawn(numbers, rows, columns)
        squares = (predictions - targets) ** 2
        reason = because(
            f"weighted_loss of shape ({rows}, {columns})",
            plain_mean=float(squares.mean()),
            by_count=float((squares.mean(1) * weights).mean()),
            not_averaged=float((squares.sum(1) * weights).sum() / weights.sum()),
        )
        wanted = expected(predictions, targets, weights)
        assert_tensor(answer.weighted_loss(predictions, targets, weights), wanted, because=reason)


def test_single_example(answer, numbers, because):
    predictions, targets, weights = drawn(numbers, 1, 3)
    try:
        got = answer.weighted_loss(predictions, targets, weights)
    except ValueError:
        got = None
    reason = because("weighted_loss(predictions (1, 3), targets (1, 3), weights (1,))", "one_example")
    assert_tensor(got, expected(predictions, targets, weights), because=reason)


def test_other_shapes_are_refused(answer, numbers, because):
    for first, second, third, key in REFUSED:
        operands = numbers.normal(size=first), numbers.normal(size=second), np.ones(third)
        try:
            got = repr(answer.weighted_loss(*operands))
        except ValueError:
            got = "ValueError"
        reason = because(f"weighted_loss(predictions {first}, targets {second}, weights {third})", key)
        assert_equal(got, "ValueError", because=reason)


def test_arguments_stay_as_they_were(answer, numbers, because):
    operands = drawn(numbers, 5, 3)
    before = [operand.copy() for operand in operands]
    answer.weighted_loss(*operands)
    for name, operand, kept in zip(("predictions", "targets", "weights"), operands, before, strict=True):
        assert_tensor(operand, kept, because=because(f"{name} after weighted_loss", "changes_arguments"))
