# misconception: weights_crossed
# fails: test_column_against_flat_targets
def weighted_loss(predictions, targets, weights):
    """The mean square error over examples, each counted with its weight."""
    predictions = predictions.reshape(len(predictions), -1)
    targets = targets.reshape(len(targets), -1)
    if predictions.shape != targets.shape:
        raise ValueError(f"weighted_loss: predictions {predictions.shape} and targets {targets.shape} differ")
    difference = predictions - targets
    squares = difference * difference
    per_example = squares * weights
    return float(per_example.mean() * len(weights) / weights.sum())
