"""The parameter: a tensor that a module owns and an optimizer changes."""

from __future__ import annotations

from typing import Any

from kael.autograd import requires_grad_
from kael.tensors import Tensor

__all__ = ["Parameter"]


class Parameter(Tensor):
    """A leaf tensor that requires grad from birth and is found by `Module.parameters` once it is an attribute.

    Parameters
    ----------
    data : Tensor
        Its values; the memory is shared, the history is not.
    requires_grad : bool
        Whether to differentiate with respect to it.

    Raises
    ------
    TypeError
        When `data` is no tensor.
    RuntimeError
        When its dtype is not floating point and `requires_grad` is True.

    Examples
    --------
    >>> import kael
    >>> kael.nn.Parameter(kael.zeros(2))
    Parameter containing:
    tensor([0., 0.], requires_grad=True)
    """

    __slots__ = ()

    def __init__(self, data: Tensor, requires_grad: bool = True) -> None:
        if not isinstance(data, Tensor):
            raise TypeError(f"Parameter: data is {type(data).__name__}; make it a tensor with kael.tensor first")
        super().__init__(data.storage, data.array, data.dtype)
        if requires_grad:
            requires_grad_(self)

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"

    def __reduce__(self) -> Any:
        return Parameter, (self.detach(), self.requires_grad)
