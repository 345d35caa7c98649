"""Vectors of length 1: made of others, compared with each other, and those that stand for classes."""

from __future__ import annotations

from typing import Any

import numpy

from kael import dtypes
from kael.ops.dispatch import as_tensor, promoted
from kael.ops.elementwise import clamp_min, div, mul
from kael.ops.inplace import copy_
from kael.ops.reduction import norm, sum
from kael.tensors import Tensor, fresh


def normalize(x: Any, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """Vectors over their p-norm, ``x / max(norm(x), eps)``.

    Parameters
    ----------
    x : Tensor
        Floating point.
    p : float
        The exponent of the norm.
    dim : int or tuple of int
        The axes that one vector spans.
    eps : float
        What a smaller norm counts as, so that a zero vector stays zero.
    out : Tensor, optional
        Receives the result.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.normalize(kael.tensor([[3.0, 4.0], [0.0, 0.0]]))
    tensor([[0.6000, 0.8000],
            [0.0000, 0.0000]])
    """
    x = as_tensor(x, "normalize")
    result = div(x, clamp_min(norm(x, p, dim, True), eps))
    return result if out is None else copy_(out, result)


def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors: ``sum of x1*x2 / (max(norm(x1), eps) * max(norm(x2), eps))``.

    Parameters
    ----------
    x1, x2 : Tensor
        Floating point; they broadcast.
    dim : int
        The axis that one vector spans.
    eps : float
        What a smaller norm counts as.

    Raises
    ------
    RuntimeError
        For two integer operands.

    Examples
    --------
    >>> import kael
    >>> kael.cosine_similarity(kael.tensor([[1.0, 0.0]]), kael.tensor([[1.0, 1.0]]))
    tensor([0.7071])
    """
    x1, x2 = promoted("cosine_similarity", x1, x2)
    if not x1.dtype.is_floating_point:
        raise RuntimeError(
            f"cosine_similarity: expected common dtype to be floating point, yet common dtype is {x1.dtype.name}"
        )
    x1, x2 = (div(x, clamp_min(norm(x, 2, dim, True), eps)) for x in (x1, x2))
    return sum(mul(x1, x2), dim)


def one_hot(tensor: Any, num_classes: int = -1) -> Tensor:
    """Classes as vectors: 1 at the class, 0 elsewhere.

    Parameters
    ----------
    tensor : Tensor of int64, any shape
        Classes, from 0.
    num_classes : int
        The length of the vectors; the largest class and one more when left out.

    Returns
    -------
    Tensor of int64, with one axis more
        The vectors.

    Raises
    ------
    RuntimeError
        For another dtype, a class that is negative or too large, or an empty tensor without `num_classes`.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.one_hot(kael.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    x = as_tensor(tensor, "one_hot")
    if x.dtype is not dtypes.int64:
        raise RuntimeError(f"one_hot is only applicable to index tensor of type LongTensor, and this is {x.dtype.name}")
    if num_classes == -1:
        if not x.array.size:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        num_classes = int(x.array.max()) + 1
    if x.array.size and x.array.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if x.array.size and x.array.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    vectors = x.array[..., None] == numpy.arange(num_classes)
    return fresh(vectors.astype(numpy.int64), dtypes.int64)


FUNCTIONS = (cosine_similarity,)
