"""Parameters in a row or by name."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, KeysView, Mapping
from typing import Any, Self

from kael.nn.module import Module
from kael.nn.parameter import Parameter
from kael.tensors import Tensor

__all__ = ["ParameterDict", "ParameterList"]


def as_parameter(value: Any) -> Any:
    """A tensor as a parameter; anything else as it is."""
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def described(key: object, value: Any) -> str:
    """A line of the repr."""
    if not isinstance(value, Tensor):
        return f"({key}): Object of type: {type(value).__name__}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    size = "x".join(str(n) for n in value.shape)
    return f"({key}): {kind} containing: [{value.dtype} of size {size}]"


class ParameterList(Module):
    """A list of parameters that a module finds; a tensor becomes one.

    Parameters
    ----------
    values : iterable, optional
        Parameters, tensors, or anything else, which is kept and is no parameter.

    Examples
    --------
    >>> import kael
    >>> kael.nn.ParameterList([kael.zeros(2), kael.zeros(1, 3)])
    ParameterList(
      (0): Parameter containing: [kael.float32 of size 2]
      (1): Parameter containing: [kael.float32 of size 1x3]
    )
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        self.extend(() if values is None else values)

    def _name(self, index: int) -> str:
        index = operator.index(index)
        if not -self._size <= index < self._size:
            raise IndexError(f"index {index} is out of range for a ParameterList of {self._size}")
        return str(index % self._size)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([self[number] for number in range(self._size)])

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return getattr(self, self._name(index))

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, self._name(index), as_parameter(value))

    def append(self, value: Any) -> Self:
        """Add a parameter at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add parameters at the end."""
        for value in list(values):
            self.append(value)
        return self

    def __iadd__(self, values: Iterable[Any]) -> Self:
        return self.extend(values)

    def extra_repr(self) -> str:
        """A line for each."""
        return "\n".join(described(number, value) for number, value in enumerate(self))


class ParameterDict(Module):
    """A dict of parameters that a module finds; a tensor becomes one.

    Parameters
    ----------
    parameters : dict or iterable of pairs, optional
        Parameters, tensors, or anything else, which is kept and is no parameter.

    Examples
    --------
    >>> import kael
    >>> ends = kael.nn.ParameterDict({"left": kael.zeros(2)})
    >>> ends["right"] = kael.ones(2)
    >>> [name for name, _ in ends.named_parameters()]
    ['left', 'right']
    """

    def __init__(self, parameters: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        self.update({} if parameters is None else parameters)

    def __getitem__(self, key: str) -> Any:
        if key not in self._keys:
            raise KeyError(key)
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise TypeError(f"Index given to ParameterDict cannot be used as a key as it is not a string: {key!r}")
        if key not in self._keys and hasattr(self, key):
            raise KeyError(f"attribute '{key}' already exists")
        self._keys[key] = None
        setattr(self, key, as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._keys.keys()

    def values(self) -> list[Any]:
        """The parameters."""
        return [self[key] for key in self._keys]

    def items(self) -> list[tuple[str, Any]]:
        """Names and parameters."""
        return [(key, self[key]) for key in self._keys]

    def get(self, key: str, default: Any = None) -> Any:
        """The parameter of a name, or something else where there is none."""
        return self[key] if key in self._keys else default

    def pop(self, key: str) -> Any:
        """Take a parameter out."""
        value = self[key]
        del self[key]
        return value

    def clear(self) -> None:
        """Take all parameters out."""
        for key in list(self._keys):
            del self[key]

    def update(self, parameters: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> None:
        """Add parameters, or put them in the place of those of the same names."""
        for key, value in dict(parameters).items():
            self[key] = value

    def extra_repr(self) -> str:
        """A line for each."""
        return "\n".join(described(key, value) for key, value in self.items())
