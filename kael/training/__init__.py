"""Training: what `kael train` runs, usable from Python too."""

from kael.training.checkpoint import OtherBits, load_checkpoint, read_checkpoint, save_checkpoint
from kael.training.digits import Settings, accuracy, model_for, train_digits
from kael.training.fitting import Outcome, Report, fit
from kael.training.loop import NotFinite, Step, Training

__all__ = ["NotFinite", "OtherBits", "Outcome", "Report", "Settings", "Step", "Training", "accuracy", "fit"]
__all__ += ["load_checkpoint", "model_for", "read_checkpoint", "save_checkpoint", "train_digits"]
