"""What a tensor carries when it takes part in differentiation."""

from __future__ import annotations

from typing import Any


class AutogradMeta:
    """Autograd's state of one tensor; a tensor that never takes part has none.

    Attributes
    ----------
    requires_grad : bool
        The tensor takes part in differentiation.
    grad : Tensor or None
        The accumulated gradient of a leaf, or of a tensor that called ``retain_grad``.
    grad_fn : Node or None
        The node that produced the tensor; None for a leaf.
    accumulator : weakref to AccumulateGrad, or None
        Shared by all uses of a leaf; the leaf does not keep it alive.
    hooks : dict or None
        Hooks of a leaf by their handle's number, None until one is registered: they live here and not on the
        accumulator, which may die between two uses.
    """

    # [meta-fields]
    __slots__ = ("accumulator", "grad", "grad_fn", "hooks", "requires_grad")

    def __init__(self) -> None:
        self.requires_grad = False
        self.grad: Any = None
        self.grad_fn: Any = None
        self.accumulator: Any = None
        self.hooks: Any = None

    # [/meta-fields]
