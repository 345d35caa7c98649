"""Layers that normalize by mean and variance."""

from __future__ import annotations

from typing import Any

from kael.creation import ones, tensor, zeros
from kael.dtypes import DType, int64
from kael.nn import functional
from kael.nn.module import Module
from kael.nn.parameter import Parameter
from kael.tensors import Tensor

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "LayerNorm", "RMSNorm"]


class Affine(Module):
    """What normalizing layers share: a weight that starts at 1 and a bias that starts at 0, both optional."""

    def __init__(self, shape: tuple[int, ...], weight: bool, bias: bool, dtype: DType | None) -> None:
        super().__init__()
        self.register_parameter("weight", Parameter(ones(*shape, dtype=dtype)) if weight else None)
        self.register_parameter("bias", Parameter(zeros(*shape, dtype=dtype)) if weight and bias else None)


def sizes(normalized_shape: Any) -> tuple[int, ...]:
    """One size or several, as a tuple."""
    return (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)


class LayerNorm(Affine):
    """``y = (x - mean) / sqrt(var + eps) * weight + bias`` over the last axes; shape ``(*)`` to ``(*)``.

    Parameters
    ----------
    normalized_shape : int or sequence of int
        The sizes of the last axes, which are normalized together.
    eps : float
        Added to the variance.
    elementwise_affine : bool
        Whether to learn a weight and a bias.
    bias : bool
        Whether to learn a bias beside the weight.
    dtype : DType, optional
        Of the parameters; float32 when left out.

    Examples
    --------
    >>> import kael
    >>> layer = kael.nn.LayerNorm(4)
    >>> layer
    LayerNorm((4,), eps=1e-05, elementwise_affine=True, bias=True)
    >>> layer(kael.zeros(2, 4)).shape
    (2, 4)
    """

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True,
        dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__(sizes(normalized_shape), elementwise_affine, bias, dtype)
        self.normalized_shape = sizes(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.layer_norm`."""
        return functional.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The sizes and options."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Affine):
    """``y = x / sqrt(mean of x**2 + eps) * weight`` over the last axes; shape ``(*)`` to ``(*)``.

    Parameters
    ----------
    normalized_shape : int or sequence of int
        The sizes of the last axes, which are normalized together.
    eps : float, optional
        Added to the mean of squares; the dtype's own eps when left out.
    elementwise_affine : bool
        Whether to learn a weight.
    dtype : DType, optional
        Of the parameters; float32 when left out.

    Examples
    --------
    >>> import kael
    >>> kael.nn.RMSNorm(4)
    RMSNorm((4,), eps=None, elementwise_affine=True)
    """

    def __init__(
        self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True,
        dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__(sizes(normalized_shape), elementwise_affine, False, dtype)
        del self.bias
        self.normalized_shape = sizes(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.rms_norm`."""
        return functional.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """The sizes and options."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Affine):
    """`LayerNorm` over groups of channels and all positions; shape ``(N, C, *)`` to ``(N, C, *)``.

    Parameters
    ----------
    num_groups : int
        Into how many groups the channels are divided.
    num_channels : int
        The size of axis 1.
    eps : float
        Added to the variance.
    affine : bool
        Whether to learn a weight and a bias per channel.
    dtype : DType, optional
        Of the parameters; float32 when left out.
    bias : bool
        Whether to learn a bias beside the weight.

    Raises
    ------
    ValueError
        When the channels do not divide into the groups.

    Examples
    --------
    >>> import kael
    >>> kael.nn.GroupNorm(2, 6)
    GroupNorm(2, 6, eps=1e-05, affine=True, bias=True)
    """

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, dtype: DType | None = None,
        *, bias: bool = True,
    ) -> None:  # fmt: skip
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        super().__init__((num_channels,), affine, bias, dtype)
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.group_norm`."""
        return functional.group_norm(x, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The sizes and options."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class BatchNorm(Affine):
    """What the layers that normalize a batch share; they differ in the numbers of axes they take."""

    axes: tuple[int, ...]

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, dtype: DType | None = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__((num_features,), affine, bias, dtype)
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        tracked = track_running_stats
        self.register_buffer("running_mean", zeros(num_features, dtype=dtype) if tracked else None)
        self.register_buffer("running_var", ones(num_features, dtype=dtype) if tracked else None)
        self.register_buffer("num_batches_tracked", tensor(0, dtype=int64) if tracked else None)

    def forward(self, x: Tensor) -> Tensor:
        """Apply `kael.nn.functional.batch_norm`, with this batch's statistics in training or where none are kept."""
        if x.ndim not in self.axes:
            wanted = " or ".join(f"{ndim}D" for ndim in self.axes)
            raise ValueError(f"expected {wanted} input (got {x.ndim}D input)")
        momentum = self.momentum
        if self.training and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if momentum is None:
                momentum = 1.0 / float(self.num_batches_tracked)
        return functional.batch_norm(
            x, self.running_mean, self.running_var, self.weight, self.bias,
            self.training or self.running_mean is None, momentum or 0.0, self.eps,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """The size and options."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(BatchNorm):
    """``y = (x - mean) / sqrt(var + eps) * weight + bias`` per channel; shape ``(N, C)`` or ``(N, C, L)`` to the same.

    Parameters
    ----------
    num_features : int
        The number of channels C.
    eps : float
        Added to the variance.
    momentum : float or None
        The share of a batch in the updated running statistics; with None they are the average over all batches.
    affine : bool
        Whether to learn a weight and a bias per channel.
    track_running_stats : bool
        Whether to keep running statistics for evaluation; without them each batch is normalized by its own.
    dtype : DType, optional
        Of parameters and statistics; float32 when left out.
    bias : bool
        Whether to learn a bias beside the weight.

    Raises
    ------
    ValueError
        When called with another number of axes.

    Examples
    --------
    >>> import kael
    >>> layer = kael.nn.BatchNorm1d(2)
    >>> _ = layer(kael.tensor([[1.0, 0.0], [3.0, 0.0]]))
    >>> layer.running_mean, layer.num_batches_tracked
    (tensor([0.2000, 0.0000]), tensor(1))
    """

    axes = (2, 3)


class BatchNorm2d(BatchNorm):
    """As `BatchNorm1d`, of maps; shape ``(N, C, H, W)`` to the same.

    Examples
    --------
    >>> import kael
    >>> kael.nn.BatchNorm2d(3)
    BatchNorm2d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    """

    axes = (4,)


class BatchNorm3d(BatchNorm):
    """As `BatchNorm1d`, of volumes; shape ``(N, C, D, H, W)`` to the same."""

    axes = (5,)
