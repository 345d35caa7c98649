"""All parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from kael import ops
from kael.tensors import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """The elements of all parameters in one vector, recorded.

    Examples
    --------
    >>> import kael
    >>> kael.nn.utils.parameters_to_vector([kael.ones(2), kael.zeros(1, 2)])
    tensor([1., 1., 0., 0.])
    """
    joined: Tensor = ops.cat([parameter.reshape(-1) for parameter in parameters])
    return joined


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Let each parameter see its part of a vector.

    Raises
    ------
    TypeError
        When `vec` is no tensor.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"vector_to_parameters: expected a tensor, got {type(vec).__name__}")
    start = 0
    for parameter in parameters:
        stop = start + parameter.numel()
        parameter.data = vec[start:stop].view_as(parameter).data
        start = stop
