"""Where PyTorch keeps its data loading: ``torch.utils.data``."""

from kael.absent import absent
from kael.utils import data

__all__ = ["data"]

__getattr__ = absent("kael.utils")
