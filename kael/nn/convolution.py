"""Layers of convolutions."""

from __future__ import annotations

import math
from typing import Any

from kael.creation import empty
from kael.dtypes import DType
from kael.nn import functional, init
from kael.nn.module import Module
from kael.nn.parameter import Parameter
from kael.tensors import Tensor

__all__ = ["Conv1d", "Conv2d", "ConvTranspose1d", "ConvTranspose2d"]

PADDINGS = ("zeros", "reflect", "replicate", "circular")


def per_axis(value: Any, axes: int) -> tuple[int, ...]:
    """A setting as one number per axis."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * axes


class Convolution(Module):
    """What the layers of convolutions share: their settings, parameters and start."""

    axes: int
    transposed = False

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any,
        output_padding: Any, groups: int, bias: bool, padding_mode: str, dtype: DType | None,
    ) -> None:  # fmt: skip
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of 'same', 'valid'")
            if padding == "same" and any(step != 1 for step in per_axis(stride, self.axes)):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in PADDINGS:
            raise ValueError(f"padding_mode must be one of {PADDINGS}, but got padding_mode='{padding_mode}'")
        if self.transposed and padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = per_axis(kernel_size, self.axes)
        self.stride = per_axis(stride, self.axes)
        self.padding: Any = padding if isinstance(padding, str) else per_axis(padding, self.axes)
        self.dilation = per_axis(dilation, self.axes)
        self.output_padding = per_axis(output_padding, self.axes)
        self.groups = groups
        self.padding_mode = padding_mode
        first, second = (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        self.weight = Parameter(empty(first, second // groups, *self.kernel_size, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_channels, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias anew, uniform in ±1/sqrt(fan_in): channels of a group times elements of a kernel."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init.fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in else 0.0
            init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        """The settings that are not the usual ones."""
        shown = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        zeros, ones = (0,) * self.axes, (1,) * self.axes
        for name, usual in (("padding", zeros), ("dilation", ones), ("output_padding", zeros), ("groups", 1)):
            if getattr(self, name) != usual:
                value = getattr(self, name)
                shown += f", {name}={value}"
        if self.bias is None:
            shown += ", bias=False"
        return shown if self.padding_mode == "zeros" else f"{shown}, padding_mode={self.padding_mode}"

    def padded(self, x: Tensor) -> tuple[Tensor, Any]:
        """The input with what `padding_mode` puts around it, and the padding that is left to the convolution."""
        if self.padding_mode == "zeros":
            return x, self.padding
        around: list[int] = []
        for axis in reversed(range(self.axes)):
            if self.padding == "same":
                total = self.dilation[axis] * (self.kernel_size[axis] - 1)
                around += [total // 2, total - total // 2]
            else:
                around += [0, 0] if self.padding == "valid" else [self.padding[axis]] * 2
        return functional.pad(x, around, self.padding_mode), 0


class Conv1d(Convolution):
    """A convolution along one axis; shape ``(N, in, L)`` to ``(N, out, windows)``.

    Parameters
    ----------
    in_channels, out_channels : int
        Channels of the input, and filters.
    kernel_size, stride, dilation : int
        Elements of a window, and by how much windows and elements of a window lie apart.
    padding : int or {"same", "valid"}
        How many elements are put at each end.
    groups : int
        Channels and filters fall into so many groups.
    bias : bool
        Whether to add a bias.
    padding_mode : {"zeros", "reflect", "replicate", "circular"}
        What is put there; see `kael.nn.functional.pad`.
    dtype : DType, optional
        Of the parameters; float32 when left out.

    Attributes
    ----------
    weight : Parameter of shape (out, in / groups, kernel_size)
        Uniform in ±1/sqrt(in / groups * kernel_size) at first.
    bias : Parameter of shape (out,) or None
        As the weight.

    Examples
    --------
    >>> import kael
    >>> kael.nn.Conv1d(3, 8, 5, padding="same")(kael.zeros(2, 3, 20)).shape
    (2, 8, 20)
    """

    axes = 1

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros", dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, 0, groups, bias, padding_mode, dtype
        )

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.conv1d`."""
        x, padding = self.padded(x)
        return functional.conv1d(x, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class Conv2d(Convolution):
    """A convolution along two axes; shape ``(N, in, H, W)`` to ``(N, out, rows, columns)``.

    Parameters
    ----------
    in_channels, out_channels : int
        Channels of the input, and filters.
    kernel_size, stride, dilation : int or pair of int
        Pixels of a window, and by how much windows and pixels of a window lie apart.
    padding : int, pair of int or {"same", "valid"}
        How many pixels are put around the image.
    groups : int
        Channels and filters fall into so many groups.
    bias : bool
        Whether to add a bias.
    padding_mode : {"zeros", "reflect", "replicate", "circular"}
        What is put there; see `kael.nn.functional.pad`.
    dtype : DType, optional
        Of the parameters; float32 when left out.

    Attributes
    ----------
    weight : Parameter of shape (out, in / groups, kernel height, kernel width)
        Uniform in ±1/sqrt(in / groups * kernel height * kernel width) at first.
    bias : Parameter of shape (out,) or None
        As the weight.

    Examples
    --------
    >>> import kael
    >>> layer = kael.nn.Conv2d(1, 4, 3, padding=1)
    >>> layer, layer(kael.zeros(2, 1, 8, 8)).shape
    (Conv2d(1, 4, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1)), (2, 4, 8, 8))
    """

    axes = 2

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros", dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, 0, groups, bias, padding_mode, dtype
        )

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.conv2d`."""
        x, padding = self.padded(x)
        return functional.conv2d(x, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class TransposedConvolution(Convolution):
    """What the layers of transposed convolutions share."""

    transposed = True

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros",
        dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, output_padding, groups, bias,
            padding_mode, dtype,
        )  # fmt: skip

    def more(self, x: Tensor, output_size: Any) -> tuple[int, ...]:
        """The output padding that gives the size asked for.

        Raises
        ------
        ValueError
            When no output padding gives it.
        """
        if output_size is None:
            return self.output_padding
        wanted = tuple(output_size)[-self.axes :]
        least = [
            (size - 1) * s - 2 * p + d * (k - 1) + 1
            for size, s, p, d, k in zip(
                x.shape[-self.axes :], self.stride, self.padding, self.dilation, self.kernel_size, strict=True
            )
        ]
        most = [size + s - 1 for size, s in zip(least, self.stride, strict=True)]
        if any(not a <= size <= b for size, a, b in zip(wanted, least, most, strict=True)):
            raise ValueError(
                f"requested an output size of {list(wanted)}, but valid sizes range from {least} to {most} "
                f"(for an input of {list(x.shape[2:])})"
            )
        return tuple([size - a for size, a in zip(wanted, least, strict=True)])


class ConvTranspose1d(TransposedConvolution):
    """A transposed convolution along one axis; shape ``(N, in, L)`` to ``(N, out, longer)``.

    The parameters are those of `ConvTranspose2d`.
    """

    axes = 1

    def forward(self, x: Tensor, output_size: Any = None) -> Tensor:
        """Apply `kael.nn.functional.conv_transpose1d`."""
        return functional.conv_transpose1d(
            x, self.weight, self.bias, self.stride, self.padding, self.more(x, output_size), self.groups, self.dilation
        )


class ConvTranspose2d(TransposedConvolution):
    """A transposed convolution along two axes; shape ``(N, in, H, W)`` to ``(N, out, rows, columns)``.

    Parameters
    ----------
    in_channels, out_channels : int
        Channels of the input and of the result.
    kernel_size, stride, padding, output_padding, dilation : int or pair of int
        See `kael.nn.functional.conv_transpose2d`.
    groups : int
        Channels fall into so many groups.
    bias : bool
        Whether to add a bias.
    padding_mode : {"zeros"}
        For likeness with `Conv2d`.
    dtype : DType, optional
        Of the parameters; float32 when left out.

    Attributes
    ----------
    weight : Parameter of shape (in, out / groups, kernel height, kernel width)
        Uniform in ±1/sqrt(out / groups * kernel height * kernel width) at first.
    bias : Parameter of shape (out,) or None
        As the weight.

    Examples
    --------
    >>> import kael
    >>> kael.nn.ConvTranspose2d(4, 1, 2, stride=2)(kael.zeros(2, 4, 8, 8)).shape
    (2, 1, 16, 16)
    """

    axes = 2

    def forward(self, x: Tensor, output_size: Any = None) -> Tensor:
        """Apply `kael.nn.functional.conv_transpose2d`."""
        return functional.conv_transpose2d(
            x, self.weight, self.bias, self.stride, self.padding, self.more(x, output_size), self.groups, self.dilation
        )
