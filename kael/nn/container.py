"""Modules that hold others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kael.nn.module import Module

__all__ = ["Sequential"]


class Sequential(Module):
    """Modules one after another: ``y = last(...(first(x)))``.

    Parameters
    ----------
    *modules : Module
        The modules in order; their names are their numbers. A single dict gives them names of its own.

    Raises
    ------
    TypeError
        For an argument that is no module.

    Examples
    --------
    >>> import kael
    >>> kael.nn.Sequential(kael.nn.Linear(64, 10), kael.nn.ReLU())
    Sequential(
      (0): Linear(in_features=64, out_features=10, bias=True)
      (1): ReLU()
    )
    """

    def __init__(self, *modules: Any) -> None:
        super().__init__()
        named = modules[0] if len(modules) == 1 and isinstance(modules[0], dict) else dict(enumerate(modules))
        for name, module in named.items():
            if not isinstance(module, Module):
                raise TypeError(f"Sequential: argument {name} is {type(module).__name__}, not a Module")
            self.add_module(str(name), module)

    def forward(self, x: Any) -> Any:
        """Hand `x` through the modules in order."""
        for module in self._modules.values():
            x = module(x)
        return x

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return Sequential(*list(self._modules.values())[index])
        return list(self._modules.values())[index]
