"""Layers and losses as functions."""

from __future__ import annotations

from kael.ops.elementwise import relu, sigmoid, tanh
from kael.ops.matmul import bilinear, linear
from kael.ops.normalization import cross_entropy, log_softmax, logsumexp, nll_loss, softmax

__all__ = [
    "bilinear",
    "cross_entropy",
    "linear",
    "log_softmax",
    "logsumexp",
    "nll_loss",
    "relu",
    "sigmoid",
    "softmax",
    "tanh",
]
