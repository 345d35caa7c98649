"""Hooks: functions that see, and may replace, the gradient of a tensor."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from kael.autograd.node import AccumulateGrad, FunctionNode, Node
from kael.autograd.recording import requires_grad
from kael.collector import look_at_graphs, take_in
from kael.tensors import Tensor

Hook = Callable[[Tensor], Tensor | None]

_numbers = itertools.count()


class RemovableHandle:
    """Takes a hook off again."""

    __slots__ = ("_hooks", "_number")

    def __init__(self, hooks: dict[int, Hook], number: int) -> None:
        self._hooks = hooks
        self._number = number

    def remove(self) -> None:
        """Take the hook off; a second call does nothing."""
        self._hooks.pop(self._number, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


class AfterAccumulation:
    """A leaf's hook that waits until its ``grad`` is complete; it stands among the leaf's other hooks."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[[Tensor], None]) -> None:
        self.function = function


def register_hook(tensor: Tensor, hook: Hook) -> RemovableHandle:
    """Call `hook` with the complete gradient of a tensor in every backward pass.

    What it returns replaces the gradient, unless it returns None. Several hooks run in the order of registration.

    Parameters
    ----------
    tensor : Tensor
        A leaf or not; it must require grad.
    hook : callable
        Takes the gradient, returns None or a tensor of the same shape.

    Returns
    -------
    RemovableHandle
        Its ``remove()`` takes the hook off.

    Raises
    ------
    RuntimeError
        When the tensor does not require grad.
    """
    return registered(tensor, hook)


def registered(tensor: Tensor, hook: Any) -> RemovableHandle:
    """Put a hook behind those of a tensor's node; it may hold the tensor, or what is made of it."""
    if not requires_grad(tensor):
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    node: Node = tensor.link
    look_at_graphs()
    take_in(tensor)
    take_in(node)
    node.hooks = node.hooks or {}
    number = next(_numbers)
    node.hooks[number] = hook
    return RemovableHandle(node.hooks, number)


def register_post_accumulate_grad_hook(tensor: Tensor, hook: Callable[[Tensor], None]) -> RemovableHandle:
    """Call `hook` with a leaf each time that a backward pass has put the complete gradient into its ``grad``.

    An optimizer's step can run there, and the gradient be freed before the next one is complete.

    Raises
    ------
    RuntimeError
        For a non-leaf and for a tensor that does not require grad; in the backward pass when the hook returns anything.
    """
    if isinstance(tensor.link, FunctionNode):
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    return registered(tensor, AfterAccumulation(hook))


def run_after_accumulation(node: AccumulateGrad) -> None:
    """Run the hooks that waited for a leaf's gradient."""
    if not node.hooks:
        return
    for hook in list(node.hooks.values()):
        if isinstance(hook, AfterAccumulation) and hook.function(node.variable) is not None:
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")


def run_hooks(hooks: dict[int, Any], gradient: Tensor) -> Tensor:
    """The gradient of a node's tensor after its hooks.

    Raises
    ------
    TypeError
        When a hook returns something other than a tensor or None.
    RuntimeError
        When a hook changes the shape or the dtype.
    """
    for hook in list(hooks.values()):
        if isinstance(hook, AfterAccumulation):
            continue
        replaced = hook(gradient)
        if replaced is None:
            continue
        name = getattr(hook, "__name__", type(hook).__name__)
        if not isinstance(replaced, Tensor):
            raise TypeError(f"hook {name!r}: expected a Tensor, but hook returned {type(replaced).__name__!r}")
        if replaced.array.shape != gradient.array.shape:
            raise RuntimeError(
                f"hook {name!r} has changed the size of value: {gradient.array.shape} became {replaced.array.shape}"
            )
        if replaced.dtype is not gradient.dtype:
            raise RuntimeError(
                f"hook {name!r} has changed the type of value: {gradient.dtype.name} became {replaced.dtype.name}"
            )
        gradient = replaced
    return gradient


def retain_grad(tensor: Tensor) -> None:
    """Keep the gradient of a non-leaf in its ``grad`` in every backward pass; nothing to do for a leaf.

    Raises
    ------
    RuntimeError
        When the tensor does not require grad.
    """
    if not requires_grad(tensor):
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if isinstance(tensor.link, FunctionNode):
        tensor.link.retains = True
