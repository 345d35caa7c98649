"""The convolutional network for small images of digits."""

from __future__ import annotations

from kael.nn import Conv2d, Flatten, Linear, MaxPool2d, Module, ReLU, Sequential
from kael.tensors import Tensor

__all__ = ["LeNet"]


class LeNet(Module):
    """Two convolutions with pooling, then two linear layers; shape ``(N, 1, 28, 28)`` to ``(N, classes)``.

    Parameters
    ----------
    classes : int
        How many kinds of images there are.
    channels : (int, int)
        Of the two convolutions.
    hidden : int
        Size of the layer before the last.

    Notes
    -----
    After LeCun et al., Gradient-Based Learning Applied to Document Recognition, 1998, with ReLU, maxima and windows of
    3x3.

    Examples
    --------
    >>> import kael
    >>> from kael.models import LeNet
    >>> LeNet()(kael.zeros(2, 1, 28, 28)).shape
    (2, 10)
    """

    def __init__(self, classes: int = 10, channels: tuple[int, int] = (16, 32), hidden: int = 64) -> None:
        super().__init__()
        first, second = channels
        self.layers = Sequential(
            Conv2d(1, first, 3, padding=1), ReLU(), MaxPool2d(2),
            Conv2d(first, second, 3, padding=1), ReLU(), MaxPool2d(2),
            Flatten(), Linear(second * 7 * 7, hidden), ReLU(), Linear(hidden, classes),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        """Hand `x` through the layers."""
        scores: Tensor = self.layers(x)
        return scores
