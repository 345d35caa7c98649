"""Steps along the gradient over the root of all its squares."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kael.creation import full_like
from kael.kernels import table
from kael.optim.optimizer import Optimizer, check_positive, reject, step_in_place
from kael.tensors import Tensor

__all__ = ["Adagrad"]


class Adagrad(Optimizer):
    """Steps that shrink where gradients were large: ``p -= rate * g / (sqrt(s) + eps)`` with ``s += g**2``.

    At step t, ``rate = lr / (1 + (t - 1) * lr_decay)``.

    Parameters
    ----------
    params : iterable of Tensor, or of dict
        Parameters or groups of them.
    lr : float
        Step size.
    lr_decay : float
        How fast the step size shrinks.
    weight_decay : float
        Adds ``weight_decay * p`` to the gradient.
    initial_accumulator_value : float
        Where the sums of squares begin.
    eps : float
        Keeps the quotient finite.
    foreach, fused : bool, optional
        Taken and kept, but a step is one pass over each parameter in any case.
    maximize : bool
        Step the other way, along the gradient.
    differentiable : bool
        Only False.

    Raises
    ------
    ValueError
        For an option below 0, or `differentiable`.

    Notes
    -----
    One pass over memory for a parameter (chapter 23's kernel). The sums are there before the first step.

    Source: Duchi, Hazan and Singer, "Adaptive subgradient methods for online learning and stochastic optimization"
    (2011).

    Examples
    --------
    >>> import kael
    >>> p = kael.tensor([1.0], requires_grad=True)
    >>> optimizer = kael.optim.Adagrad([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.9000], requires_grad=True)
    """

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
        initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *,
        maximize: bool = False, differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        reject(differentiable=differentiable)
        check_positive(
            lr=lr, lr_decay=lr_decay, weight_decay=weight_decay, initial_accumulator_value=initial_accumulator_value,
            eps=eps,
        )  # fmt: skip
        defaults = {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters, and the sums of their squares."""
        super().add_param_group(param_group)
        group = self.param_groups[-1]
        for param in group["params"]:
            self.state[param] = {
                "step": 0,
                "sum": full_like(param, group["initial_accumulator_value"], requires_grad=False),
            }

    def update(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """One step for one parameter."""
        state["step"] += 1
        rate = group["lr"] / (1 + (state["step"] - 1) * group["lr_decay"])
        step_in_place(table.adagrad_step, param, grad, (state["sum"],), rate, group["eps"], group["weight_decay"])
