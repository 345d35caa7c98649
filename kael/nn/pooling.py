"""Layers of pools."""

from __future__ import annotations

from typing import Any

from kael.nn import functional
from kael.nn.module import Module
from kael.tensors import Tensor

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "MaxPool1d",
    "MaxPool2d",
]


class MaxPool(Module):
    """What the layers that choose share.

    Parameters
    ----------
    kernel_size, stride, padding, dilation : int or tuple of int
        See `kael.nn.functional.max_pool2d`; the stride is the size of a window when left out.
    return_indices : bool
        Whether to give the places of the largest elements too.
    ceil_mode : bool
        Whether a last window may reach beyond the padding.
    """

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        """The settings."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, dilation={self.dilation}, "
            f"ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(MaxPool):
    """The largest element of each window; shape ``(N, C, L)`` to ``(N, C, windows)``."""

    def forward(self, x: Tensor) -> Any:
        """Apply `kael.nn.functional.max_pool1d`."""
        return functional.max_pool1d(
            x, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        )


class MaxPool2d(MaxPool):
    """The largest pixel of each window; shape ``(N, C, H, W)`` to ``(N, C, rows, columns)``.

    Examples
    --------
    >>> import kael
    >>> layer = kael.nn.MaxPool2d(2)
    >>> layer, layer(kael.zeros(2, 3, 8, 8)).shape
    (MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False), (2, 3, 4, 4))
    """

    def forward(self, x: Tensor) -> Any:
        """Apply `kael.nn.functional.max_pool2d`."""
        return functional.max_pool2d(
            x, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        )


class AvgPool1d(Module):
    """The mean of each window; shape ``(N, C, L)`` to ``(N, C, windows)``.

    Parameters
    ----------
    kernel_size, stride, padding, ceil_mode, count_include_pad
        See `kael.nn.functional.avg_pool1d`; the stride is the size of a window when left out.
    """

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        stride = kernel_size if stride is None else stride
        self.kernel_size, self.stride, self.padding = [
            tuple(value) if isinstance(value, (tuple, list)) else (value,) for value in (kernel_size, stride, padding)
        ]
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.avg_pool1d`."""
        return functional.avg_pool1d(
            x, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        )

    def extra_repr(self) -> str:
        """The settings."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(Module):
    """The mean of each window; shape ``(N, C, H, W)`` to ``(N, C, rows, columns)``.

    Parameters
    ----------
    kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        See `kael.nn.functional.avg_pool2d`; the stride is the size of a window when left out.
    """

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.avg_pool2d`."""
        return functional.avg_pool2d(
            x, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
            self.divisor_override,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """The settings."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AdaptiveAvgPool(Module):
    """What the layers of even means share.

    Parameters
    ----------
    output_size : int or tuple of int or None
        How many windows along each axis; None for as many as there are elements.
    """

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        """The setting."""
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(AdaptiveAvgPool):
    """The means of windows that cover an axis evenly; shape ``(N, C, L)`` to ``(N, C, output_size)``."""

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.adaptive_avg_pool1d`."""
        return functional.adaptive_avg_pool1d(x, self.output_size)


class AdaptiveAvgPool2d(AdaptiveAvgPool):
    """The means of windows that cover an image evenly; shape ``(N, C, H, W)`` to ``(N, C, *output_size)``.

    Examples
    --------
    >>> import kael
    >>> kael.nn.AdaptiveAvgPool2d(1)(kael.ones(2, 3, 8, 8)).shape
    (2, 3, 1, 1)
    """

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.adaptive_avg_pool2d`."""
        return functional.adaptive_avg_pool2d(x, self.output_size)


class AdaptiveMaxPool(AdaptiveAvgPool):
    """What the layers that choose evenly share.

    Parameters
    ----------
    output_size : int or tuple of int or None
        As for `AdaptiveAvgPool2d`.
    return_indices : bool
        Whether to give the places of the largest elements too.
    """

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices


class AdaptiveMaxPool1d(AdaptiveMaxPool):
    """The largest of windows that cover an axis evenly; shape ``(N, C, L)`` to ``(N, C, output_size)``."""

    def forward(self, x: Tensor) -> Any:
        """Apply `kael.nn.functional.adaptive_max_pool1d`."""
        return functional.adaptive_max_pool1d(x, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(AdaptiveMaxPool):
    """The largest of windows that cover an image evenly; shape ``(N, C, H, W)`` to ``(N, C, *output_size)``."""

    def forward(self, x: Tensor) -> Any:
        """Apply `kael.nn.functional.adaptive_max_pool2d`."""
        return functional.adaptive_max_pool2d(x, self.output_size, self.return_indices)
