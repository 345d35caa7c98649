"""``kael.record``: the switch that turns a trace on for the engine, in this thread and for one block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kael.autograd.recorder import recorder

if TYPE_CHECKING:
    from kael.tracing.trace import Trace

__all__ = ["record"]


@contextmanager
def record(title: str = "", /, **tensors: Any) -> Iterator[Trace]:
    """Record every backward pass of this thread inside a ``with`` block.

    Parameters
    ----------
    title : str
        What the record shows, such as ``w = x*y + x``; its views carry it.
    **tensors : Tensor
        Tensors by the name that the views give them; more can be named later with ``t.name``.

    Yields
    ------
    Trace
        The record, with ``table()``, ``to_markdown()``, ``to_json()``, ``to_html()``.

    Notes
    -----
    Outside such a block a backward pass pays one test. Inside, every gradient of up to 64 elements is copied into the
    record. The memory of a gradient is told apart by weak references, so that a watched pass hands the same buffers
    on as an unwatched one. Blocks nest: the outer record shows the passes of the inner one too.

    Examples
    --------
    >>> import kael
    >>> x = kael.tensor([1.0, 2.0], requires_grad=True)
    >>> with kael.record(x=x) as t:
    ...     (x * x).sum().backward()
    >>> print(t.table().splitlines()[-1])
    x.grad = [2, 4]
    """
    from kael.tracing.trace import Trace  # here, so that `import kael` does not pay for the views

    trace, outer = Trace(title, **tensors), recorder.get()
    recorder.set(trace)
    try:
        yield trace
    finally:
        recorder.set(outer)
        if outer is not None:
            outer.adopt(trace)
