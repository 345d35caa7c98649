"""Layers, losses and initialization, under PyTorch's names."""

from kael.absent import absent
from kael.nn import functional, init, utils
from kael.nn.activation import (
    CELU,
    ELU,
    GELU,
    GLU,
    SELU,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Softsign,
    Tanh,
)
from kael.nn.attention import MultiheadAttention
from kael.nn.container import ModuleDict, ModuleList, Sequential
from kael.nn.convolution import Conv1d, Conv2d, ConvTranspose1d, ConvTranspose2d
from kael.nn.dropout import Dropout
from kael.nn.embedding import Embedding
from kael.nn.flatten import Flatten, Unflatten
from kael.nn.linear import Identity, Linear
from kael.nn.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CosineSimilarity,
    CrossEntropyLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from kael.nn.module import Module
from kael.nn.normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d, GroupNorm, LayerNorm, RMSNorm
from kael.nn.overview import Summary, summary
from kael.nn.parameter import Parameter
from kael.nn.parameter_containers import ParameterDict, ParameterList
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
from kael.nn.recurrent import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell
from kael.nn.resizing import Fold, PixelShuffle, PixelUnshuffle, Unfold, Upsample, ZeroPad1d, ZeroPad2d

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "CELU",
    "Conv1d",
    "Conv2d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "CosineSimilarity",
    "CrossEntropyLoss",
    "Dropout",
    "ELU",
    "Embedding",
    "Flatten",
    "Fold",
    "GELU",
    "GLU",
    "GRU",
    "GRUCell",
    "GroupNorm",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "HuberLoss",
    "Identity",
    "KLDivLoss",
    "L1Loss",
    "LSTM",
    "LSTMCell",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MaxPool1d",
    "MaxPool2d",
    "Mish",
    "Module",
    "ModuleDict",
    "ModuleList",
    "MultiheadAttention",
    "NLLLoss",
    "PReLU",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "PixelShuffle",
    "PixelUnshuffle",
    "RMSNorm",
    "RNN",
    "RNNCell",
    "ReLU",
    "ReLU6",
    "SELU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "Softmax",
    "Softplus",
    "Softsign",
    "Summary",
    "Tanh",
    "Unflatten",
    "Unfold",
    "Upsample",
    "ZeroPad1d",
    "ZeroPad2d",
    "functional",
    "init",
    "summary",
    "utils",
]

__getattr__ = absent("kael.nn")
