"""Optimizers, under PyTorch's names."""

from kael.absent import absent
from kael.optim.adam import Adam, AdamW
from kael.optim.optimizer import Optimizer
from kael.optim.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer"]

__getattr__ = absent("kael.optim")
