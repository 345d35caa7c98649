"""What all optimizers share: groups of parameters with their options, state per parameter, one step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kael.autograd import enable_grad, no_grad
from kael.tensors import Tensor

__all__ = ["Optimizer"]


class Optimizer:
    """The base of every optimizer; a subclass defines `update`.

    Parameters
    ----------
    params : iterable of Tensor, or of dict
        Parameters, or groups of them: dicts with ``params`` and options of their own.
    defaults : dict
        The options of a group that does not say otherwise.

    Attributes
    ----------
    param_groups : list of dict
        The groups; options such as ``lr`` may be changed between steps.
    state : dict of Tensor to dict
        What the optimizer remembers of each parameter.

    Raises
    ------
    ValueError
        When there is no parameter, or one is given twice or is no leaf.
    TypeError
        When a parameter is no tensor.
    """

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self.param_groups: list[dict[str, Any]] = []
        self.state: dict[Tensor, dict[str, Any]] = {}
        if isinstance(params, Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or dicts")
        given = list(params)
        if not given:
            raise ValueError("optimizer got an empty parameter list")
        for group in given if isinstance(given[0], dict) else [{"params": given}]:
            self.add_param_group(group)

    def add_param_group(self, group: dict[str, Any]) -> None:
        """Add a group of parameters: a dict with ``params`` and options that differ from the defaults."""
        params = group["params"]
        params = [params] if isinstance(params, Tensor) else list(params)
        known = {id(param) for other in self.param_groups for param in other["params"]}
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(param).__name__}")
            if not param.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
            if id(param) in known:
                raise ValueError("some parameters appear in more than one parameter group, or twice in one")
            known.add(id(param))
        self.param_groups.append({**self.defaults, **group, "params": params})

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget all gradients, or with ``set_to_none=False`` set them to zeros."""
        for group in self.param_groups:
            for param in group["params"]:
                if param.grad is not None:
                    if set_to_none:
                        param.grad = None
                    else:
                        param.grad.zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change every parameter that has a gradient; the gradients themselves are only read.

        Parameters
        ----------
        closure : callable, optional
            Computes the loss and its gradients anew; called first, and its loss is returned.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                for param in group["params"]:
                    if param.grad is not None:
                        self.update(param, param.grad, self.state.setdefault(param, {}), group)
        return loss

    def update(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Change one parameter in place; `grad` must not be written."""
        raise NotImplementedError(f"{type(self).__name__} defines no update")

    def state_dict(self) -> dict[str, Any]:
        """The state and the options, with parameters as numbers in order."""
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            for param in group["params"]:
                numbers[id(param)] = len(numbers)
            groups.append({**group, "params": [numbers[id(param)] for param in group["params"]]})
        return {"state": {numbers[id(param)]: dict(held) for param, held in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what `state_dict` of an optimizer over parameters of the same number gave.

        Raises
        ------
        ValueError
            When groups or their sizes differ.
        """
        saved = state["param_groups"]
        if [len(group["params"]) for group in saved] != [len(group["params"]) for group in self.param_groups]:
            raise ValueError("loaded state dict has other parameter groups, or groups of other sizes")
        numbered: dict[int, Tensor] = {}
        for mine, theirs in zip(self.param_groups, saved, strict=True):
            numbered |= dict(zip(theirs["params"], mine["params"], strict=True))
            mine.update({key: value for key, value in theirs.items() if key != "params"})
        self.state = {
            numbered[number]: {
                key: value.clone() if isinstance(value, Tensor) else value for key, value in held.items()
            }
            for number, held in state["state"].items()
        }

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join([*lines, ")"])


def step_in_place(
    kernel: Callable[..., None], param: Tensor, grad: Tensor, held: Sequence[Tensor | None], *numbers: Any
) -> None:
    """Let a kernel change a parameter and what is held of it, in float32 where they are float16, and count the writes.

    Raises
    ------
    TypeError, ValueError
        When the gradient or what is held differs from the parameter in dtype or shape.
    """
    wide = param.dtype.wide
    arrays = []
    for tensor in (param, grad, *held):
        array = None if tensor is None else tensor.array
        arrays.append(array if wide is None or array is None else array.astype(wide.numpy))
    kernel(*arrays, *numbers)
    for tensor, array in zip((param, *held), (arrays[0], *arrays[2:]), strict=True):
        if tensor is not None:
            if wide is not None:
                tensor.array[...] = array
            tensor.storage.version += 1


def check_positive(**options: float) -> None:
    """Refuse an option below 0.

    Raises
    ------
    ValueError
        Naming the option and its value.
    """
    for name, value in options.items():
        if not value >= 0.0:
            raise ValueError(f"Invalid {name} value: {value}; it must be 0 or more")
