"""How a tensor shows itself."""

from __future__ import annotations

import numpy

from kael.dtypes import bool as bool_
from kael.dtypes import default, int64
from kael.tensors import Tensor


def describe(tensor: Tensor) -> str:
    """The repr: the elements to four digits, the dtype where it is not implied, and the part in differentiation.

    Examples
    --------
    >>> import kael
    >>> kael.tensor([1.0, 2.5], requires_grad=True) * 2
    tensor([2., 5.], grad_fn=<MulBackward>)
    """
    text = numpy.array2string(tensor.array, precision=4, separator=", ", prefix="tensor(", floatmode="maxprec_equal")
    parts = [text]
    if tensor.array.size == 0 and tensor.array.ndim != 1:
        parts.append(f"size={tensor.array.shape}")
    if tensor.dtype not in (default, int64, bool_):
        parts.append(f"dtype={tensor.dtype}")
    if tensor.grad_fn is not None:
        parts.append(f"grad_fn={tensor.grad_fn}")
    elif tensor.requires_grad:
        parts.append("requires_grad=True")
    return f"tensor({', '.join(parts)})"
