# misconception: plain_mean
# fails: test_oblong_shapes
def weighted_loss(predictions, targets, weights):
    """The mean square error over examples, each counted with its weight."""
    if predictions.ndim == 1:
        predictions = predictions[:, None]
    if targets.ndim == 1:
        targets = targets[:, None]
    if predictions.ndim != 2 or predictions.shape != targets.shape or weights.shape != predictions.shape[:1]:
        raise ValueError(
            f"weighted_loss: predictions {predictions.shape}, targets {targets.shape} and weights {weights.shape} "
            "do not belong together"
        )
    difference = predictions - targets
    squares = difference * difference
    return float(squares.mean())
