"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kael.creation import empty_like
from kael.kernels import table
from kael.optim.optimizer import Optimizer, check_positive, reject, step_in_place
from kael.tensors import Tensor

__all__ = ["SGD"]


class SGD(Optimizer):
    """Gradient descent ``p -= lr * v`` with momentum ``v = momentum * v + (1 - dampening) * g``.

    Parameters
    ----------
    params : iterable of Tensor, or of dict
        Parameters or groups of them.
    lr : float
        Step size.
    momentum : float
        How much of the last step is kept; the first step is the gradient itself.
    dampening : float
        How much of each gradient is left out of the momentum.
    weight_decay : float
        Adds ``weight_decay * p`` to the gradient.
    nesterov : bool
        Look ahead: step along ``g + momentum * v``.
    maximize : bool
        Step the other way, along the gradient.
    foreach, fused : bool, optional
        Taken and kept, but a step is one pass over each parameter in any case.
    differentiable : bool
        Only False.

    Raises
    ------
    ValueError
        For an option below 0, `nesterov` without momentum or with dampening, or `differentiable`.

    Notes
    -----
    One pass over memory for a parameter (chapter 23's kernel).

    Examples
    --------
    >>> import kael
    >>> p = kael.tensor([1.0], requires_grad=True)
    >>> optimizer = kael.optim.SGD([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.8000], requires_grad=True)
    """

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-3, momentum: float = 0, dampening: float = 0,
        weight_decay: float = 0, nesterov: bool = False, *, maximize: bool = False, foreach: bool | None = None,
        differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        reject(differentiable=differentiable)
        check_positive(lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay, "nesterov": nesterov,
            "maximize": maximize, "foreach": foreach, "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """One step for one parameter."""
        first = state.get("momentum_buffer") is None
        if group["momentum"] and first:
            state["momentum_buffer"] = empty_like(param)
        held = state["momentum_buffer"] if group["momentum"] else None
        numbers = [group[name] for name in ("lr", "momentum", "dampening", "weight_decay", "nesterov")]
        step_in_place(table.sgd_step, param, grad, (held,), *numbers, first)
