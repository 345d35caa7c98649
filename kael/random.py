"""Random tensors from one generator, the same numbers on every rung."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy

from kael import devices, dtypes
from kael.autograd.leaf import requires_grad_
from kael.dtypes import DType
from kael.generators import Generator, default_generator, source
from kael.ops.drawing import check_floating, fractions
from kael.ops.making import asked, check_dtype, check_fits, filled_like
from kael.tensors import Tensor, fresh


def manual_seed(seed: int) -> Generator:
    """Begin the sequence of this seed in the default generator.

    Examples
    --------
    >>> import kael
    >>> _ = kael.manual_seed(0)
    >>> first = kael.randn(3)
    >>> _ = kael.manual_seed(0)
    >>> bool((kael.randn(3) == first).array.all())
    True
    """
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Begin a sequence that nobody can predict in the default generator; its seed comes back."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed with which the default generator's sequence began."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Where the default generator's sequence is, as a tensor of bytes for `set_rng_state`."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Let the default generator go on from where it was when `get_rng_state` was called."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(enabled: bool = True) -> Iterator[None]:
    """A block after which the default generator goes on as if it had drawn nothing in it."""
    state = get_rng_state()
    try:
        yield
    finally:
        if enabled:
            set_rng_state(state)


def finished(
    operation: str, array: Any, dtype: DType, requires_grad: bool, device: Any = None, like: Tensor | None = None
) -> Tensor:
    """The drawn numbers as a tensor."""
    devices.check(operation, device)
    if like is None:
        result = fresh(numpy.asarray(array, dtype.numpy), dtype)
    else:
        result = filled_like(operation, like, None, dtype, device, False)
        result.array[...] = array
    if requires_grad:
        requires_grad_(result)
    return result


def fraction_dtype(operation: str, dtype: DType | None, otherwise: DType) -> DType:
    """The dtype of a result that holds fractions."""
    check_dtype(operation, dtype)
    dtype = otherwise if dtype is None else dtype
    check_floating(operation, dtype)
    return dtype


def rand(
    *shape: Any, size: Any = None, dtype: DType | None = None, device: Any = None, requires_grad: bool = False,
    generator: Generator | None = None,
) -> Tensor:  # fmt: skip
    """Uniform numbers from 0 to before 1."""
    dtype = fraction_dtype("rand", dtype, dtypes.default)
    return finished("rand", fractions(asked("rand", shape, size), dtype, generator), dtype, requires_grad, device)


def randn(
    *shape: Any, size: Any = None, dtype: DType | None = None, device: Any = None, requires_grad: bool = False,
    generator: Generator | None = None,
) -> Tensor:  # fmt: skip
    """Normal numbers of mean 0 and variance 1."""
    dtype = fraction_dtype("randn", dtype, dtypes.default)
    array = source(generator).standard_normal(asked("randn", shape, size))
    return finished("randn", array, dtype, requires_grad, device)


def between(
    operation: str, low: Any, high: Any, shape: tuple[int, ...], dtype: DType | None, otherwise: DType,
    generator: Generator | None,
) -> tuple[Any, DType]:  # fmt: skip
    """Integers from `low` to before `high`, and their dtype.

    Raises
    ------
    RuntimeError
        When there is no integer between the bounds, or the dtype does not hold them.
    TypeError
        When a bound is no integer.
    """
    check_dtype(operation, dtype)
    dtype = otherwise if dtype is None else dtype
    for bound in (low, high):
        if not isinstance(bound, (int, numpy.integer)):
            raise TypeError(f"{operation}: the bounds must be integers, got {type(bound).__name__}")
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if dtype.category == 1:
        bounds = numpy.iinfo(dtype.numpy)
        for name, bound in (("from", low), ("to - 1", high - 1)):
            if not bounds.min <= bound <= bounds.max:
                raise RuntimeError(f"{name} is out of bounds for {dtype.name}")
    return source(generator).integers(low, high, shape), dtype


def randint(
    *bounds: Any, low: Any = None, high: Any = None, size: Any = None, dtype: DType | None = None, device: Any = None,
    requires_grad: bool = False, generator: Generator | None = None,
) -> Tensor:  # fmt: skip
    """Integers from `low` (0 where it is left out) to before `high`: ``randint([low,] high, size)``.

    Raises
    ------
    RuntimeError
        When there is no integer between the bounds, or the dtype does not hold them.
    TypeError
        When bounds or size are missing or no integers.

    Examples
    --------
    >>> import kael
    >>> kael.randint(3, 4, (2,)), kael.randint(1, (2,))
    (tensor([3, 3]), tensor([0, 0]))
    """
    given = list(bounds)
    if size is None and given:
        size = given.pop()
    if high is None and given:
        high = given.pop()
    if low is None:
        low = given.pop() if given else 0
    if given or size is None or high is None:
        raise TypeError("randint: expected randint(high, size) or randint(low, high, size)")
    array, dtype = between("randint", low, high, asked("randint", (), size), dtype, dtypes.int64, generator)
    return finished("randint", array, dtype, requires_grad, device)


def randperm(
    n: int, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False,
    generator: Generator | None = None,
) -> Tensor:  # fmt: skip
    """The integers from 0 to before `n` in random order; RuntimeError for a negative `n`."""
    check_dtype("randperm", dtype)
    (count,) = asked("randperm", (n,), None)
    dtype = dtypes.int64 if dtype is None else dtype
    check_fits(numpy.asarray(max(count - 1, 0)), dtype)
    return finished("randperm", source(generator).permutation(count), dtype, requires_grad, device)


def rand_like(
    x: Tensor, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False,
    generator: Generator | None = None,
) -> Tensor:  # fmt: skip
    """Uniform numbers from 0 to before 1 in the shape and dtype of `x`."""
    dtype = fraction_dtype("rand_like", dtype, x.dtype)
    return finished("rand_like", fractions(x.array.shape, dtype, generator), dtype, requires_grad, device, x)


def randn_like(
    x: Tensor, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False,
    generator: Generator | None = None,
) -> Tensor:  # fmt: skip
    """Normal numbers of mean 0 and variance 1 in the shape and dtype of `x`."""
    dtype = fraction_dtype("randn_like", dtype, x.dtype)
    return finished("randn_like", source(generator).standard_normal(x.array.shape), dtype, requires_grad, device, x)


def randint_like(
    x: Tensor, *bounds: Any, low: Any = None, high: Any = None, dtype: DType | None = None, device: Any = None,
    requires_grad: bool = False, generator: Generator | None = None,
) -> Tensor:  # fmt: skip
    """Integers from `low` (0 where it is left out) to before `high` in the shape and dtype of `x`."""
    given = list(bounds)
    if high is None and given:
        high = given.pop()
    if low is None:
        low = given.pop() if given else 0
    if given or high is None:
        raise TypeError("randint_like: expected randint_like(x, high) or randint_like(x, low, high)")
    array, dtype = between("randint_like", low, high, x.array.shape, dtype, x.dtype, generator)
    return finished("randint_like", array, dtype, requires_grad, device, x)
