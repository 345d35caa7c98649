"""Layers that change the size of an image, or how it is laid out, and have no parameters."""

from __future__ import annotations

from typing import Any

from kael.nn import functional
from kael.nn.module import Module
from kael.tensors import Tensor

__all__ = ["Fold", "PixelShuffle", "PixelUnshuffle", "Unfold", "Upsample", "ZeroPad1d", "ZeroPad2d"]


class ZeroPad(Module):
    """What the layers of zeros share.

    Parameters
    ----------
    padding : int or tuple of int
        How many zeros at every end, or before and after each axis, the last one first.
    """

    ends: int

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = tuple(padding) if isinstance(padding, (tuple, list)) else (padding,) * self.ends

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.pad`."""
        return functional.pad(x, self.padding)

    def extra_repr(self) -> str:
        """The setting."""
        return f"{self.padding}"


class ZeroPad1d(ZeroPad):
    """Zeros at both ends of the last axis."""

    ends = 2


class ZeroPad2d(ZeroPad):
    """Zeros around an image; shape ``(N, C, H, W)`` to ``(N, C, H + top + bottom, W + left + right)``.

    Examples
    --------
    >>> import kael
    >>> kael.nn.ZeroPad2d((1, 2, 0, 3))(kael.zeros(1, 1, 4, 4)).shape
    (1, 1, 7, 7)
    """

    ends = 4


class Upsample(Module):
    """An image of another size; see `kael.nn.functional.interpolate`.

    Parameters
    ----------
    size : int or tuple of int, optional
        The size wanted.
    scale_factor : float or tuple of float, optional
        By how much larger the result is.
    mode, align_corners, recompute_scale_factor
        As for `kael.nn.functional.interpolate`.

    Examples
    --------
    >>> import kael
    >>> layer = kael.nn.Upsample(scale_factor=2)
    >>> layer, layer(kael.zeros(1, 3, 4, 4)).shape
    (Upsample(scale_factor=2.0, mode='nearest'), (1, 3, 8, 8))
    """

    def __init__(
        self, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor: Any = tuple([float(factor) for factor in scale_factor])
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.interpolate`."""
        return functional.interpolate(
            x, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )

    def extra_repr(self) -> str:
        """Size or factor, and mode."""
        wanted = f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor}"
        return f"{wanted}, mode={self.mode!r}"


class Unfold(Module):
    """Every window of an image as a column; see `kael.nn.functional.unfold`."""

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.unfold`."""
        return functional.unfold(x, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """The settings."""
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"


class Fold(Unfold):
    """The sum of columns laid over an image; see `kael.nn.functional.fold`."""

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.fold`."""
        return functional.fold(x, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """The settings."""
        return f"output_size={self.output_size}, {super().extra_repr()}"


class PixelShuffle(Module):
    """Channels laid out as pixels; see `kael.nn.functional.pixel_shuffle`."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.pixel_shuffle`."""
        return functional.pixel_shuffle(x, self.upscale_factor)

    def extra_repr(self) -> str:
        """The setting."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Pixels laid out as channels; see `kael.nn.functional.pixel_unshuffle`."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.pixel_unshuffle`."""
        return functional.pixel_unshuffle(x, self.downscale_factor)

    def extra_repr(self) -> str:
        """The setting."""
        return f"downscale_factor={self.downscale_factor}"
