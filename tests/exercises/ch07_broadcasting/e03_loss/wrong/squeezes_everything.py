# misconception: one_example
# fails: test_single_example
def weighted_loss(predictions, targets, weights):
    """The mean square error over examples, each counted with its weight."""
    predictions, targets = predictions.squeeze(), targets.squeeze()
    if predictions.shape != targets.shape or weights.shape != predictions.shape[:1]:
        raise ValueError(f"{predictions.shape}, {targets.shape}, {weights.shape}")
    squares = ((predictions - targets) ** 2).reshape(len(weights), -1)
    return float((squares.mean(axis=1) * weights).sum() / weights.sum())
