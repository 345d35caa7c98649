"""Questions about tensors and their dtypes that need no computation."""

from __future__ import annotations

from typing import Any

from kael.dtypes import DType
from kael.dtypes import result_type as promoted
from kael.ops.dispatch import default_dtype
from kael.tensors import Tensor

__all__ = ["is_nonzero", "result_type"]


def is_nonzero(x: Tensor) -> bool:
    """Whether the one element of a tensor is not zero; RuntimeError where there is not exactly one."""
    return bool(x)


def result_type(tensor1: Any, tensor2: Any) -> DType:
    """The dtype in which an operation on two operands, tensors or numbers, computes.

    Of the categories bool, integer and floating point the highest among the operands wins. Within it a tensor with
    axes goes before a 0-d tensor, and that before a number; operands of one rank meet in the wider dtype.

    Examples
    --------
    >>> import kael
    >>> kael.result_type(kael.ones(2), kael.tensor(1.0, dtype=kael.float64))
    kael.float32
    >>> kael.result_type(kael.tensor([1]), 1.5), kael.result_type(kael.ones(2, dtype=kael.float16), 1.5)
    (kael.float32, kael.float16)
    """
    kinds = [x.dtype if isinstance(x, Tensor) else default_dtype(x, "result_type") for x in (tensor1, tensor2)]
    ranks = [(2 if x.array.ndim else 1) if isinstance(x, Tensor) else 0 for x in (tensor1, tensor2)]
    return promoted(kinds[0], ranks[0] < ranks[1], kinds[1], ranks[1] < ranks[0])
