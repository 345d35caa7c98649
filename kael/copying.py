"""Copies and pickles of tensors: leaves with their memory, what shares it, and their gradients."""

from __future__ import annotations

import copy
from typing import Any

from kael.autograd.leaf import requires_grad_
from kael.autograd.node import AccumulateGrad, FunctionNode, leaf_node
from kael.autograd.recording import requires_grad
from kael.tensors import Tensor

__all__ = ["deepcopy", "reduce"]


def deepcopy(tensor: Tensor, memo: dict[int, Any]) -> Tensor:
    """A copy that keeps strides, ``requires_grad`` and ``grad``; copies of views share a copy of their storage.

    Raises
    ------
    RuntimeError
        For a tensor with history.
    """
    if isinstance(tensor.link, FunctionNode):
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment"
        )
    storage = copy.deepcopy(tensor.storage, memo)
    result = Tensor(storage, storage.view(*tensor.storage.place(tensor.array)), tensor.dtype)
    memo[id(tensor)] = result
    if isinstance(tensor.link, AccumulateGrad):
        node = leaf_node(result)
        node.requires_grad = tensor.link.requires_grad
        node.grad = copy.deepcopy(tensor.link.grad, memo)
    return result


def reduce(tensor: Tensor) -> Any:
    """How a tensor is pickled, equal for every form of the engine: storage, place in it, dtype, ``requires_grad``."""
    if isinstance(tensor.link, FunctionNode):
        raise RuntimeError("copy and pickle: only leaf tensors are copied; call detach() first")
    return rebuild, (tensor.storage, *tensor.storage.place(tensor.array), tensor.dtype, requires_grad(tensor))


def rebuild(storage: Any, shape: Any, strides: Any, offset: int, dtype: Any, wanted: bool) -> Tensor:
    """The tensor that was pickled, or copied by `copy.copy`: the latter shares the storage."""
    result = Tensor(storage, storage.view(shape, strides, offset), dtype)
    if wanted:
        requires_grad_(result)
    return result
