"""The operations, family by family; `kael.autograd.op.registry` lists them as one table."""

from kael.autograd.op import registry
from kael.ops.casts import bool, double, float, half, int, long
from kael.ops.elementwise import (
    abs,
    add,
    bitwise_and,
    bitwise_not,
    bitwise_or,
    ceil,
    div,
    eq,
    exp,
    floor,
    ge,
    gt,
    le,
    log,
    logical_and,
    logical_not,
    logical_or,
    lt,
    maximum,
    minimum,
    mul,
    ne,
    neg,
    pow,
    relu,
    round,
    sigmoid,
    sign,
    sqrt,
    sub,
    tanh,
    where,
)
from kael.ops.indexing import getitem, setitem
from kael.ops.inplace import add_, copy_, div_, fill_, mul_, sub_, zero_
from kael.ops.matmul import matmul
from kael.ops.normalization import log_softmax, logsumexp, softmax
from kael.ops.reduction import amax, amin, argmax, argmin, max, mean, min, sum
from kael.ops.shape import (
    cat,
    clone,
    contiguous,
    expand,
    expand_as,
    flatten,
    permute,
    reshape,
    squeeze,
    stack,
    t,
    to,
    transpose,
    unsqueeze,
    view,
)

FUNCTIONS = (
    abs, add, amax, amin, argmax, argmin, cat, ceil, clone, div, eq, exp, flatten, floor, ge, gt, le, log,
    log_softmax, logical_and, logical_not, logical_or, logsumexp, lt, matmul, max, maximum, mean, min, minimum, mul,
    ne, neg, permute, pow, relu, reshape, round, sigmoid, sign, softmax, sqrt, squeeze, stack, sub, sum, t, tanh,
    transpose, unsqueeze, where,
)  # fmt: skip
METHODS = (
    *[function for function in FUNCTIONS if function not in (cat, stack, where)],
    bool, contiguous, double, expand, expand_as, float, half, int, long, to, view,
    add_, copy_, div_, fill_, mul_, sub_, zero_,
)  # fmt: skip

OPERATORS = (bitwise_and, bitwise_not, bitwise_or, getitem, setitem)

__all__ = sorted({function.__name__ for function in (*FUNCTIONS, *METHODS, *OPERATORS)} | {"registry"})
