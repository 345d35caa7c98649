# misconception: changes_arguments
# fails: test_arguments_stay_as_they_were
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
    predictions -= targets
    squares = predictions * predictions
    per_example = squares.mean(axis=1) * weights
    return float(per_example.sum() / weights.sum())
