"""Calls of every public operation with unusual arguments, and what comes of each, as JSON: run as a script."""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import numpy as np

import kael
from kael import ops


class Number(float):
    """A subclass of a number."""


class Sizes(list):  # type: ignore[type-arg]
    """A subclass of a list."""


class Kind(kael.Tensor):
    """A subclass of the tensor."""


def arguments() -> dict[str, Any]:
    """One of each kind, made anew for each call."""
    plain = kael.tensor([[1.0, 2.0], [3.0, 4.0]])
    return {
        "bool": True,
        "int": 1,
        "float": 0.5,
        "np.bool": np.bool_(True),
        "np.int64": np.int64(1),
        "np.float32": np.float32(0.5),
        "np.float64": np.float64(0.5),
        "subclass of float": Number(0.5),
        "subclass of list": Sizes([0, 1]),
        "subclass of Tensor": Kind(plain.storage, plain.array, plain.dtype),
        "text": "a",
        "None": None,
        "tensor": plain,
        "leaf": kael.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=kael.float64, requires_grad=True),
        "integers": kael.tensor([[1, 0], [1, 1]], dtype=kael.int32),
        "0-d": kael.tensor(2.0),
        "half": kael.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=kael.float16),
    }


def shown(value: Any) -> Any:
    """A result as text: types, dtype, elements, and the node that made it."""
    if isinstance(value, kael.Tensor):
        return [type(value).__name__, str(value.dtype), repr(value.tolist()), str(value.grad_fn)]
    if isinstance(value, tuple):
        return [shown(part) for part in value]
    return [type(value).__name__, repr(value)]


def outcome(function: Any, names: tuple[str, ...]) -> Any:
    """What a call gives, or the error that it raises."""
    kinds = arguments()
    kael.manual_seed(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return shown(function(*[kinds[name] for name in names]))
    except TypeError as error:
        text = str(error)
        return ["TypeError", "wrong number of arguments" if "positional argument" in text else text]
    except Exception as error:
        return [type(error).__name__, str(error)]


def outcomes() -> dict[str, Any]:
    """Every function with every kind alone, and beside a tensor on either side."""
    functions = {function.__name__: function for function in (*ops.FUNCTIONS, *ops.METHODS)}
    names = list(arguments())
    calls = [(name,) for name in names]
    calls += [("tensor", name) for name in names] + [(name, "leaf") for name in names]
    return {f"{key}{call}": outcome(functions[key], call) for key in sorted(functions) for call in calls}


if __name__ == "__main__":
    json.dump(outcomes(), sys.stdout)
