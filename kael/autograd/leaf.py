"""What a reader does to a tensor's part in differentiation: require grad, cut, read and set its gradient."""

from __future__ import annotations

import warnings
from typing import Any

from kael.autograd.node import FunctionNode, leaf_node, see_anew
from kael.autograd.recording import requires_grad
from kael.collector import look_at_graphs
from kael.tensors import Tensor


def requires_grad_(tensor: Tensor, value: bool = True) -> None:
    """Turn differentiation with respect to a leaf on or off.

    Raises
    ------
    RuntimeError
        For a dtype that is not floating point, and when a non-leaf is to be turned off.
    TypeError
        When the value is not a bool, such as the text "False", which would be true.
    """
    if not isinstance(value, bool):
        raise TypeError(f"requires_grad must be True or False, got {type(value).__name__}")
    if isinstance(tensor.link, FunctionNode):
        if not value:
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in "
                "a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            )
        return
    if value and not tensor.dtype.is_floating_point:
        raise RuntimeError(f"only floating point tensors can require gradients, got dtype {tensor.dtype.name}")
    if value or tensor.meta is not None:
        (tensor.meta or leaf_node(tensor)).requires_grad = value


def detach_(tensor: Tensor) -> None:
    """Make a non-leaf a leaf without history.

    Raises
    ------
    RuntimeError
        For a view that was recorded as one: its base would not know.
    """
    recorded = isinstance(tensor.link, FunctionNode)
    if tensor.base is not None or (recorded and tensor.array is not tensor.storage.array):
        raise RuntimeError("Can't detach views in-place. Use detach() instead.")
    if recorded:
        tensor.link = None
    requires_grad_(tensor, False)


def get_grad(tensor: Tensor) -> Tensor | None:
    """The gradient of a tensor; warns for a non-leaf that does not keep its gradient."""
    meta = tensor.meta
    if meta is None:
        return None
    if meta.grad is None and isinstance(meta, FunctionNode) and not meta.retains:
        warnings.warn(
            "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
            "populated during autograd.backward(). If you want it to be, use .retain_grad() on the non-leaf Tensor.",
            UserWarning,
            stacklevel=3,
        )
    return meta.grad  # type: ignore[no-any-return]


def set_grad(tensor: Tensor, value: Any) -> None:
    """Assign a gradient.

    Raises
    ------
    TypeError
        When the value is neither a tensor nor None.
    RuntimeError
        When it is the tensor itself, or of another shape or dtype.
    """
    if value is None:
        if tensor.meta is not None:
            tensor.meta.grad = None
        return
    if not isinstance(value, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    if value is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    if value.array.shape != tensor.array.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{value.array.shape}' to a tensor of size "
            f"'{tensor.array.shape}'. Please ensure that the gradient and the tensor are the same size"
        )
    if value.dtype is not tensor.dtype:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{value.dtype.name}' to a tensor with dtype "
            f"'{tensor.dtype.name}'. Please ensure that the gradient and the tensor have the same dtype"
        )
    if value.meta is not None:  # which may lead back here
        look_at_graphs()
    if tensor.meta is None:
        leaf_node(tensor)
    tensor.link.grad = value


def set_data(tensor: Tensor, value: Any) -> None:
    """Let a tensor see the memory of another one; its part in differentiation stays as it is.

    Raises
    ------
    TypeError
        When the value is no tensor.
    RuntimeError
        When the tensor requires grad and the value is not floating point.
    """
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    if requires_grad(tensor) and not value.dtype.is_floating_point:
        raise RuntimeError(
            f"data set to a tensor that requires gradients must be floating point, got dtype {value.dtype.name}"
        )
    tensor.memory, tensor.array, tensor.dtype, tensor.base = value.storage, value.array, value.dtype, None
    see_anew(tensor)
