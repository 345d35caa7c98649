"""The weights become a column, and everything is averaged at once."""

import numpy as np


def weighted_loss(predictions, targets, weights):
    if weights.ndim != 1:
        raise ValueError("one weight per example, in one axis")
    if not 1 <= predictions.ndim <= 2 or not 1 <= targets.ndim <= 2:
        raise ValueError("predictions and targets are (N, C) or (N,)")
    predictions, targets = (np.atleast_2d(x.T).T for x in (predictions, targets))
    if predictions.shape != targets.shape or len(weights) != len(predictions):
        raise ValueError(f"{predictions.shape} against {targets.shape} with {len(weights)} weights")
    everything = (predictions - targets) ** 2 * weights[:, None]
    return float(everything.sum() / (weights.sum() * predictions.shape[1]))
