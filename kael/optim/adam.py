"""Adam, and Adam with weight decay apart from the gradient."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kael.creation import zeros_like
from kael.kernels import table
from kael.optim.optimizer import Optimizer, check_positive, reject, step_in_place
from kael.tensors import Tensor

__all__ = ["Adam", "AdamW"]


class Adam(Optimizer):
    """Steps of about `lr` along the mean gradient over its root mean square.

    ``m = beta1*m + (1 - beta1)*g``, ``v = beta2*v + (1 - beta2)*g**2``,
    ``p -= lr * (m / (1 - beta1**t)) / (sqrt(v / (1 - beta2**t)) + eps)`` at step t.

    Parameters
    ----------
    params : iterable of Tensor, or of dict
        Parameters or groups of them.
    lr : float
        Step size.
    betas : (float, float)
        How much of the two running means is kept at each step.
    eps : float
        Keeps the quotient finite.
    weight_decay : float
        Adds ``weight_decay * p`` to the gradient.
    amsgrad : bool
        Divide by the root of the largest v so far.
    foreach, fused : bool, optional
        Taken and kept, but a step is one pass over each parameter in any case.
    maximize : bool
        Step the other way, along the gradient.
    capturable, differentiable : bool
        Only False.
    decoupled_weight_decay : bool
        Decay apart from the gradient, as in `AdamW`.

    Raises
    ------
    ValueError
        For an option below 0, a beta outside 0 to 1, `capturable` or `differentiable`.

    Notes
    -----
    One pass over memory for a parameter (chapter 23's kernel).

    Source: Kingma and Ba, "Adam: a method for stochastic optimization" (2015).

    Examples
    --------
    >>> import kael
    >>> p = kael.tensor([1.0], requires_grad=True)
    >>> optimizer = kael.optim.Adam([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.9000], requires_grad=True)
    """

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None, maximize: bool = False,
        capturable: bool = False, differentiable: bool = False, fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:  # fmt: skip
        reject(capturable=capturable, differentiable=differentiable)
        check_positive(lr=lr, eps=eps, weight_decay=weight_decay)
        for index, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {index}: {beta}; it must be in 0 to before 1")
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
            "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """One step for one parameter."""
        if not state:
            state.update(step=0, exp_avg=zeros_like(param), exp_avg_sq=zeros_like(param))
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = zeros_like(param)
        state["step"] += 1
        held = state["exp_avg"], state["exp_avg_sq"], state["max_exp_avg_sq"] if group["amsgrad"] else None
        decay = group["weight_decay"], group["decoupled_weight_decay"]
        step_in_place(
            table.adam_step, param, grad, held, group["lr"], *group["betas"], group["eps"], *decay, state["step"]
        )


class AdamW(Adam):
    """Adam with weight decay apart from the gradient: ``p *= 1 - lr * weight_decay`` before the step.

    Parameters
    ----------
    params, lr, betas, eps, weight_decay, amsgrad, maximize, foreach, capturable, differentiable, fused
        As `Adam`; `weight_decay` is 0.01 when left out.

    Notes
    -----
    Source: Loshchilov and Hutter, "Decoupled weight decay regularization" (2019).

    Examples
    --------
    >>> import kael
    >>> p = kael.tensor([1.0], requires_grad=True)
    >>> optimizer = kael.optim.AdamW([p], lr=0.1, weight_decay=0.5)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.8500], requires_grad=True)
    """

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False, foreach: bool | None = None,
        capturable: bool = False, differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
            differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip
