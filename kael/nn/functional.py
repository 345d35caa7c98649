"""Layers and losses as functions."""

from __future__ import annotations

from kael.ops.elementwise import add, relu, sigmoid, tanh
from kael.ops.matmul import matmul
from kael.ops.normalization import cross_entropy, log_softmax, logsumexp, nll_loss, softmax
from kael.ops.shape import t
from kael.tensors import Tensor

__all__ = ["cross_entropy", "linear", "log_softmax", "logsumexp", "nll_loss", "relu", "sigmoid", "softmax", "tanh"]


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``y = x @ weight.T + bias``.

    Parameters
    ----------
    x : Tensor of shape (*, in)
        Inputs.
    weight : Tensor of shape (out, in)
        One row of weights per output.
    bias : Tensor of shape (out,), optional
        Added to every row.

    Returns
    -------
    Tensor of shape (*, out)
        The outputs.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.linear(kael.tensor([[1.0, 2.0]]), kael.tensor([[3.0, 4.0]]), kael.tensor([0.5]))
    tensor([[11.5]])
    """
    product = matmul(x, t(weight))
    return product if bias is None else add(product, bias)
