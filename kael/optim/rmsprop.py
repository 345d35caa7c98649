"""Steps along the gradient over the root mean square of its past."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kael.creation import zeros_like
from kael.kernels import table
from kael.optim.optimizer import Optimizer, check_positive, reject, step_in_place
from kael.tensors import Tensor

__all__ = ["RMSprop"]


class RMSprop(Optimizer):
    """Steps along the gradient over its root mean square: ``p -= lr * g / (sqrt(v) + eps)``.

    ``v = alpha * v + (1 - alpha) * g**2``. With momentum, ``p -= lr * b`` along ``b = momentum * b + g / (sqrt(v) +
    eps)``; centered, the running mean of g is taken off: ``v - m**2`` stands below the root.

    Parameters
    ----------
    params : iterable of Tensor, or of dict
        Parameters or groups of them.
    lr : float
        Step size.
    alpha : float
        How much of the running means is kept at each step.
    eps : float
        Keeps the quotient finite.
    weight_decay : float
        Adds ``weight_decay * p`` to the gradient.
    momentum : float
        How much of the last step is kept.
    centered : bool
        Divide by the root of the variance of the gradient instead of its mean square.
    capturable, differentiable : bool
        Only False.
    foreach : bool, optional
        Taken and kept, but a step is one pass over each parameter in any case.
    maximize : bool
        Step the other way, along the gradient.

    Raises
    ------
    ValueError
        For an option below 0, `capturable` or `differentiable`.

    Notes
    -----
    One pass over memory for a parameter (chapter 23's kernel).

    Source: Tieleman and Hinton, lecture 6.5 of "Neural networks for machine learning" (2012).

    Examples
    --------
    >>> import kael
    >>> p = kael.tensor([1.0], requires_grad=True)
    >>> optimizer = kael.optim.RMSprop([p], lr=0.01, alpha=0.75)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.9800], requires_grad=True)
    """

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-2, alpha: float = 0.99, eps: float = 1e-8,
        weight_decay: float = 0, momentum: float = 0, centered: bool = False, capturable: bool = False,
        foreach: bool | None = None, maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        reject(capturable=capturable, differentiable=differentiable)
        check_positive(lr=lr, eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        defaults = {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """One step for one parameter."""
        if not state:
            state.update(step=0, square_avg=zeros_like(param))
            if group["momentum"] > 0:
                state["momentum_buffer"] = zeros_like(param)
            if group["centered"]:
                state["grad_avg"] = zeros_like(param)
        state["step"] += 1
        mean = state["grad_avg"] if group["centered"] else None
        velocity = state["momentum_buffer"] if group["momentum"] > 0 else None
        numbers = [group[name] for name in ("lr", "alpha", "eps", "momentum", "weight_decay")]
        step_in_place(table.rmsprop_step, param, grad, (state["square_avg"], mean, velocity), *numbers)
