"""Memory shared with other libraries."""

from __future__ import annotations

from typing import Any

import numpy

from kael.creation import from_numpy
from kael.tensors import Tensor

__all__ = ["from_dlpack"]


def as_array(x: Tensor, force: bool) -> Any:
    """The memory of a tensor as a NumPy array; see `Tensor.numpy`."""
    if x.requires_grad and not force:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    return x.array.view()  # an array of its own: its shape and dtype can be set, and the tensor keeps its own


def to_array(x: Tensor, dtype: Any, copy: Any) -> Any:
    """What NumPy gets when it asks a tensor for an array of a dtype, a copy or not."""
    array = as_array(x, False)
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise ValueError(f"__array__: a copy is needed to convert {array.dtype} to {dtype}")
        return array.astype(dtype)
    return array.copy() if copy else array


def to_dlpack(x: Tensor, options: dict[str, Any]) -> Any:
    """What another library gets when it asks a tensor for its memory."""
    if x.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    return x.array.__dlpack__(**options)


def from_dlpack(ext_tensor: Any) -> Tensor:
    """A tensor on the memory of another library's array, through the DLPack protocol.

    Writes through the other library are not seen by the version counter.

    Parameters
    ----------
    ext_tensor : object with ``__dlpack__`` and ``__dlpack_device__``
        A tensor of PyTorch, an array of NumPy or JAX, and so on, in the processor's memory.

    Raises
    ------
    TypeError
        For an object that does not speak DLPack, and for dtypes that kael has not.
    ValueError
        For memory that is read-only.

    Examples
    --------
    >>> import kael
    >>> x = kael.zeros(2)
    >>> kael.from_dlpack(x).fill_(1.0)
    tensor([1., 1.])
    >>> x
    tensor([1., 1.])
    """
    if not hasattr(ext_tensor, "__dlpack__"):
        raise TypeError(f"from_dlpack: {type(ext_tensor).__name__} has no __dlpack__; use kael.tensor, which copies")
    if isinstance(ext_tensor, numpy.ndarray):
        return from_numpy(ext_tensor)
    if isinstance(ext_tensor, Tensor):
        ext_tensor.__dlpack__()  # refuses a tensor that requires grad
        return ext_tensor.detach()
    return from_numpy(numpy.from_dlpack(ext_tensor))
