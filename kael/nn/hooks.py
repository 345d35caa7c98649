"""Hooks of a module: functions that are called around its forward pass, its saving and its loading."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kael.autograd.hooks import RemovableHandle

if TYPE_CHECKING:
    from kael.nn.module import Module

__all__ = ["Hooks"]

Hook = Callable[..., Any]


class Hooks:
    """The hooks of one module by their kind, each in the order in which they are called.

    Attributes
    ----------
    before, after : dict of int to (callable, bool, bool)
        Around the forward pass: the hook, whether it takes named arguments, whether it is called after an error too.
    before_state, after_state, before_load, after_load : dict of int to callable
        Around `Module.state_dict` and `Module.load_state_dict`.
    """

    def __init__(self) -> None:
        self.before: dict[int, Any] = {}
        self.after: dict[int, Any] = {}
        self.before_state: dict[int, Any] = {}
        self.after_state: dict[int, Any] = {}
        self.before_load: dict[int, Any] = {}
        self.after_load: dict[int, Any] = {}
        self._count = 0

    def add(self, kind: str, hook: Any, prepend: bool = False) -> RemovableHandle:
        """Add a hook as the last or the first of its kind."""
        hooks: dict[int, Any] = getattr(self, kind)
        self._count += 1
        others = dict(hooks) if prepend else {}
        if prepend:
            hooks.clear()
        hooks[self._count] = hook
        hooks.update(others)
        return RemovableHandle(hooks, self._count)

    def call(self, module: Module, inputs: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """The module's forward pass, with the hooks around it."""
        late = [number for number, (_, _, always) in self.after.items() if always]
        try:
            for hook, with_named, _ in tuple(self.before.values()):
                given = hook(module, inputs, named) if with_named else hook(module, inputs)
                if given is None:
                    continue
                if not with_named:
                    inputs = given if isinstance(given, tuple) else (given,)
                elif isinstance(given, tuple) and len(given) == 2:
                    inputs, named = given
                else:
                    raise RuntimeError(
                        "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got "
                        f"{type(given).__name__}"
                    )
            output = module.forward(*inputs, **named)
            for number, (hook, with_named, _) in tuple(self.after.items()):
                if number in late:
                    late.remove(number)
                changed = hook(module, inputs, named, output) if with_named else hook(module, inputs, output)
                output = output if changed is None else changed
        except Exception:
            for number in late:
                hook, with_named, _ = self.after[number]
                hook(*((module, inputs, named, None) if with_named else (module, inputs, None)))
            raise
        return output
