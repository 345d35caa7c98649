# misconception: everybody
# fails: test_column_against_flat_targets
def weighted_loss(predictions, targets, weights):
    """The mean square error over examples, each counted with its weight."""
    difference = predictions - targets
    squares = difference * difference
    per_example = squares * weights
    return float(per_example.mean() * len(weights) / weights.sum())
