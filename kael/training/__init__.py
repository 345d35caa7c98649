"""Training: what `kael train` runs, usable from Python too."""

from kael.training.digits import Settings, accuracy, model_for, train_digits

__all__ = ["Settings", "accuracy", "model_for", "train_digits"]
