"""Random tensors from one generator, the same numbers on every rung."""

from __future__ import annotations

from typing import Any

import numpy

from kael import dtypes
from kael.autograd.leaf import requires_grad_
from kael.dtypes import DType
from kael.ops.shape import sizes
from kael.tensors import Tensor, fresh


class Generator:
    """A source of random numbers: NumPy's PCG64.

    Parameters
    ----------
    seed : int, optional
        Where the sequence begins; unpredictable when left out.
    """

    __slots__ = ("_numpy", "_seed")

    def __init__(self, seed: int | None = None) -> None:
        self._seed = seed
        self._numpy: numpy.random.Generator | None = None

    @property
    def numpy(self) -> numpy.random.Generator:
        """NumPy's generator, made at first use: `import kael` does not pay for NumPy's random numbers."""
        if self._numpy is None:
            self._numpy = numpy.random.Generator(numpy.random.PCG64(self._seed))
        return self._numpy

    def manual_seed(self, seed: int) -> Generator:
        """Begin the sequence of this seed."""
        self._seed, self._numpy = seed, None
        return self


default_generator = Generator()


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


def finished(array: Any, dtype: DType, requires_grad: bool) -> Tensor:
    """The drawn numbers as a tensor."""
    result = fresh(numpy.asarray(array, dtype.numpy), dtype)
    if requires_grad:
        requires_grad_(result)
    return result


def rand(
    *shape: Any, dtype: DType | None = None, requires_grad: bool = False, generator: Generator | None = None
) -> Tensor:
    """Uniform numbers from 0 to before 1."""
    source = generator or default_generator
    return finished(source.numpy.random(sizes(shape)), dtype or dtypes.default, requires_grad)


def randn(
    *shape: Any, dtype: DType | None = None, requires_grad: bool = False, generator: Generator | None = None
) -> Tensor:
    """Normal numbers of mean 0 and variance 1."""
    source = generator or default_generator
    return finished(source.numpy.standard_normal(sizes(shape)), dtype or dtypes.default, requires_grad)


def randint(low: int, high: int, size: Any, dtype: DType | None = None, generator: Generator | None = None) -> Tensor:
    """Integers from `low` to before `high`."""
    source = generator or default_generator
    return finished(source.numpy.integers(low, high, sizes((size,))), dtype or dtypes.int64, False)


def randperm(n: int, generator: Generator | None = None) -> Tensor:
    """The integers from 0 to before `n` in random order."""
    source = generator or default_generator
    return finished(source.numpy.permutation(n), dtypes.int64, False)
