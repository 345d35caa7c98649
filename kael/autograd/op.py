"""What an operation declares about itself: the entries of the op table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Vjp = Callable[..., Any]

OUTPUT = -1

registry: dict[str, Op] = {}


class Op:
    """One row of the op table.

    Parameters
    ----------
    name : str
        The function's name, such as ``mul``.
    formula : str
        What it computes.
    gradient : callable or None
        ``gradient(node, g, position)`` gives the gradient of the input at `position` for the gradient `g` of the
        output; None for an operation that is not differentiable.
    gradient_formula : str
        The same in words, per input.
    needs : tuple of tuples of int
        Per input, the inputs whose values its gradient reads, and `OUTPUT` where it reads the output's; a node keeps
        what the inputs that require grad need. Empty where no gradient reads a value.
    jointly : bool
        The gradient function takes no position and gives a list with the gradients of all inputs, which share work.
    passes : bool
        The gradient function may hand on `g` or a view of it; False when every result is a buffer of its own.
    adds : callable or None
        For an operation of one input that reads a part of it: ``adds(node, g, total)`` adds the gradient to `total` in
        place, so that of many parts of a tensor one alone makes a buffer of its size.
    kinks : str
        What the gradient is where the function has none.
    dtypes : str
        The rule by which the result's dtype follows from the operands'.
    numpy : bool
        Its loop over elements is NumPy's, because it is no chapter's subject.
    node : str
        The name of its nodes, made from `name` where it is left out.
    listed : bool
        It belongs into the table.
    """

    __slots__ = (
        "adds", "dtypes", "formula", "gradient", "gradient_formula", "jointly", "kinks", "name", "needs", "node",
        "numpy", "passes",
    )  # fmt: skip

    def __init__(
        self, name: str, formula: str, gradient: Vjp | None = None, gradient_formula: str = "",
        needs: tuple[tuple[int, ...], ...] = (), passes: bool = False, kinks: str = "", dtypes: str = "promoted",
        numpy: bool = False, node: str = "", listed: bool = True, adds: Callable[[Any, Any, Any], None] | None = None,
        jointly: bool = False,
    ) -> None:  # fmt: skip
        self.name = name
        self.node = node or "".join(part.capitalize() for part in name.split("_")) + "Backward"
        self.formula = formula
        self.gradient = gradient
        self.gradient_formula = gradient_formula
        self.needs = needs
        self.jointly = jointly
        self.passes = passes
        self.adds = adds
        self.kinks = kinks
        self.dtypes = dtypes
        self.numpy = numpy
        if listed:
            registry[name] = self

    @property
    def saves(self) -> str:
        """What a node may keep: ``nothing``, ``inputs``, ``output`` or ``inputs and output``."""
        read = {which for needs in self.needs for which in needs}
        kinds = (["inputs"] if read - {OUTPUT} else []) + (["output"] if OUTPUT in read else [])
        return " and ".join(kinds) or "nothing"

    def __repr__(self) -> str:
        return f"Op({self.name!r})"
