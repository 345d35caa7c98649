"""What all optimizers share: groups of parameters with their options, state per parameter, one step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kael.autograd import enable_grad, no_grad
from kael.creation import tensor
from kael.interop import from_dlpack
from kael.tensors import Tensor

__all__ = ["Optimizer"]


class Optimizer:
    """The base of every optimizer; a subclass defines `update`.

    Parameters
    ----------
    params : iterable of Tensor, of (str, Tensor), or of dict
        Parameters, those with their names, or groups of them: dicts with ``params`` and options of their own.
    defaults : dict
        The options of a group that does not say otherwise.

    Attributes
    ----------
    param_groups : list of dict
        The groups; options such as ``lr`` may be changed between steps.
    state : dict of Tensor to dict
        What the optimizer remembers of each parameter.
    stepped : bool
        Whether `step` was called; schedules of learning rates ask.

    Raises
    ------
    ValueError
        When there is no parameter, or one is given twice or is no leaf.
    TypeError
        When a parameter is no tensor.
    """

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self.stepped = False
        self.param_groups: list[dict[str, Any]] = []
        self.state: dict[Tensor, dict[str, Any]] = {}
        if isinstance(params, Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or dicts")
        if isinstance(params, set):
            raise TypeError("optimizer parameters need to be organized in ordered collections, but a set has no order")
        given = list(params)
        if not given:
            raise ValueError("optimizer got an empty parameter list")
        for group in given if isinstance(given[0], dict) else [{"params": given}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters: a dict with ``params`` and options that differ from the defaults.

        Raises
        ------
        TypeError
            For a group that is no dict, parameters in a set, whose order differs between runs, or no tensors.
        ValueError
            For a parameter that is given twice or is no leaf, or names for some parameters alone.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group).__name__}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError("optimizer parameters need to be organized in ordered collections, but a set has no order")
        params = [params] if isinstance(params, Tensor) else list(params)
        named = [param for param in params if isinstance(param, tuple)]
        names = {}
        if named:
            if len(named) != len(params):
                raise ValueError(
                    "all optimizer params should be with names or without: some are tuples, others are not"
                )
            names = {"param_names": [name for name, _ in params]}
            params = [param for _, param in params]
        if any(("param_names" in other) != bool(names) for other in self.param_groups):
            raise ValueError("all optimizer param groups should be with names or without")
        known = {id(param) for other in self.param_groups for param in other["params"]}
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(param).__name__}")
            if not param.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
            if id(param) in known:
                raise ValueError("some parameters appear in more than one parameter group, or twice in one")
            known.add(id(param))
        self.param_groups.append({"params": params, **names} | {**self.defaults, **param_group, "params": params})

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
        self.stepped = True
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                for param in group["params"]:
                    if param.grad is not None:
                        grad = -param.grad if group.get("maximize") else param.grad
                        self.update(param, grad, self.state.setdefault(param, {}), group)
        return loss

    def update(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Change one parameter in place; `grad` must not be written."""
        raise NotImplementedError(f"{type(self).__name__} defines no update")

    def state_dict(self) -> dict[str, Any]:
        """The state and the options, with parameters as numbers in order: what PyTorch's optimizer of the name has.

        Tensors are the optimizer's own memory. The count ``step`` is a tensor, as it is in PyTorch.
        """
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            for param in group["params"]:
                numbers[id(param)] = len(numbers)
            options = {key: value for key, value in group.items() if key != "params"}
            groups.append({**options, "params": [numbers[id(param)] for param in group["params"]]})
        state = {
            numbers[id(param)]: {key: tensor(float(value)) if key == "step" else value for key, value in held.items()}
            for param, held in self.state.items()
            if held
        }
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` of an optimizer over parameters of the same number gave.

        Parameters
        ----------
        state_dict : dict
            Of this class or of PyTorch's class of the same name; options that it lacks stay. Tensors are copied, in
            the dtype of their parameter, and may be PyTorch's or NumPy's.

        Raises
        ------
        ValueError
            When groups or their sizes differ, or what is held of a parameter has another shape; nothing is changed
            then.
        """
        saved = state_dict["param_groups"]
        sizes = [[len(group["params"]) for group in groups] for groups in (saved, self.param_groups)]
        if sizes[0] != sizes[1]:
            raise ValueError(
                f"loaded state dict has other parameter groups, or groups of other sizes: {sizes[0]} and not {sizes[1]}"
            )
        numbered: dict[int, Tensor] = {}
        for mine, theirs in zip(self.param_groups, saved, strict=True):
            numbered |= dict(zip(theirs["params"], mine["params"], strict=True))
        state = {
            numbered[number]: {key: self._held(key, value, numbered[number]) for key, value in held.items()}
            for number, held in state_dict["state"].items()
            if number in numbered
        }
        for mine, theirs in zip(self.param_groups, saved, strict=True):
            mine.update({key: value for key, value in theirs.items() if key != "params"})
        self.state = state

    def _held(self, key: str, value: Any, param: Tensor) -> Any:
        """A copy of something that is held of a parameter."""
        if key == "step":
            return int(value)
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        taken = value if isinstance(value, Tensor) else from_dlpack(value)
        if taken.shape != param.shape:
            raise ValueError(
                f"loaded state dict holds {key} of shape {taken.shape} for a parameter of shape {param.shape}"
            )
        return taken.to(param.dtype, copy=True)

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
    for one in (param, grad, *held):
        array = None if one is None else one.array
        arrays.append(array if wide is None or array is None else array.astype(wide.numpy))
    kernel(*arrays, *numbers)
    for one, array in zip((param, *held), (arrays[0], *arrays[2:]), strict=True):
        if one is not None:
            if wide is not None:
                one.array[...] = array
            one.storage.version += 1


def reject(**options: bool) -> None:
    """Refuse PyTorch's options for graphics cards and for steps that are differentiated themselves.

    Raises
    ------
    ValueError
        Naming the option.
    """
    for name, given in options.items():
        if given:
            raise ValueError(f"{name}=True is not for kael's optimizers, which step on the CPU and record no history")


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
