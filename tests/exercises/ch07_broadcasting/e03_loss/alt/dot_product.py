"""A product with the weights adds up over the examples, and cannot broadcast."""

import numpy as np


def weighted_loss(predictions, targets, weights):
    n = weights.size
    columns = []
    for operand in (predictions, targets):
        if operand.ndim not in (1, 2) or operand.shape[0] != n:
            raise ValueError(f"shape {operand.shape} does not hold {n} examples")
        columns.append(operand.reshape(n, -1))
    first, second = columns
    if first.shape[1] != second.shape[1] or weights.ndim != 1:
        raise ValueError(f"{first.shape}, {second.shape}, {weights.shape}")
    errors = np.array([np.dot(row, row) / row.size for row in first - second])
    return (weights @ errors / np.sum(weights)).item()
