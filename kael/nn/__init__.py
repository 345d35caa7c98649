"""Layers, losses and initialization, under PyTorch's names."""

from kael.nn import functional, init
from kael.nn.activation import ReLU, Sigmoid, Tanh
from kael.nn.container import Sequential
from kael.nn.convolution import Conv1d, Conv2d, ConvTranspose1d, ConvTranspose2d
from kael.nn.flatten import Flatten, Unflatten
from kael.nn.linear import Linear
from kael.nn.loss import CrossEntropyLoss
from kael.nn.module import Module
from kael.nn.parameter import Parameter
from kael.nn.pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AvgPool1d,
    AvgPool2d,
    MaxPool1d,
    MaxPool2d,
)
from kael.nn.resizing import Fold, PixelShuffle, PixelUnshuffle, Unfold, Upsample, ZeroPad1d, ZeroPad2d

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
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "MaxPool1d",
    "MaxPool2d",
    "Fold",
    "PixelShuffle",
    "PixelUnshuffle",
    "Unfold",
    "Upsample",
    "ZeroPad1d",
    "ZeroPad2d",
    "Conv1d",
    "Conv2d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "Unflatten",
]
