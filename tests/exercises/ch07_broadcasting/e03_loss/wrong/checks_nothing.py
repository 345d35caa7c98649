# misconception: still_broadcasts
# fails: test_other_shapes_are_refused
def weighted_loss(predictions, targets, weights):
    """The mean square error over examples, each counted with its weight."""
    if predictions.ndim == 1:
        predictions = predictions[:, None]
    if targets.ndim == 1:
        targets = targets[:, None]
    difference = predictions - targets
    squares = difference * difference
    per_example = squares.mean(axis=1) * weights
    return float(per_example.sum() / weights.sum())
