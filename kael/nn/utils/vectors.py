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
    ValueError
        When it has not as many elements as the parameters together, or more axes than one; nothing is changed then.

    Examples
    --------
    >>> import kael
    >>> layer = kael.nn.Linear(2, 1)
    >>> kael.nn.utils.vector_to_parameters(kael.tensor([1.0, 2.0, 3.0]), layer.parameters())
    >>> layer.weight.tolist(), layer.bias.tolist()
    ([[1.0, 2.0]], [3.0])
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"vector_to_parameters: expected a tensor, got {type(vec).__name__}")
    held = list(parameters)
    count = sum(parameter.numel() for parameter in held)
    if vec.shape != (count,):
        raise ValueError(
            f"vector_to_parameters: vec is {vec.shape} but the parameters have {count} elements; it must be ({count},)"
        )
    start = 0
    for parameter in held:
        stop = start + parameter.numel()
        parameter.data = vec[start:stop].view_as(parameter).data
        start = stop
