"""Questions about a tensor that its shape and dtype answer."""

from __future__ import annotations

from kael.tensors import Tensor


def dim(x: Tensor) -> int:
    """Number of axes."""
    return int(x.array.ndim)


def element_size(x: Tensor) -> int:
    """Bytes of one element."""
    return x.dtype.itemsize


def is_complex(x: Tensor) -> bool:
    """Whether the elements are complex numbers: never."""
    return False


def is_floating_point(x: Tensor) -> bool:
    """Whether the dtype is one of the floating-point types."""
    return x.dtype.is_floating_point


def is_signed(x: Tensor) -> bool:
    """Whether the dtype holds negative numbers."""
    return bool(x.dtype.is_signed)


def nelement(x: Tensor) -> int:
    """Number of elements."""
    return int(x.array.size)


def numel(x: Tensor) -> int:
    """Number of elements."""
    return int(x.array.size)


FUNCTIONS = (
    is_complex,
    is_floating_point,
    is_signed,
    numel,
)
METHODS = (
    dim,
    element_size,
    is_complex,
    is_floating_point,
    is_signed,
    nelement,
    numel,
)
