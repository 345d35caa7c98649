"""Schedules of learning rates, under PyTorch's names: call a schedule's `step` after the optimizer's.

Warm-up is a `LinearLR` and whatever follows it, in a `SequentialLR`:

>>> import kael
>>> from kael.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR
>>> optimizer = kael.optim.AdamW([kael.zeros(1, requires_grad=True)], lr=0.1)
>>> warmup, rest = LinearLR(optimizer, 0.25, total_iters=3), CosineAnnealingLR(optimizer, 5)
>>> schedule = SequentialLR(optimizer, [warmup, rest], milestones=[3])
>>> for _ in range(5):
...     optimizer.step()
...     print(f"{schedule.get_last_lr()[0]:.4f}")
...     schedule.step()
0.0250
0.0500
0.0750
0.1000
0.0905
"""

from kael.optim.lr_scheduler.cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from kael.optim.lr_scheduler.functions import LambdaLR, MultiplicativeLR
from kael.optim.lr_scheduler.one_cycle import OneCycleLR
from kael.optim.lr_scheduler.plateau import ReduceLROnPlateau
from kael.optim.lr_scheduler.scheduler import LRScheduler
from kael.optim.lr_scheduler.several import ChainedScheduler, SequentialLR
from kael.optim.lr_scheduler.shares import ConstantLR, ExponentialLR, LinearLR, MultiStepLR, PolynomialLR, StepLR

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]
