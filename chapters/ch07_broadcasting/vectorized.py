"""Broadcasting in NumPy: the same functions as `reference`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chapters.ch07_broadcasting.spec import BroadcastSpec, broadcast_shapes, check_offsets

__all__ = ["BroadcastSpec", "broadcast_offsets", "broadcast_shapes"]


# region [offsets]
def broadcast_offsets(spec: BroadcastSpec, out: NDArray[np.int64]) -> None:
    """Write, for each element of the target, the offset of the operand's element that it reads."""
    check_offsets(spec, out)
    total = np.zeros(spec.target, np.int64)
    for axis, (size, stride) in enumerate(zip(spec.target, spec.strides, strict=True)):
        total += (np.arange(size) * stride).reshape((size,) + (1,) * (len(spec.target) - axis - 1))
    np.copyto(out, total)


# endregion [offsets]
