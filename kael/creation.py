"""Making tensors: from numbers and arrays, filled, in steps."""

from __future__ import annotations

import math
from typing import Any

import numpy

from kael import devices, dtypes
from kael.dtypes import DType, from_numpy_dtype
from kael.ops.dispatch import cast, default_dtype
from kael.ops.making import asked, check_dtype, filled, filled_like, made
from kael.ops.splitting import whole
from kael.tensors import Tensor, fresh


def tensor(data: Any, dtype: DType | None = None, requires_grad: bool = False, device: Any = None) -> Tensor:
    """A new leaf with a copy of the data.

    Parameters
    ----------
    data : number, nested sequence, NumPy array or Tensor
        The elements. Floats become float32 and integers int64, unless they come from an array or tensor with a dtype
        of its own.
    dtype : DType, optional
        The element type.
    requires_grad : bool
        Differentiate with respect to it.
    device : str or device, optional
        The CPU.

    Raises
    ------
    ValueError
        For nested sequences of uneven lengths.
    TypeError
        For text, complex numbers, objects.
    RuntimeError
        For a number that an integer dtype cannot hold, and for another device than the CPU.

    Examples
    --------
    >>> import kael
    >>> kael.tensor([[1, 2], [3, 4.5]])
    tensor([[1.0000, 2.0000],
            [3.0000, 4.5000]])
    """
    return made("tensor", data, dtype, device, requires_grad)


def as_tensor(data: Any, dtype: DType | None = None, device: Any = None) -> Tensor:
    """The data as a tensor; a tensor of the dtype asked for is given back as it is."""
    devices.check("as_tensor", device)
    if isinstance(data, Tensor):
        return data if dtype is None else cast(data, dtype)
    return from_numpy(data) if isinstance(data, numpy.ndarray) and dtype is None else tensor(data, dtype)


def scalar_tensor(s: Any, dtype: DType | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A number as a 0-d tensor; float32 unless a dtype is given."""
    return tensor(s, dtypes.default if dtype is None else dtype, requires_grad, device)


def from_numpy(array: Any) -> Tensor:
    """A tensor on the memory of a NumPy array. Writes through the array are not seen by the version counter.

    Raises
    ------
    TypeError
        For something else than an array, and for dtypes that kael has not.
    ValueError
        For an array that is read-only, not of the machine's byte order, or not aligned to its element size.
    """
    if not isinstance(array, numpy.ndarray):
        raise TypeError(f"from_numpy: expected a NumPy array, got {type(array).__name__}; use kael.tensor")
    dtype = from_numpy_dtype(array.dtype, "from_numpy")
    if not array.dtype.isnative:
        raise ValueError("from_numpy: the array is not in the machine's byte order; use kael.tensor, which copies")
    if not array.flags.aligned:
        raise ValueError("from_numpy: the array is not aligned to its element size; use kael.tensor, which copies")
    if not array.flags.writeable:
        raise ValueError("from_numpy: the array is read-only; use kael.tensor, which copies")
    own = array.view(numpy.ndarray)  # whoever sets the shape of `array` later leaves the tensor's alone
    return fresh(own, dtype)


def zeros(
    *shape: Any, size: Any = None, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of zeros; float32 unless a dtype is given."""
    return filled("zeros", asked("zeros", shape, size), 0, dtype, device, requires_grad)


def ones(
    *shape: Any, size: Any = None, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of ones; float32 unless a dtype is given."""
    return filled("ones", asked("ones", shape, size), 1, dtype, device, requires_grad)


def empty(
    *shape: Any, size: Any = None, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor whose elements are whatever the memory held."""
    return filled("empty", asked("empty", shape, size), None, dtype, device, requires_grad)


def full(
    size: Any, fill_value: Any, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of one repeated value, in the value's dtype unless one is given."""
    value, kind = number("full", fill_value)
    return filled("full", asked("full", (size,), None), value, kind if dtype is None else dtype, device, requires_grad)


def number(operation: str, value: Any) -> tuple[Any, DType]:
    """A number, or the one in a 0-d tensor, and its dtype."""
    if isinstance(value, Tensor):
        return value.item(), value.dtype
    return value, default_dtype(value, operation)


def zeros_like(x: Tensor, dtype: DType | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Zeros of the shape and dtype of `x`."""
    return filled_like("zeros_like", x, 0, dtype, device, requires_grad)


def ones_like(x: Tensor, dtype: DType | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Ones of the shape and dtype of `x`."""
    return filled_like("ones_like", x, 1, dtype, device, requires_grad)


def empty_like(x: Tensor, dtype: DType | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of the shape and dtype of `x` whose elements are whatever the memory held."""
    return filled_like("empty_like", x, None, dtype, device, requires_grad)


def full_like(
    x: Tensor, fill_value: Any, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """One repeated value in the shape and dtype of `x`."""
    return filled_like("full_like", x, number("full_like", fill_value)[0], dtype, device, requires_grad)


def arange(
    start: Any = None, end: Any = None, step: Any = 1, dtype: DType | None = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """The numbers from `start` to before `end` in equal steps; with one argument from 0 to before it.

    They are int64 where all three are integers, else of the default floating-point dtype.

    Raises
    ------
    RuntimeError
        For a step of 0 or away from `end`, and for a range without an end.
    NotImplementedError
        For bool.
    TypeError
        For something else than numbers.
    """
    if end is None:
        start, end = 0, start
    elif start is None:
        start = 0
    devices.check("arange", device)
    check_dtype("arange", dtype)
    (start, _), (end, _), (step, _) = pairs = [number("arange", value) for value in (start, end, step)]
    if dtype is None:
        floating = any(kind.is_floating_point for _, kind in pairs)
        dtype = dtypes.default if floating else dtypes.int64
    if dtype is dtypes.bool:
        raise NotImplementedError("arange: there are no steps in bool; compare a range of integers instead")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"arange: unsupported range: {start} -> {end}")
    if step == 0:
        raise RuntimeError("arange: step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError(
            f"arange: upper bound and lower bound inconsistent with step sign: {start} to {end} by {step}"
        )
    whole_numbers = all(isinstance(value, (int, numpy.integer)) for value in (start, end, step))
    count = -((start - end) // step) if whole_numbers else math.ceil((end - start) / step)
    if dtype.category == 1 and not whole_numbers:
        start, step = int(start), int(step)
    steps = numpy.arange(int(count), dtype=numpy.int64)
    return tensor(steps * step + start, dtype, requires_grad)


def linspace(
    start: Any, end: Any, steps: int, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """`steps` numbers from `start` to `end`, both included, at equal distances.

    Raises
    ------
    RuntimeError
        For a negative number of steps.
    """
    return spaced("linspace", start, end, steps, None, dtype, device, requires_grad)


def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, dtype: DType | None = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """`base` to the power of `steps` numbers from `start` to `end`, both included, at equal distances.

    Raises
    ------
    RuntimeError
        For a negative number of steps.
    """
    return spaced("logspace", start, end, steps, base, dtype, device, requires_grad)


def spaced(
    operation: str, start: Any, end: Any, steps: Any, base: float | None, dtype: DType | None, device: Any,
    requires_grad: bool,
) -> Tensor:  # fmt: skip
    """What `linspace` and `logspace` share; counted from the nearer end, so that both ends are exact."""
    check_dtype(operation, dtype)
    devices.check(operation, device)
    dtype = dtypes.default if dtype is None else dtype
    count = whole(steps, f"{operation}: steps")
    if count < 0:
        raise RuntimeError(f"{operation}: number of steps must be non-negative, got {count}")
    first, last = float(number(operation, start)[0]), float(number(operation, end)[0])
    distance = (last - first) / (count - 1) if count > 1 else 0.0
    places = numpy.arange(count, dtype=numpy.float64)
    values = numpy.where(places < count / 2, first + distance * places, last - distance * (count - 1 - places))
    with numpy.errstate(all="ignore"):
        if base is not None:
            values = numpy.power(float(base), values)
        return tensor(values, dtype, requires_grad)


def eye(
    n: int, m: int | None = None, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """The identity matrix, or its upper left part; RuntimeError for negative sizes."""
    check_dtype("eye", dtype)
    devices.check("eye", device)
    rows = whole(n, "eye: n")
    columns = rows if m is None else whole(m, "eye: m")
    for name, size in (("n", rows), ("m", columns)):
        if size < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {size}")
    return tensor(numpy.eye(rows, columns), dtypes.default if dtype is None else dtype, requires_grad)


def triangle_indices(operation: str, row: Any, col: Any, kept: Any, dtype: DType | None, device: Any) -> Tensor:
    """The places of a triangle of a matrix as rows and columns."""
    check_dtype(operation, dtype)
    devices.check(operation, device)
    rows, columns = whole(row, f"{operation}: row"), whole(col, f"{operation}: col")
    for name, size in (("row", rows), ("col", columns)):
        if size < 0:
            raise RuntimeError(f"{name} must be non-negative, got {size}")
    return tensor(numpy.stack(numpy.nonzero(kept(rows, columns))), dtypes.int64 if dtype is None else dtype)


def tril_indices(row: int, col: int, offset: int = 0, dtype: DType | None = None, device: Any = None) -> Tensor:
    """Row and column numbers of the places on and below a diagonal, row by row, as two rows."""
    return triangle_indices("tril_indices", row, col, lambda r, c: numpy.tri(r, c, offset, bool), dtype, device)


def triu_indices(row: int, col: int, offset: int = 0, dtype: DType | None = None, device: Any = None) -> Tensor:
    """Row and column numbers of the places on and above a diagonal, row by row, as two rows."""
    return triangle_indices("triu_indices", row, col, lambda r, c: ~numpy.tri(r, c, offset - 1, bool), dtype, device)


def is_tensor(obj: Any) -> bool:
    """Whether something is a tensor."""
    return isinstance(obj, Tensor)


def get_default_dtype() -> DType:
    """The dtype that floating-point numbers get where none is given."""
    return dtypes.default


def set_default_dtype(d: DType) -> None:
    """Set the dtype that floating-point numbers get where none is given.

    Raises
    ------
    TypeError
        For a dtype that is not floating point.
    """
    check_dtype("set_default_dtype", d)
    if not isinstance(d, DType) or not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    dtypes.default = d
