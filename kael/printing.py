"""How a tensor shows itself, and the options of that."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy

from kael import dtypes
from kael.tensors import Tensor

__all__ = ["describe", "get_printoptions", "printoptions", "set_printoptions"]


class Options:
    """What `set_printoptions` sets."""

    def __init__(self) -> None:
        self.precision = 4
        self.threshold: float = 1000
        self.edgeitems = 3
        self.linewidth = 80
        self.sci_mode: bool | None = None


PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}
options = Options()


def set_printoptions(
    precision: int | None = None, threshold: float | None = None, edgeitems: int | None = None,
    linewidth: int | None = None, profile: str | None = None, sci_mode: bool | None = None,
) -> None:  # fmt: skip
    """Choose how tensors are printed; what is left out stays, but for `sci_mode`, which goes back to automatic.

    Parameters
    ----------
    precision : int, optional
        Digits after the point.
    threshold : float, optional
        More elements than this are summarised by the first and last of each axis.
    edgeitems : int, optional
        How many of them.
    linewidth : int, optional
        Characters in a line.
    profile : {"default", "short", "full"}, optional
        Values for all of the above, which the others then change.
    sci_mode : bool, optional
        Powers of ten always, never, or (None) where the elements are far apart, very large or very small.

    Raises
    ------
    ValueError
        For an unknown profile.

    Examples
    --------
    >>> import kael
    >>> with kael.printoptions(precision=2):
    ...     kael.tensor([1.0, 3.14159])
    tensor([1.00, 3.14])
    """
    if profile is not None and profile not in PROFILES:
        raise ValueError(f"set_printoptions: profile is {profile!r}; choose from {', '.join(PROFILES)}")
    chosen = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    wanted = PROFILES.get(profile or "", {}) | {name: value for name, value in chosen.items() if value is not None}
    for name, value in wanted.items():
        setattr(options, name, value)
    options.sci_mode = sci_mode


def get_printoptions() -> dict[str, Any]:
    """The options in use, as arguments for `set_printoptions`."""
    return dict(vars(options))


@contextmanager
def printoptions(**changed: Any) -> Iterator[None]:
    """Other options inside a ``with`` block; takes the arguments of `set_printoptions`."""
    kept = get_printoptions()
    set_printoptions(**changed)
    try:
        yield
    finally:
        set_printoptions(**kept)


class Style:
    """How the elements of one tensor are written: all in one way, and right-aligned to one width."""

    def __init__(self, array: Any) -> None:
        self.width = 1
        self.form = ""
        if array.dtype.kind != "f":
            self.width = max(map(len, map(str, array.ravel().tolist())), default=1)
            return
        values = array[numpy.isfinite(array) & (array != 0)].astype(numpy.float64)
        self.whole = bool((values == numpy.ceil(values)).all())
        self.powers = options.sci_mode or False
        if values.size == 0:
            self.powers, self.form = False, ".0f"
            return
        sizes = numpy.abs(values)
        if options.sci_mode is None:
            least, most = float(sizes.min()), float(sizes.max())
            self.powers = most / least > 1000.0 or most > 1.0e8 or least < 1.0e-4
        digits = 0 if self.whole and not self.powers else options.precision
        self.form = f".{digits}{'e' if self.powers else 'f'}"
        self.width = max(len(self.text(value)) for value in values.tolist())

    def text(self, value: Any) -> str:
        """One element; a whole floating-point number ends in its point."""
        if not self.form:
            return str(value)
        point = "." if self.whole and not self.powers and math.isfinite(value) else ""
        return f"{value:{self.form}}{point}"

    def padded(self, value: Any) -> str:
        """One element at the common width."""
        return self.text(value).rjust(self.width)


def edges(count: int) -> tuple[range, range]:
    """The positions along an axis that a summary shows, before the dots and behind them."""
    return range(min(options.edgeitems, count)), range(max(count - options.edgeitems, 0), count)


def summarised(array: Any) -> Any:
    """The elements that a summary shows."""
    for axis, count in enumerate(array.shape):
        if count > 2 * options.edgeitems:
            first, last = edges(count)
            array = array.take([*first, *last], axis)
    return array


def written(array: Any, style: Style, summary: bool, indent: int) -> str:
    """The elements in nested brackets; `indent` is the column where the outermost bracket stands."""
    if array.ndim == 0:
        return style.padded(array.item())
    count = len(array)
    first, last = edges(count) if summary and count > 2 * options.edgeitems else (range(count), range(0))
    dots = ["..."] if last else []
    if array.ndim > 1:
        parts = [written(array[place], style, summary, indent + 1) for place in first]
        parts += dots + [written(array[place], style, summary, indent + 1) for place in last]
        return f"[{(',' + chr(10) * (array.ndim - 1) + ' ' * (indent + 1)).join(parts)}]"
    items = [style.padded(array[place].item()) for place in first] + [" ..." for _ in dots]
    items += [style.padded(array[place].item()) for place in last]
    per_line = max(1, (options.linewidth - indent) // (style.width + 2))
    lines = [", ".join(items[start : start + per_line]) for start in range(0, len(items), per_line)]
    return f"[{(',' + chr(10) + ' ' * (indent + 1)).join(lines)}]"


def describe(tensor: Tensor) -> str:
    """The repr: the elements, the dtype where it is not implied, and the part in differentiation.

    Examples
    --------
    >>> import kael
    >>> kael.tensor([1.0, 2.5], requires_grad=True) * 2
    tensor([2., 5.], grad_fn=<MulBackward>)
    """
    array, prefix = tensor.array, "tensor("
    implied = (dtypes.default,) if array.size == 0 else (dtypes.default, dtypes.int64, dtypes.bool)
    notes = []
    if array.size == 0:
        text = "[]"
        if array.ndim != 1:
            notes.append(f"size={array.shape}")
    else:
        summary = array.size > options.threshold
        text = written(array, Style(summarised(array) if summary else array), summary, len(prefix))
    if tensor.dtype not in implied:
        notes.append(f"dtype={tensor.dtype}")
    if tensor.grad_fn is not None:
        notes.append(f"grad_fn={tensor.grad_fn}")
    elif tensor.requires_grad:
        notes.append("requires_grad=True")
    text = prefix + text
    column = len(text) - text.rfind("\n") + 1
    for note in notes:
        if column + len(note) + 2 > options.linewidth:
            text += f",\n{' ' * len(prefix)}{note}"
            column = len(prefix) + len(note)
        else:
            text += f", {note}"
            column += len(note) + 2
    return text + ")"
