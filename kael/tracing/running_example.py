"""The running example of chapters 15 to 17, as a trace that a page can run again."""

from __future__ import annotations

from typing import Any

from kael.tracing.runnable import runnable
from kael.tracing.trace import Trace

__all__ = ["CHOICES", "running_example", "running_example_trace"]

CHOICES = {"skip": ("no gradient", "is_zero"), "accumulate": ("add", "overwrite")}


def running_example(
    trace: Any,
    x: Any = 3.0,
    y: Any = 4.0,
    mirror: bool = True,
    skip: str = "no gradient",
    accumulate: str = "add",
    prune: bool = True,
) -> None:
    """w = x*y + x, forward and backward."""
    from chapters.ch15_graph.graph import ComputationGraph, Tensor, keep_everything
    from chapters.ch17_engine.engine import backward, keep_for_backward

    graph = ComputationGraph(keep=keep_for_backward if prune else keep_everything, trace=trace)
    x, y = Tensor(x, requires_grad=True), Tensor(y, requires_grad=True)
    z = graph.mul(x, y)
    w = graph.add(z, x)
    trace.name(x=x, y=y, z=z, w=w)
    backward(graph, w, mirror=mirror, skip=skip, accumulate=accumulate)


def running_example_trace(**values: Any) -> Trace:
    """The trace of the running example, w = x*y + x at x = 3, y = 4 unless other values are given.

    Parameters
    ----------
    **values
        Other values for the parameters of `running_example`.

    Examples
    --------
    >>> from kael.tracing.running_example import running_example_trace
    >>> print(running_example_trace().table().splitlines()[-1])
    x.grad = 5.0, y.grad = 3.0
    >>> print(running_example_trace(mirror=False, skip="is_zero").table().splitlines()[-1])
    x.grad is not set, y.grad is not set
    """
    return runnable(running_example, "", CHOICES, **values)
