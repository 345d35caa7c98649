"""Layers, losses and initialization, under PyTorch's names."""

from kael.nn import functional, init
from kael.nn.activation import ReLU, Sigmoid, Tanh
from kael.nn.container import Sequential
from kael.nn.flatten import Flatten
from kael.nn.linear import Linear
from kael.nn.loss import CrossEntropyLoss
from kael.nn.module import Module
from kael.nn.parameter import Parameter

__all__ = [
    "CrossEntropyLoss",
    "Flatten",
    "Linear",
    "Module",
    "Parameter",
    "ReLU",
    "Sequential",
    "Sigmoid",
    "Tanh",
    "functional",
    "init",
]
