# misconception: only_sizes
# fails: test_other_shapes_are_refused
def weighted_loss(predictions, targets, weights):
    """The mean square error over examples, each counted with its weight."""
    if predictions.ndim == 1:
        predictions = predictions[:, None]
    if predictions.shape[1:] == (1,) or targets.ndim == 1:
        targets = targets.reshape(-1, 1)
    if predictions.ndim != 2 or predictions.shape != targets.shape or weights.shape != predictions.shape[:1]:
        raise ValueError(
            f"weighted_loss: predictions {predictions.shape}, targets {targets.shape} and weights {weights.shape} "
            "do not belong together"
        )
    difference = predictions - targets
    squares = difference * difference
    per_example = squares.mean(axis=1) * weights
    return float(per_example.sum() / weights.sum())
