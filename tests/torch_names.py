"""Which of PyTorch's public names kael has: ``python -m tests.torch_names [--missing]``."""

from __future__ import annotations

import argparse
import importlib
import inspect
import sys
import warnings
from typing import Any

import kael

PLACES = (
    "",
    "Tensor",
    "autograd",
    "linalg",
    "nn",
    "nn.functional",
    "nn.init",
    "nn.utils",
    "optim",
    "utils.data",
    "cuda",
)


def found(library: Any, place: str) -> Any:
    """A module or class of a library by its dotted name; None where it is missing."""
    if place == "Tensor" or not place:
        return getattr(library, place) if place else library
    try:
        return importlib.import_module(f"{library.__name__}.{place}")
    except ImportError:
        return None


def public(torch: Any, place: str) -> set[str]:
    """The functions, classes and dtypes that PyTorch has there for its users."""
    owner = found(torch, place)
    names = set()
    for name in dir(owner):
        if name.startswith("_"):
            continue
        value = getattr(owner, name)
        home = getattr(value, "__module__", None) or ""
        ours = place == "Tensor" or home.startswith(("torch", "None")) or not home
        if not inspect.ismodule(value) and (callable(value) or isinstance(value, torch.dtype)) and ours:
            names.add(name)
    return names


def compared(torch: Any) -> dict[str, tuple[list[str], list[str]]]:
    """Per place, the names that kael has and those that it lacks."""
    table = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for place in PLACES:
            owner = found(kael, place)
            names = sorted(public(torch, place))
            has = [name for name in names if owner is not None and hasattr(owner, name)]
            table[place or "torch"] = has, [name for name in names if name not in set(has)]
    return table


def main(arguments: list[str] | None = None) -> int:
    """Print a line per place, and with ``--missing`` each name that kael lacks."""
    parser = argparse.ArgumentParser(prog="python -m tests.torch_names", description=__doc__.split(":")[0])
    parser.add_argument("--missing", action="store_true", help="list what kael lacks")
    asked = parser.parse_args(arguments)
    import torch

    table = compared(torch)
    print(f"{'place':<14}  {'has':>5}  {'lacks':>5}")
    for place, (has, lacks) in table.items():
        print(f"{place:<14}  {len(has):>5}  {len(lacks):>5}")
        if asked.missing:
            print("    " + "\n    ".join(lacks))
    print(f"{'in all':<14}  {sum(len(has) for has, _ in table.values()):>5}", end="  ")
    print(f"{sum(len(lacks) for _, lacks in table.values()):>5}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
