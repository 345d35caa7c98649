"""What a tensor remembers for differentiation, and how the nodes that read it refer to it."""

from __future__ import annotations

from typing import Any

from kael.dtypes import DType


class NodeInput:
    """An input of a node: where its gradient goes, and what that gradient must look like.

    A tensor has one, and all nodes that read the tensor share it. Of a tensor that takes no part in differentiation it
    is no more than this; of another it is a `Node`, which is where the gradient goes.

    Attributes
    ----------
    shape : tuple of int
        Shape of the input in the forward pass.
    dtype : DType
        Its dtype.
    requires_grad : bool
        Whether the tensor takes part.
    edge : Node or None
        The node that the gradient goes to; None where no gradient is wanted.
    output : int
        Which output of that node the input was: a node has one.
    grad_fn : FunctionNode or None
        The node of the operation that made the tensor; None of a leaf.
    meta : AutogradMeta or None
        The tensor's state, where it is more than this.
    """

    __slots__ = ("dtype", "requires_grad", "shape")

    # [node-input]
    shape: tuple[int, ...]
    dtype: DType
    requires_grad: bool

    edge: Any = None
    output = 0
    # [/node-input]
    grad_fn: Any = None
    meta: Any = None


class AutogradMeta(NodeInput):
    """The state of a tensor that takes part: the tensor's slot stays None until there is one.

    It is the tensor's node: that of the operation which made it, or the one that accumulates a leaf's gradient.

    Attributes
    ----------
    grad : Tensor or None
        The gradient so far: of a leaf, and of another tensor that keeps its own.
    hooks : dict or None
        Functions to call with the complete gradient.
    """

    __slots__ = ("grad", "hooks")

    # [meta-fields]
    grad: Any
    hooks: dict[int, Any] | None
    # [/meta-fields]

    @property
    def meta(self) -> AutogradMeta:
        """Itself."""
        return self
