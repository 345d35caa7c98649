"""Pictures of memory, drawn from a tensor or array as it stands: which cell of the storage each index reads.

They are SVG in HTML with the same said in words, so that a page, a notebook and a screen reader can show them.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["MemoryPicture", "bytes_picture", "storage_picture"]

MOST = 36
CHARACTER = 8.0
HEIGHT = 38.0
LINE = 20.0
GAP = 14.0
SPAN = 66.0
EDGE = 6.0


class MemoryPicture:
    """A picture and the words for it; shown as HTML where HTML is shown.

    Attributes
    ----------
    words : str
        What the picture shows, as sentences.
    svg : str
        The picture.
    """

    def __init__(self, parts: Sequence[str], width: float, height: float, words: str) -> None:
        self.words = words
        self.svg = (
            f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" role="img" aria-label="{escape(words)}" '
            'style="font:13px ui-monospace,monospace;fill:currentColor;stroke:none">' + "".join(parts) + "</svg>"
        )

    def _repr_html_(self) -> str:
        return (
            '<div class="kael-figure" style="overflow-x:auto" tabindex="0" role="group" aria-label="Picture of memory">'
            f"{self.svg}</div>"
        )

    def __repr__(self) -> str:
        return self.words


class Mapping:
    """Where each element of a tensor or array lies in the memory that it shares with its views.

    Attributes
    ----------
    view, memory : ndarray
        The elements through shape and strides, and the whole storage as one row of cells.
    strides : tuple of int
        Steps in elements.
    first : int
        Cell of the first element.
    version : int or None
        The storage's version counter; None for a NumPy array, which has none.

    Raises
    ------
    ValueError
        When the storage is not one piece of memory, or holds elements of another type.
    """

    def __init__(self, tensor: Any) -> None:
        storage = getattr(tensor, "storage", None)
        self.view: NDArray[Any] = tensor if storage is None else tensor.array
        owner: Any = self.view if storage is None else storage.array
        while storage is None and isinstance(owner.base, np.ndarray):
            owner = owner.base
        memory = owner.ravel(order="K")
        if not np.shares_memory(memory, owner) and owner.size:
            raise ValueError("storage_picture: the storage is not one piece of memory; draw the array that owns it")
        if memory.dtype != self.view.dtype:
            raise ValueError(
                f"storage_picture: the elements are {self.view.dtype} but those of the storage {memory.dtype}; "
                "draw the array that owns it"
            )
        self.memory: NDArray[Any] = memory
        self.version: int | None = None if storage is None else storage.version
        size = self.view.itemsize
        self.strides = tuple(step // size for step in self.view.strides)
        self.first = (_address(self.view) - _address(memory)) // size

    @property
    def indices(self) -> list[tuple[int, ...]]:
        """The indices in row-major order."""
        return list(np.ndindex(*self.view.shape))

    @property
    def offsets(self) -> list[int]:
        """Per index, the cell that it reads."""
        return [self.first + sum(k * s for k, s in zip(index, self.strides, strict=True)) for index in self.indices]


def storage_picture(**tensors: Any) -> MemoryPicture:
    """One storage and the tensors that read it: a cell per index, and a line to the cell of the storage that it reads.

    Parameters
    ----------
    **tensors : Tensor or ndarray
        One or two, by the names they get in the picture. Two have to share their memory; the second stands below.

    Returns
    -------
    MemoryPicture
        A cell of a tensor has its value and index, a cell of the storage its value and offset. Cells of the storage
        that no tensor of the picture reads are dashed.

    Raises
    ------
    ValueError
        When there are more than two tensors, two without shared memory, or too many cells for a picture.

    Examples
    --------
    >>> import numpy as np
    >>> print(storage_picture(x=np.arange(4)[1:3]).words)
    x has shape (2,), strides (1,), offset 1; its elements in order read cells 1, 2. Storage of 4 int64: 0, 1, 2, 3. \
Not read: cells 0, 3.
    """
    if not 1 <= len(tensors) <= 2:
        raise ValueError(f"storage_picture: {len(tensors)} tensors were given; a picture shows one or two")
    mapped = {name: Mapping(tensor) for name, tensor in tensors.items()}
    (title, upper), *rest = mapped.items()
    if any(_address(other.memory) != _address(upper.memory) for _, other in rest):
        raise ValueError(f"storage_picture: {title} and {rest[0][0]} do not share their memory; draw them apart")
    for name, each in mapped.items():
        most = max(each.view.size, each.memory.size)
        if most > MOST:
            raise ValueError(f"storage_picture: {name} needs {most} cells; a picture has room for {MOST}")

    cell = _cell_width([*upper.memory.tolist()], [",".join(map(str, i)) for m in mapped.values() for i in m.indices])
    heads = {name: _head(name, each) for name, each in mapped.items()}
    foot = _foot(upper)
    rows = {name: _row(each, cell) for name, each in mapped.items()}
    strip = cell * upper.memory.size
    widest = max([strip, *(CHARACTER * len(text) for text in (*heads.values(), foot)), *(w for _, w in rows.values())])
    width = widest + 2 * EDGE

    parts, y = [], LINE
    read = {offset for each in mapped.values() for offset in each.offsets}
    left = (width - strip) / 2
    floor = LINE + EDGE + HEIGHT + SPAN
    for number, (name, each) in enumerate(mapped.items()):
        above = number == 0
        places, extent = rows[name]
        start = (width - extent) / 2
        top = y + EDGE if above else floor + HEIGHT + SPAN
        parts.append(_text(width / 2, y if above else top + HEIGHT + LINE - 2, heads[name], weight="bold"))
        for index, offset, x in zip(each.indices, each.offsets, places, strict=True):
            label = ",".join(map(str, index))
            parts.append(_box(start + x, top, cell, _value(each.memory[offset]), label, read=True))
            ends = (top + HEIGHT, floor) if above else (top, floor + HEIGHT)
            parts.append(_link(start + x + cell / 2, ends[0], left + (offset + 0.5) * cell, ends[1]))
    for offset, value in enumerate(upper.memory.tolist()):
        parts.append(_box(left + offset * cell, floor, cell, _value(value), str(offset), read=offset in read))
    bottom = floor + HEIGHT + (LINE if len(mapped) == 1 else SPAN + HEIGHT + 2 * LINE + EDGE)
    parts.append(_text(width / 2, bottom - 2, foot))
    return MemoryPicture(parts, width, bottom + EDGE, _in_words(mapped, upper, read))


def bytes_picture(tensor: Any) -> MemoryPicture:
    """The elements of a tensor or array with the bytes that each is made of, in the order in which they lie in memory.

    Parameters
    ----------
    tensor : Tensor or ndarray
        At most 36 bytes.

    Returns
    -------
    MemoryPicture
        A wide cell per element, and below it its bytes in hexadecimal with their place in the storage.

    Raises
    ------
    ValueError
        When there are too many bytes for a picture.

    Examples
    --------
    >>> import numpy as np
    >>> print(bytes_picture(np.array([1, 258], dtype="<i2")).words)
    2 elements of int16, 2 bytes each: 1 is 01 00; 258 is 02 01.
    """
    elements = np.asarray(getattr(tensor, "array", tensor)).ravel()
    if elements.nbytes > MOST:
        raise ValueError(f"bytes_picture: {elements.nbytes} bytes were given; a picture has room for {MOST}")
    size, cell = elements.itemsize, 3 * CHARACTER + 4
    parts, told = [], []
    for number, value in enumerate(elements):
        left = EDGE + number * (size * cell + GAP)
        parts.append(_box(left, EDGE, size * cell, _value(value), f"[{number}]", read=True))
        raw = [f"{byte:02x}" for byte in value.tobytes()]
        for place, byte in enumerate(raw):
            parts.append(_box(left + place * cell, EDGE + HEIGHT, cell, byte, str(number * size + place), read=True))
        told.append(f"{_value(value)} is {' '.join(raw)}")
    words = f"{elements.size} elements of {elements.dtype}, {size} bytes each: {'; '.join(told)}."
    width = 2 * EDGE + elements.size * (size * cell + GAP) - GAP
    return MemoryPicture(parts, width, 2 * EDGE + 2 * HEIGHT, words)


def _address(array: NDArray[Any]) -> int:
    return int(array.__array_interface__["data"][0])


def _value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float | np.floating) else str(value)


def _cell_width(values: Sequence[Any], labels: Sequence[str]) -> float:
    longest = max([3, *(len(_value(value)) for value in values), *(0.85 * len(label) for label in labels)])
    return CHARACTER * longest + 16


def _row(mapped: Mapping, cell: float) -> tuple[list[float], float]:
    """Left edge of each element's cell, with a gap behind each row and a wider one behind each block; the extent."""
    shape = mapped.view.shape
    places, x = [], 0.0
    for count in range(mapped.view.size):
        closed = sum(count % prod(shape[axis:]) == 0 for axis in range(1, len(shape))) if count else 0
        x += GAP * closed
        places.append(x)
        x += cell
    return places, x


def _head(name: str, mapped: Mapping) -> str:
    return f"{name}: shape {mapped.view.shape}, strides {mapped.strides}, offset {mapped.first}"


def _foot(mapped: Mapping) -> str:
    size = mapped.memory.size
    counter = "" if mapped.version is None else f", version {mapped.version}"
    return f"storage: {size} × {mapped.memory.dtype} = {mapped.memory.nbytes} bytes{counter}"


def _in_words(mapped: dict[str, Mapping], upper: Mapping, read: set[int]) -> str:
    said = [
        f"{name} has shape {each.view.shape}, strides {each.strides}, offset {each.first}; "
        f"its elements in order read cells {', '.join(map(str, each.offsets)) or 'none'}."
        for name, each in mapped.items()
    ]
    values = ", ".join(_value(value) for value in upper.memory.tolist())
    counter = "" if upper.version is None else f", version {upper.version}"
    said.append(f"Storage of {upper.memory.size} {upper.memory.dtype}{counter}: {values}.")
    rest = [str(offset) for offset in range(upper.memory.size) if offset not in read]
    return " ".join([*said, f"Not read: cells {', '.join(rest)}."] if rest else said)


def _box(x: float, y: float, width: float, value: str, label: str, *, read: bool) -> str:
    """A cell: its value, and below it, smaller, its index or place."""
    drawn = 'stroke="currentColor"' + ("" if read else ' stroke-dasharray="3 3"')
    middle = x + width / 2
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{HEIGHT:.0f}" fill="currentColor" '
        f'fill-opacity="{0.09 if read else 0}" {drawn}/>'
        f"{_text(middle, y + 17, value)}"
        f'<text x="{middle:.1f}" y="{y + 32:.1f}" text-anchor="middle" font-size="11" opacity="0.8">'
        f"{escape(label)}</text>"
    )


def _text(x: float, y: float, words: str, weight: str = "normal") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" font-weight="{weight}">{escape(words)}</text>'


def _link(x0: float, y0: float, x1: float, y1: float) -> str:
    middle = (y0 + y1) / 2
    return (
        f'<path d="M{x0:.1f} {y0:.1f}C{x0:.1f} {middle:.1f} {x1:.1f} {middle:.1f} {x1:.1f} {y1:.1f}" '
        'fill="none" stroke="currentColor" opacity="0.65"/>'
    )
