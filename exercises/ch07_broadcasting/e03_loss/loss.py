"""A weighted mean square error that passes its own demonstration."""

from kael.exercises import NotStarted


def weighted_loss(predictions, targets, weights):
    """The mean square error over examples, each counted with its weight."""
    raise NotStarted  # delete this line to begin
    difference = predictions - targets
    squares = difference * difference
    per_example = squares * weights
    return float(per_example.mean() * len(weights) / weights.sum())
