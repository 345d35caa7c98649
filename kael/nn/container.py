"""Modules that hold others, in a row or by name."""

from __future__ import annotations

import operator
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any, Self

from kael.nn.module import Module

__all__ = ["ModuleDict", "ModuleList", "Sequential"]


class _Row(Module):
    """Modules under their numbers, with the methods of a list."""

    def _checked(self, module: Any, name: object) -> Module:
        if not isinstance(module, Module):
            raise TypeError(f"{type(self).__name__}: argument {name} is {type(module).__name__}, not a Module")
        return module

    def _name(self, index: int) -> str:
        """Under which name the module at an index is."""
        index, count = operator.index(index), len(self)
        if not -count <= index < count:
            raise IndexError(f"index {index} is out of range for a {type(self).__name__} of {count} modules")
        return list(self._modules)[index]

    def _renumber(self, modules: Iterable[Module]) -> None:
        modules = list(modules)
        self._modules.clear()
        for number, module in enumerate(modules):
            self._modules[str(number)] = module

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return self._part(dict(list(self._modules.items())[index]))
        return self._modules[self._name(index)]

    def _part(self, named: dict[str, Module]) -> Module:
        """A row of some of the modules."""
        return type(self)(*named.values())

    def __setitem__(self, index: int, module: Module) -> None:
        self._modules[self._name(index)] = self._checked(module, index)

    def __delitem__(self, index: int | slice) -> None:
        kept = list(self._modules.items())
        del kept[index if isinstance(index, slice) else list(self._modules).index(self._name(index))]
        numbered = all(name.isdigit() for name in self._modules)
        self._modules.clear()
        self._modules.update({str(k) if numbered else name: module for k, (name, module) in enumerate(kept)})

    def append(self, module: Module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), self._checked(module, len(self)))
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end."""
        for module in list(modules):
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Self:
        """Put a module before that at an index."""
        row = list(self)
        row.insert(index, self._checked(module, index))
        self._renumber(row)
        return self

    def pop(self, key: int) -> Any:
        """Take a module out."""
        module = self[key]
        del self[key]
        return module

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)


class Sequential(_Row):
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

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = args[0] if len(args) == 1 and isinstance(args[0], dict) else dict(enumerate(args))
        for name, module in named.items():
            self.add_module(str(name), self._checked(module, name))

    def forward(self, input: Any) -> Any:
        """Hand the input through the modules in order."""
        for module in self._modules.values():
            input = module(input)
        return input

    def _part(self, named: dict[str, Module]) -> Module:
        return type(self)(named)

    def __add__(self, other: Iterable[Module]) -> Sequential:
        return Sequential(*self, *other)


class ModuleList(_Row):
    """A list of modules whose parameters are found; what is done with them is up to the model.

    Parameters
    ----------
    modules : iterable of Module, optional
        The modules; their names are their numbers.

    Raises
    ------
    TypeError
        For an element that is no module.

    Examples
    --------
    >>> import kael
    >>> layers = kael.nn.ModuleList(kael.nn.Linear(4, 4) for _ in range(2))
    >>> layers.append(kael.nn.ReLU())
    ModuleList(
      (0-1): 2 x Linear(in_features=4, out_features=4, bias=True)
      (2): ReLU()
    )
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(() if modules is None else modules)

    def _part(self, named: dict[str, Module]) -> Module:
        return type(self)(named.values())

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def __repr__(self) -> str:
        if not len(self):
            return f"{self._get_name()}()"
        runs: list[tuple[int, int, str]] = []
        for number, module in enumerate(self):
            text = repr(module)
            if runs and runs[-1][2] == text:
                runs[-1] = runs[-1][0], number, text
            else:
                runs.append((number, number, text))
        lines = [
            f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}"
            for first, last, text in runs
        ]
        inside = "".join("\n  " + line.replace("\n", "\n  ") for line in lines)
        return f"{self._get_name()}({inside}\n)"


class ModuleDict(Module):
    """A dict of modules whose parameters are found.

    Parameters
    ----------
    modules : dict of str to Module, or iterable of pairs, optional
        The modules by name, in order.

    Raises
    ------
    TypeError
        For a name that is no string or a value that is no module.
    KeyError
        For a name that is taken by an attribute, is empty or has a dot in it.

    Examples
    --------
    >>> import kael
    >>> kinds = kael.nn.ModuleDict({"relu": kael.nn.ReLU(), "tanh": kael.nn.Tanh()})
    >>> kinds["tanh"](kael.zeros(1)), list(kinds)
    (tensor([0.]), ['relu', 'tanh'])
    """

    def __init__(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | None = None) -> None:
        super().__init__()
        self.update({} if modules is None else modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Take all modules out."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Take a module out."""
        return self._modules.pop(key)

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._modules.keys()

    def values(self) -> ValuesView[Module]:
        """The modules."""
        return self._modules.values()

    def items(self) -> ItemsView[str, Module]:
        """Names and modules."""
        return self._modules.items()

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Add modules, or put them in the place of those of the same names."""
        for name, module in dict(modules).items():
            self[name] = module
