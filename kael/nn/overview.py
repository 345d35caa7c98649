"""A table of a model: its modules, what they give for an input of a shape, and how many numbers they learn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from kael.autograd import no_grad
from kael.creation import zeros
from kael.nn.module import Module
from kael.tensors import Tensor

__all__ = ["Summary", "summary"]


class Row(NamedTuple):
    """A module in a `Summary`.

    Attributes
    ----------
    name : str
        Dotted; empty for the model.
    kind : str
        Its class.
    shape : str
        Of its output at its last call; a dash when it was not called.
    parameters : int
        How many numbers it learns itself, without the modules below it.
    """

    name: str
    kind: str
    shape: str
    parameters: int


class Summary(NamedTuple):
    """What `summary` gives; its text is the table.

    Attributes
    ----------
    rows : list of Row
        Each module once, the model first.
    total, trainable : int
        Numbers in parameters, and in those that require grad; a shared parameter counts once.
    """

    rows: list[Row]
    total: int
    trainable: int

    def __str__(self) -> str:
        head = ("module", "output shape", "parameters")
        table = [
            (
                "  " * row.name.count(".")
                + ("  " if row.name else "")
                + f"{row.name.rpartition('.')[2]} {row.kind}".strip(),
                row.shape,
                f"{row.parameters:,}" if row.parameters else "",
            )
            for row in self.rows
        ]
        left, middle, right = (max(len(line[k]) for line in [head, *table]) for k in range(3))
        lines = [f"{a:<{left}}  {b:<{middle}}  {c:>{right}}".rstrip() for a, b, c in [head, *table]]
        rule = "-" * (left + middle + right + 4)
        frozen = f", of which {self.total - self.trainable:,} are frozen" if self.total != self.trainable else ""
        return "\n".join([lines[0], rule, *lines[1:], rule, f"{self.total:,} parameters{frozen}"])

    def __repr__(self) -> str:
        return str(self)


def shapes(output: Any) -> Iterator[str]:
    """The shapes of the tensors in an output, however it is nested."""
    if isinstance(output, Tensor):
        yield str(tuple(output.shape))
    elif isinstance(output, (tuple, list)):
        for part in output:
            yield from shapes(part)
    elif isinstance(output, dict):
        yield from shapes(list(output.values()))


def summary(model: Module, *inputs: Any) -> Summary:
    """What a model is made of, as a table; with inputs, what each module gives for them.

    Parameters
    ----------
    model : Module
        It is called in evaluation mode, without recording, and is left as it was.
    *inputs : Tensor or tuple of int
        What `forward` takes: tensors, or shapes of which zeros are made in the dtype of the first parameter. A model
        that reads indices is given a tensor of them.

    Returns
    -------
    Summary
        Its text is the table.

    Examples
    --------
    >>> import kael
    >>> from kael import nn
    >>> nn.summary(nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)), (1, 64))
    module      output shape  parameters
    ------------------------------------
    Sequential  (1, 10)
      0 Linear  (1, 32)            2,080
      1 ReLU    (1, 32)
      2 Linear  (1, 10)              330
    ------------------------------------
    2,410 parameters
    """
    parameters = list(model.parameters())
    dtype = next((parameter.dtype for parameter in parameters), None)
    given = [zeros(*x, dtype=dtype) if isinstance(x, (tuple, list)) else x for x in inputs]
    found: dict[Module, str] = {}

    def note(module: Module, _: Any, output: Any) -> None:
        found[module] = ", ".join(shapes(output)) or "-"

    modes = [(module, module.training) for module in model.modules()]
    handles = [module.register_forward_hook(note) for module, _ in modes] if inputs else []
    try:
        model.eval()
        if inputs:
            with no_grad():
                model(*given)
    finally:
        for handle in handles:
            handle.remove()
        for module, mode in modes:
            module.training = mode
    counted: set[int] = set()
    rows = []
    for name, module in model.named_modules():
        own = [p for p in module.parameters(recurse=False) if id(p) not in counted]
        counted |= {id(p) for p in own}
        rows.append(Row(name, type(module).__name__, found.get(module, "-"), sum(p.numel() for p in own)))
    trainable = sum(parameter.numel() for parameter in parameters if parameter.requires_grad)
    return Summary(rows, sum(parameter.numel() for parameter in parameters), trainable)
