"""Gradients made smaller, all by one factor or each to a bound."""

from __future__ import annotations

from collections.abc import Iterable

from kael import ops
from kael.autograd import no_grad
from kael.creation import tensor
from kael.ops.reduction import vector_norm
from kael.tensors import Tensor

__all__ = ["clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]


def gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    """The gradients that are there."""
    return [p.grad for p in ([parameters] if isinstance(parameters, Tensor) else parameters) if p.grad is not None]


def get_total_norm(
    tensors: Tensor | Iterable[Tensor], norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:  # fmt: skip
    """The norm of all elements of all tensors, as if they were one vector.

    Parameters
    ----------
    tensors : Tensor or iterable of Tensor
        The parts of the vector; none at all have the norm 0.
    norm_type : float
        Which norm; ``inf`` for the largest absolute value.
    error_if_nonfinite : bool
        Raise RuntimeError when the norm is infinite or nan.
    foreach : bool, optional
        Taken and without effect: the tensors are read one after the other.

    Raises
    ------
    RuntimeError
        When `error_if_nonfinite` and the norm is infinite or nan.

    Examples
    --------
    >>> import kael
    >>> kael.nn.utils.get_total_norm([kael.tensor([3.0]), kael.tensor([[4.0]])])
    tensor(5.)
    """
    parts = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    norm_type = float(norm_type)
    if not parts:
        return tensor(0.0)
    with no_grad():
        norms = ops.stack([vector_norm(part, norm_type) for part in parts])
        total: Tensor = vector_norm(norms, norm_type)
    if error_if_nonfinite and not abs(total.item()) < float("inf"):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:  # fmt: skip
    """Scale all gradients by one factor, in place, so that their common norm is at most `max_norm`.

    The factor is ``min(1, max_norm / (norm + 1e-6))``.

    Parameters
    ----------
    parameters : Tensor or iterable of Tensor
        Those whose gradients are scaled; one without a gradient is passed over.
    max_norm : float
        The bound.
    norm_type : float
        Which norm; ``inf`` for the largest absolute value.
    error_if_nonfinite : bool
        Raise RuntimeError when the norm is infinite or nan, instead of scaling by it.
    foreach : bool, optional
        Taken and without effect: the gradients are scaled one after the other.

    Returns
    -------
    Tensor
        The norm before.

    Raises
    ------
    RuntimeError
        When `error_if_nonfinite` and the norm is infinite or nan; no gradient is changed.

    Notes
    -----
    Gradients whose norm is below the bound are read and not written.

    Examples
    --------
    >>> import kael
    >>> w = kael.tensor([3.0, 4.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> kael.nn.utils.clip_grad_norm_([w], max_norm=1.0), w.grad
    (tensor(10.), tensor([0.6000, 0.8000]))
    """
    held = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    total = get_total_norm(gradients(held), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(held, max_norm, total)
    return total


def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor | float, foreach: bool | None = None
) -> None:
    """Scale all gradients as `clip_grad_norm_` does, by a norm that is known already.

    Parameters
    ----------
    parameters : Tensor or iterable of Tensor
        Those whose gradients are scaled; one without a gradient is passed over.
    max_norm : float
        The bound.
    total_norm : Tensor or float
        The norm of all gradients.
    foreach : bool, optional
        Taken and without effect.

    Examples
    --------
    >>> import kael
    >>> w = kael.tensor([3.0, 4.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> kael.nn.utils.clip_grads_with_norm_(w, 1.0, total_norm=20.0)
    >>> w.grad
    tensor([0.3000, 0.4000])
    """
    factor = float(max_norm) / (float(total_norm) + 1e-6)
    if factor >= 1.0:
        return
    with no_grad():
        for gradient in gradients(parameters):
            gradient.mul_(factor)


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Bring each element of all gradients between ``-clip_value`` and ``clip_value``, in place.

    Parameters
    ----------
    parameters : Tensor or iterable of Tensor
        Those whose gradients are changed; one without a gradient is passed over.
    clip_value : float
        The bound.
    foreach : bool, optional
        Taken and without effect.

    Examples
    --------
    >>> import kael
    >>> w = kael.tensor([3.0, 0.25], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> kael.nn.utils.clip_grad_value_(w, 1.0)
    >>> w.grad
    tensor([1.0000, 0.5000])
    """
    bound = float(clip_value)
    with no_grad():
        for gradient in gradients(parameters):
            gradient.copy_(ops.clamp(gradient, -bound, bound))
