"""Random numbers drawn into tensors and from tensors of parameters. What is drawn has no history.

The numbers are NumPy's and never a kernel's, so that they are the same on every rung.
"""

from __future__ import annotations

import math
from typing import Any

import numpy

from kael import dtypes
from kael.dtypes import DType
from kael.generators import source
from kael.ops.dispatch import as_tensor, common_shape
from kael.ops.inplace import check_grad_rules, check_writable
from kael.ops.making import asked, check_dtype
from kael.tensors import Tensor, fresh


def check_floating(operation: str, dtype: DType) -> None:
    """Refuse integers where the numbers drawn are fractions."""
    if not dtype.is_floating_point:
        raise NotImplementedError(f"{operation}: a floating-point dtype is needed, got {dtype.name}")


def fractions(shape: tuple[int, ...], dtype: DType, generator: Any, low: float = 0.0, high: float = 1.0) -> Any:
    """Uniform numbers from `low` to before `high`, also where the dtype would round one up to `high`."""
    array = numpy.asarray(source(generator).random(shape))
    if (low, high) != (0.0, 1.0):
        array = array * (high - low) + low
    if dtype.itemsize < 8 or high != 1.0:
        array = numpy.asarray(array, dtype.numpy)
        if low < high:
            array = numpy.minimum(array, numpy.nextafter(dtype.numpy.type(high), dtype.numpy.type(low)))
    return array


def drawn(x: Tensor, array: Any) -> Tensor:
    """Write drawn numbers into a tensor and count the write."""
    with numpy.errstate(all="ignore"):
        x.array[...] = array
    x.storage.version += 1
    return x


def check_written(x: Tensor, name: str) -> None:
    """Refuse what cannot be written in place."""
    check_grad_rules(x, None, name)
    check_writable(x.array, name)


def uniform_(x: Tensor, low: float = 0.0, high: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with uniform numbers from `low` to before `high`, in place.

    Raises
    ------
    RuntimeError
        When `low` lies above `high`, or a bound beyond the dtype.
    """
    check_written(x, "uniform_")
    check_floating("uniform_", x.dtype)
    largest = float(numpy.finfo(x.dtype.numpy).max)
    for name, bound in (("from", low), ("to", high)):
        if not abs(bound) <= largest:
            raise RuntimeError(f"uniform_: {name}={bound} is out of bounds for {x.dtype.name}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low} > to={high}")
    return drawn(x, fractions(x.array.shape, x.dtype, generator, low, high))


def normal_(x: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with normal numbers of a mean and a standard deviation, in place.

    Raises
    ------
    RuntimeError
        For a negative standard deviation.
    """
    check_written(x, "normal_")
    check_floating("normal_", x.dtype)
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
    return drawn(x, source(generator).standard_normal(x.array.shape) * std + mean)


def exponential_(x: Tensor, lambd: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with exponential numbers of a rate, in place; their mean is ``1 / lambd``.

    Raises
    ------
    RuntimeError
        For a rate that is not above 0.
    """
    check_written(x, "exponential_")
    check_floating("exponential_", x.dtype)
    if not lambd > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd}")
    return drawn(x, source(generator).standard_exponential(x.array.shape) / lambd)


def coins(operation: str, p: Any, shape: tuple[int, ...], generator: Any) -> Any:
    """Which of the coins, each of its probability, came up heads.

    Raises
    ------
    RuntimeError
        When a probability is nan or outside 0 to 1.
    """
    chances = p.array if isinstance(p, Tensor) else numpy.asarray(p, numpy.float64)
    if chances.size and not (chances.min() >= 0 and chances.max() <= 1):
        wrong = chances[~((chances >= 0) & (chances <= 1))]
        raise RuntimeError(f"{operation} expects p to be in [0, 1], but got p={wrong.flat[0]}")
    return source(generator).random(shape) < chances


def bernoulli_(x: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """Fill with 1 where a coin of probability `p` came up heads and 0 elsewhere, in place.

    Raises
    ------
    RuntimeError
        When a probability is nan or outside 0 to 1.
    """
    check_written(x, "bernoulli_")
    return drawn(x, coins("bernoulli_", p, x.array.shape, generator))


def bernoulli(x: Tensor, p: float | None = None, *, generator: Any = None) -> Tensor:
    """1 where a coin came up heads, 0 elsewhere: each element of `x` is a probability, or `p` is that of all.

    Parameters
    ----------
    x : Tensor
        Probabilities; with `p`, only its shape and dtype count.
    p : float, optional
        The probability of all.
    generator : Generator, optional
        Where the numbers come from.

    Raises
    ------
    RuntimeError
        When a probability is nan or outside 0 to 1.
    """
    x = as_tensor(x, "bernoulli")
    if p is None:
        check_floating("bernoulli", x.dtype)
    heads = coins("bernoulli", x if p is None else p, x.array.shape, generator)
    return fresh(numpy.asarray(heads).astype(x.dtype.numpy), x.dtype)


def normal(
    mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, dtype: DType | None = None, device: Any = None,
    requires_grad: bool = False, generator: Any = None,
) -> Tensor:  # fmt: skip
    """Normal numbers, each of its own mean and standard deviation or all of one.

    Parameters
    ----------
    mean, std : float or Tensor
        Tensors broadcast; the result has the dtype of the mean, or else of the deviation.
    size : int or sequence of int
        The shape, where both are numbers.
    dtype : DType, optional
        The dtype, where both are numbers.
    device, requires_grad
        As for `kael.zeros`.
    generator : Generator, optional
        Where the numbers come from.

    Raises
    ------
    RuntimeError
        For a negative standard deviation.
    TypeError
        For two numbers without a size.
    """
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        dtype = mean.dtype if isinstance(mean, Tensor) else std.dtype
        middle, spread = as_tensor(mean, "normal"), as_tensor(std, "normal")
        shape = common_shape(middle.array.shape, spread.array.shape)
        check_floating("normal", dtype)
        if spread.array.size and not spread.array.min() >= 0:
            raise RuntimeError("normal expects all elements of std >= 0.0")
        array = source(generator).standard_normal(shape) * spread.array + middle.array
        return fresh(numpy.asarray(array, dtype.numpy), dtype)
    check_dtype("normal", dtype)
    dtype = dtypes.default if dtype is None else dtype
    shape = asked("normal", () if size is None else (size,), None)
    result = normal_(fresh(numpy.empty(shape, dtype.numpy), dtype), mean, std, generator=generator)
    return result.requires_grad_() if requires_grad else result


def multinomial(x: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """Indices drawn with probabilities in proportion to weights.

    Parameters
    ----------
    x : Tensor
        Weights: one row or several. They need not add up to 1.
    num_samples : int
        How many indices to draw from each row.
    replacement : bool
        Whether an index may be drawn again.
    generator : Generator, optional
        Where the numbers come from.

    Returns
    -------
    Tensor
        int64, of `num_samples` per row.

    Raises
    ------
    RuntimeError
        For weights that are negative, infinite, nan, integers or all 0 in a row, for other than one or two axes, and
        for more indices than there are without replacement.

    Notes
    -----
    Without replacement each index gets the time at which its exponential clock rings, and the first ones are drawn.

    Examples
    --------
    >>> import kael
    >>> kael.multinomial(kael.tensor([0.0, 3.0, 0.0]), 2, replacement=True)
    tensor([1, 1])
    """
    x = as_tensor(x, "multinomial")
    weights = x.array
    if weights.ndim not in (1, 2) or weights.shape[-1] == 0:
        raise RuntimeError(f"multinomial: prob_dist must be 1 or 2 dim, with at least one weight a row, got {x.shape}")
    if not x.dtype.is_floating_point:
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {x.dtype.name}")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > weights.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    weights = weights.astype(numpy.float64)
    if weights.size and not (weights.min() >= 0 and weights.max() < math.inf):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    sums = weights.cumsum(-1)
    if not (sums[..., -1] > 0).all():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    if replacement:
        places = source(generator).random((*weights.shape[:-1], num_samples)) * sums[..., -1:]
        found = numpy.empty(places.shape, numpy.int64)
        for row in numpy.ndindex(weights.shape[:-1]):
            last = numpy.searchsorted(sums[row], sums[row][-1])
            found[row] = numpy.minimum(numpy.searchsorted(sums[row], places[row], "right"), last)
        return fresh(found, dtypes.int64)
    clocks = source(generator).standard_exponential(weights.shape)
    with numpy.errstate(all="ignore"):
        times = numpy.where(weights > 0, clocks / weights, math.inf)
    order = numpy.argsort(times, -1, kind="stable")[..., :num_samples]
    return fresh(numpy.ascontiguousarray(order, numpy.int64), dtypes.int64)


FUNCTIONS = (
    bernoulli,
    multinomial,
    normal,
)
METHODS = (
    bernoulli,
    bernoulli_,
    exponential_,
    multinomial,
    normal_,
    uniform_,
)
