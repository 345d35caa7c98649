"""Copies and pickles of tensors: leaves with their memory, what shares it, and their gradients."""

from __future__ import annotations

import copy
import copyreg
from typing import Any

import numpy

from kael.autograd.leaf import requires_grad_
from kael.autograd.node import AccumulateGrad, FunctionNode, leaf_node
from kael.autograd.recording import requires_grad
from kael.storage import Storage
from kael.tensors import Tensor

__all__ = ["deepcopy", "reduce"]


def deepcopy(tensor: Tensor, memo: dict[int, Any]) -> Tensor:
    """A copy that keeps class, strides, ``requires_grad`` and ``grad``; copies of views share a copy of their storage.

    Raises
    ------
    RuntimeError
        For a tensor with history.
    """
    if isinstance(tensor.link, FunctionNode):
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment"
        )
    if id(tensor.storage) not in memo:
        memo[id(tensor.storage)] = storage_again(*taken_apart(tensor.storage))
    storage: Storage = memo[id(tensor.storage)]
    result = made(type(tensor), storage, view(storage, *place(tensor.storage, tensor.array)), tensor.dtype)
    memo[id(tensor)] = result
    if hasattr(tensor, "__dict__"):  # only a subclass takes attributes
        vars(result).update(copy.deepcopy(vars(tensor), memo))
    if isinstance(tensor.link, AccumulateGrad):
        node = leaf_node(result)
        node.requires_grad = tensor.link.requires_grad
        node.grad = copy.deepcopy(tensor.link.grad, memo)
    return result


def reduce(tensor: Tensor) -> Any:
    """How a tensor is pickled, equal for every form of the engine: storage, place in it, dtype, ``requires_grad``.

    A subclass is named after these, and its attributes follow.
    """
    if isinstance(tensor.link, FunctionNode):
        raise RuntimeError("copy and pickle: only leaf tensors are copied; call detach() first")
    parts = (tensor.storage, *place(tensor.storage, tensor.array), tensor.dtype, requires_grad(tensor))
    if type(tensor) is Tensor:
        return rebuild, parts
    return rebuild, (*parts, type(tensor)), getattr(tensor, "__dict__", None)


def rebuild(
    storage: Any, shape: Any, strides: Any, offset: int, dtype: Any, wanted: bool, kind: type[Tensor] = Tensor
) -> Tensor:
    """The tensor that was pickled, or copied by `copy.copy`: the latter shares the storage."""
    result = made(kind, storage, view(storage, shape, strides, offset), dtype)
    if wanted:
        requires_grad_(result)
    return result


def made(kind: type[Tensor], storage: Storage, array: Any, dtype: Any) -> Tensor:
    """A tensor of this class; what arguments a subclass takes to make one does not matter."""
    result = kind.__new__(kind)
    Tensor.__init__(result, storage, array, dtype)
    return result


def place(storage: Storage, array: Any) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """A view's shape, strides, and distance in bytes from the lowest byte of its memory."""
    return array.shape, array.strides, address(array) - span(storage.array)[0] if array.size else 0


class View:
    """Tells NumPy where an array lies, and keeps the memory alive."""

    def __init__(self, owner: Any, shape: tuple[int, ...], strides: tuple[int, ...], data: int) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3, "shape": shape, "strides": strides, "data": (data, False), "typestr": owner.dtype.str,
        }  # fmt: skip


def view(storage: Storage, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> Any:
    """The array at such a place."""
    return numpy.asarray(View(storage.array, shape, strides, span(storage.array)[0] + offset))


def taken_apart(storage: Storage) -> tuple[Any, ...]:
    """A copy of the bytes of a storage, the dtype, and the place of its array among them."""
    low, high = span(storage.array)
    memory, where = numpy.zeros(high - low, numpy.uint8), place(storage, storage.array)
    numpy.ndarray(where[0], storage.array.dtype, memory, where[2], where[1])[...] = storage.array
    return memory, storage.array.dtype.str, *where


def storage_again(memory: Any, dtype: str, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> Storage:
    """The storage that was copied or pickled; the count of writes begins anew.

    Memory that came beside a pickle may belong to an object that must not change, such as bytes.
    """
    if not memory.flags.writeable:
        memory = memory.copy()
    return Storage(numpy.ndarray(shape, numpy.dtype(dtype), memory, offset, strides))


def address(array: Any) -> int:
    """Where the first element of an array lies."""
    return int(array.__array_interface__["data"][0])


def span(array: Any) -> tuple[int, int]:
    """The lowest address that an array uses, and the one behind its highest; equal for an array without elements."""
    low = high = address(array)
    if array.size == 0:
        return low, low
    for size, step in zip(array.shape, array.strides, strict=True):
        low += min((size - 1) * step, 0)
        high += max((size - 1) * step, 0)
    return low, high + int(array.itemsize)


copyreg.pickle(Storage, lambda storage: (storage_again, taken_apart(storage)))
