"""Optimizers, under PyTorch's names."""

import importlib as _importlib
from typing import Any as _Any

from kael.absent import absent
from kael.optim.adagrad import Adagrad
from kael.optim.adam import Adam, AdamW
from kael.optim.optimizer import Optimizer
from kael.optim.rmsprop import RMSprop
from kael.optim.sgd import SGD

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop"]

_absent = absent("kael.optim")


def __getattr__(name: str) -> _Any:
    if name == "lr_scheduler":  # imported when it is asked for, so that `import kael` does not pay for it
        return _importlib.import_module("kael.optim.lr_scheduler")
    return _absent(name)


def __dir__() -> list[str]:
    return sorted({*globals(), "lr_scheduler"})
