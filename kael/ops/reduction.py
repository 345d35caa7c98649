"""Reductions over any axes: sums, products, variances, norms, extrema and where they are."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy

from kael import dtypes
from kael.autograd.node import filled
from kael.autograd.op import OUTPUT, Op
from kael.autograd.recording import record
from kael.kernels import table
from kael.ops.dispatch import as_tensor, axes_of, axis_of, cast, compute
from kael.ops.elementwise import abs, div, eq, fused, logical_and, logical_or, mul, ne, pow, sign, sub, where
from kael.tensors import Tensor, fresh


class Extremum(NamedTuple):
    """The largest or smallest values along an axis, and where they stand."""

    values: Tensor
    indices: Tensor


class Extrema(NamedTuple):
    """The smallest and the largest values."""

    min: Tensor
    max: Tensor


def kept_shape(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape after reducing `axes` to size 1."""
    return tuple([1 if axis in axes else size for axis, size in enumerate(shape)])


def dropped_shape(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape after reducing and dropping `axes`."""
    return tuple([size for axis, size in enumerate(shape) if axis not in axes])


def reduce(op: Op, kernel: Callable[..., None], x: Tensor, dim: Any, keepdim: bool, result: Any) -> Tensor:
    """Run a reducing kernel over axes given as in PyTorch, and record it with the kept shape as attribute."""
    shape = x.array.shape
    if dim is None and not keepdim:
        kept = (1,) * len(shape)
        output = compute(kernel, (), x.dtype, result, x.array)
    else:
        axes = axes_of(dim, len(shape))
        kept = kept_shape(shape, axes)
        output = compute(kernel, kept, x.dtype, result, x.array)
        if not keepdim:
            output = fresh(output.array.reshape(dropped_shape(shape, axes)), result)
    return record(output, op, (x,), (kept,))


def spread(gradient: Tensor, kept: tuple[int, ...], shape: tuple[int, ...]) -> Tensor:
    """A gradient of a reduction's output repeated over the axes that were reduced, in memory of its own."""
    return compute(table.copy, shape, gradient.dtype, gradient.dtype, gradient.array.reshape(kept))


def sum_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return spread(g, node.attributes[0], node.inputs[0].shape)


def mean_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    shape = node.inputs[0].shape
    return spread(div(g, count_of(shape, node.attributes[0])), node.attributes[0], shape)


def extremum_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    kept = node.attributes[0]
    x = node.saved[0].get()
    y = node.saved[OUTPUT].get()
    y = fresh(y.array.reshape(kept), y.dtype)
    reached = cast(logical_or(eq(x, y), logical_and(ne(x, x), ne(y, y))), g.dtype)
    ties = compute(table.sum, kept, g.dtype, g.dtype, reached.array)
    return mul(reached, div(fresh(g.array.reshape(kept), g.dtype), ties))


def put_back(shape: tuple[int, ...], g: Tensor, axis: int, index: Any) -> Tensor:
    """A gradient added up at the places along an axis that its values were taken from."""
    wide = g.dtype.wide or g.dtype
    total = filled(shape or (1,), wide, 0.0)
    places = index if index.ndim else index.reshape(1)
    table.scatter_add(places, cast(g, wide).array.reshape(places.shape), axis, total.array)
    return cast(total if shape else fresh(total.array.reshape(()), wide), g.dtype)


def along_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    axis, index = node.attributes
    return put_back(node.inputs[0].shape, g, axis, index)


def cumprod_along(axis: int, g: Any, x: Any, out: Any) -> None:
    """The gradient of a running product along any axis; the kernel goes along the last."""
    table.cumprod_vjp(g.swapaxes(axis, -1), x.swapaxes(axis, -1), out.swapaxes(axis, -1))


def prod_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    kept, axis = node.attributes
    x = node.saved[0].get()
    shape = x.array.shape
    if x.array.size == 0:
        return filled(shape, g.dtype, 0.0)
    if axis is None:
        x = fresh(x.array.reshape(-1), x.dtype)
        kept, axis = (1,), 0
    last = filled(x.array.shape, g.dtype, 0.0)
    last.array.swapaxes(axis, -1)[..., -1:] = g.array.reshape(kept).swapaxes(axis, -1)
    return fresh(fused(partial(cumprod_along, axis), last, x).array.reshape(shape), g.dtype)


def var_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    kept, correction = node.attributes
    x = node.saved[0].get()
    divisor = count_of(x.array.shape, kept) - correction
    deviation = sub(x, compute(table.mean, kept, x.dtype, x.dtype, x.array))
    return mul(deviation, mul(fresh(g.array.reshape(kept), g.dtype), 2 / divisor if divisor else math.inf))


def std_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    y = node.saved[OUTPUT].get()
    return var_vjp(node, where(eq(y, 0), 0.0, div(g, mul(y, 2.0))), position)


def norm_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    kept, p = node.attributes
    x = node.saved[0].get()
    y = node.saved[OUTPUT].get()
    y = fresh(y.array.reshape(kept), y.dtype)
    g = fresh(g.array.reshape(kept), g.dtype)
    if p == 0:
        return filled(x.array.shape, g.dtype, 0.0)
    if p == 1:
        return mul(g, sign(x))
    if p == 2:
        return mul(x, where(eq(y, 0), 0.0, div(g, y)))
    if math.isinf(p):
        reached = cast(logical_or(eq(abs(x), y), logical_and(ne(x, x), ne(y, y))), g.dtype)
        ties = compute(table.sum, kept, g.dtype, g.dtype, reached.array)
        return mul(mul(sign(x), reached), div(g, ties))
    return where(eq(x, 0), 0.0, mul(mul(sign(x), pow(div(abs(x), y), p - 1)), g))


SUM = Op("sum", "sum over axes", sum_vjp, "g repeated", dtypes="integers and bool become int64")
MEAN = Op("mean", "sum over axes / count", mean_vjp, "g/count repeated", dtypes="floating point only")
AMAX = Op("amax", "largest over axes", extremum_vjp, "g at the largest", ((0, OUTPUT),), kinks="shared equally at ties")
AMIN = Op(
    "amin", "smallest over axes", extremum_vjp, "g at the smallest", ((0, OUTPUT),), kinks="shared equally at ties"
)
MAX = Op("max", "largest along an axis", along_vjp, "g at the first largest", kinks="the first of ties", numpy=True)
MIN = Op("min", "smallest along an axis", along_vjp, "g at the first smallest", kinks="the first of ties", numpy=True)
PROD = Op(
    "prod",
    "product over axes",
    prod_vjp,
    "g times the product of the others",
    ((0,),),
    kinks="exact at zeros",
    dtypes="integers and bool become int64",
)
VAR = Op(
    "var",
    "sum of (x - mean)**2 over axes / (count - correction)",
    var_vjp,
    "2*g*(x - mean)/(count - correction)",
    ((0,),),
    dtypes="floating point only",
)
STD = Op(
    "std",
    "square root of var",
    std_vjp,
    "g*(x - mean)/(y*(count - correction))",
    ((0, OUTPUT),),
    kinks="0 where y is 0",
    dtypes="floating point only",
)
NORM = Op(
    "norm",
    "(sum of |x|**p)**(1/p) over axes",
    norm_vjp,
    "g*sign(x)*(|x|/y)**(p-1)",
    ((0, OUTPUT),),
    kinks="0 where x is 0; shared equally at ties for p = inf",
    dtypes="floating point only",
)
ALL = Op("all", "every element is nonzero", dtypes="bool, uint8 for uint8")
ANY = Op("any", "an element is nonzero", dtypes="bool, uint8 for uint8")
COUNT_NONZERO = Op("count_nonzero", "how many elements are nonzero", dtypes="int64")
ARGMAX = Op("argmax", "index of the first largest", dtypes="int64")
ARGMIN = Op("argmin", "index of the first smallest", dtypes="int64")


def count_of(shape: tuple[int, ...], kept: tuple[int, ...]) -> int:
    """How many elements are reduced to one."""
    count = 1
    for size, left in zip(shape, kept, strict=True):
        if size != left:
            count *= size
    return count


def sum(x: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum over some axes, or all; integers and bool add up in int64.

    Parameters
    ----------
    x : Tensor
        What to add up.
    dim : int or tuple of int, optional
        The axes; all when left out.
    keepdim : bool
        Keep the reduced axes with size 1.
    dtype : DType, optional
        Cast to this dtype first.

    Raises
    ------
    IndexError, RuntimeError
        When an axis does not exist or is named twice.

    Notes
    -----
    The order of additions is part of the definition: fixed lanes, then pairwise (book section 13), so the error grows
    with the logarithm of the count.

    Examples
    --------
    >>> import kael
    >>> kael.tensor([[1.0, 2.0], [3.0, 4.0]]).sum(dim=0)
    tensor([4., 6.])
    """
    x = as_tensor(x, "sum")
    if dtype is not None:
        x = cast(x, dtype)
    elif not x.dtype.is_floating_point:
        x = cast(x, dtypes.int64)
    return reduce(SUM, table.sum, x, dim, keepdim, x.dtype)


def mean(x: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean over some axes, or all; nan where there are no elements.

    Raises
    ------
    RuntimeError
        For a dtype that is not floating point.
    """
    x = as_tensor(x, "mean")
    if dtype is not None:
        x = cast(x, dtype)
    if not x.dtype.is_floating_point:
        which = "Input" if dtype is None else "Optional"
        raise RuntimeError(
            f"mean(): could not infer output dtype. {which} dtype must be a floating point dtype. Got: {x.dtype.name}"
        )
    return reduce(MEAN, table.mean, x, dim, keepdim, x.dtype)


def nansum(x: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum over some axes, or all, of the elements that are not nan."""
    x = as_tensor(x, "nansum")
    return sum(where(ne(x, x), 0, x), dim, keepdim, dtype=dtype)


def nanmean(x: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean over some axes, or all, of the elements that are not nan.

    Raises
    ------
    RuntimeError
        For a dtype that is not floating point.
    """
    x = as_tensor(x, "nanmean")
    if not x.dtype.is_floating_point:
        raise RuntimeError(f"nanmean(): expected input to have floating point dtype but got {x.dtype.name}")
    return div(nansum(x, dim, keepdim, dtype=dtype), sum(eq(x, x), dim, keepdim))


def prod(x: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The product along an axis, or of all elements; integers and bool multiply in int64.

    Parameters
    ----------
    x : Tensor
        The factors.
    dim : int, optional
        The axis; all when left out.
    keepdim : bool
        Keep the reduced axis with size 1.
    dtype : DType, optional
        Cast to this dtype first.

    Raises
    ------
    IndexError
        When there is no such axis.
    TypeError
        When the axis is not an integer.

    Notes
    -----
    The gradient of each factor is the product of the others, which no division gives: it is right at zeros too.

    Examples
    --------
    >>> import kael
    >>> x = kael.tensor([2.0, 0.0, 4.0], requires_grad=True)
    >>> x.prod().backward()
    >>> x.grad
    tensor([0., 8., 0.])
    """
    x = as_tensor(x, "prod")
    if dtype is not None:
        x = cast(x, dtype)
    elif not x.dtype.is_floating_point:
        x = cast(x, dtypes.int64)
    shape = x.array.shape
    axis = None if dim is None else axis_of(dim, len(shape))
    axes = tuple(range(len(shape))) if axis is None else (axis,) if shape else ()
    kept = kept_shape(shape, axes)
    output = compute(table.prod, kept, x.dtype, x.dtype, x.array)
    output = fresh(output.array.reshape(kept if keepdim and axis is not None else dropped_shape(shape, axes)), x.dtype)
    return record(output, PROD, (x,), (kept, axis if shape else None))


def all(x: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Whether every element is nonzero, over some axes or all; true of no elements, and a nan is nonzero."""
    return quantified(table.all, as_tensor(x, "all"), dim, keepdim)


def any(x: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Whether an element is nonzero, over some axes or all; false of no elements, and a nan is nonzero."""
    return quantified(table.any, as_tensor(x, "any"), dim, keepdim)


def quantified(kernel: Callable[..., None], x: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """Run a kernel that answers with bool; as in PyTorch no axes are none, and uint8 stays uint8."""
    shape = x.array.shape
    axes = () if isinstance(dim, (tuple, list)) and not dim else axes_of(dim, len(shape))
    kept = kept_shape(shape, axes)
    answers = compute(kernel, kept, x.dtype, dtypes.bool, x.array).array
    if not keepdim:
        answers = answers.reshape(dropped_shape(shape, axes))
    return cast(fresh(answers, dtypes.bool), dtypes.uint8 if x.dtype is dtypes.uint8 else dtypes.bool)


def count_nonzero(x: Any, dim: Any = None) -> Tensor:
    """How many elements are nonzero, over some axes or all; a nan is nonzero."""
    return sum(ne(as_tensor(x, "count_nonzero"), 0), dim)


def corrected(unbiased: Any, correction: Any) -> float:
    """What is taken from the count, said as PyTorch has it in two ways.

    Raises
    ------
    TypeError
        When both are given.
    """
    if unbiased is not None and correction is not None:
        raise TypeError("give unbiased or correction, not both: unbiased=True is correction=1")
    if correction is not None:
        return float(correction)
    return 1.0 if unbiased is None or unbiased else 0.0


def std_kernel(x: Any, out: Any, correction: float) -> None:
    """The square root of the variance."""
    table.var(x, out, correction)
    table.sqrt(out, out)


def scattered(
    op: Op, kernel: Callable[..., None], name: str, x: Any, dim: Any, keepdim: bool, correction: float
) -> Tensor:
    """A variance or standard deviation; warns where the divisor is not above 0.

    Raises
    ------
    RuntimeError
        For a dtype that is not floating point.
    """
    x = as_tensor(x, name)
    if not x.dtype.is_floating_point:
        raise RuntimeError("std and var only support floating point and complex dtypes")
    shape = x.array.shape
    axes = axes_of(dim, len(shape))
    kept = kept_shape(shape, axes)
    output = compute(partial(kernel, correction=correction), kept, x.dtype, x.dtype, x.array)
    if output.array.size and count_of(shape, kept) - correction <= 0:
        warnings.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
            "(input numel divided by output numel).",
            stacklevel=3,
        )
    if not keepdim:
        output = fresh(output.array.reshape(dropped_shape(shape, axes)), x.dtype)
    return record(output, op, (x,), (kept, correction))


def var(x: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Tensor:
    """The variance over some axes, or all: the sum of ``(x - mean)**2`` over ``count - correction``.

    Parameters
    ----------
    x : Tensor
        Floating point.
    dim : int or tuple of int, optional
        The axes; all when left out. A bool in its place is `unbiased`.
    unbiased : bool, optional
        False is ``correction=0``.
    keepdim : bool
        Keep the reduced axes with size 1.
    correction : number, optional
        What is taken from the count; 1 when left out, for x is taken as a sample.

    Raises
    ------
    IndexError, RuntimeError
        When an axis does not exist or is named twice, or `x` is not floating point.
    TypeError
        When both `unbiased` and `correction` are given.

    Notes
    -----
    Two passes, in float64: a large mean costs no digits. nan, with a warning, where the divisor is not above 0.

    Examples
    --------
    >>> import kael
    >>> kael.tensor([1.0, 2.0, 6.0]).var()
    tensor(7.)
    """
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    return scattered(VAR, table.var, "var", x, dim, keepdim, corrected(unbiased, correction))


def std(x: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Tensor:
    """The standard deviation over some axes, or all: the square root of `var`, whose parameters it has.

    Raises
    ------
    IndexError, RuntimeError
        When an axis does not exist or is named twice, or `x` is not floating point.
    TypeError
        When both `unbiased` and `correction` are given.

    Notes
    -----
    Where it is 0 its gradient is 0, the smallest of its subgradients.
    """
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    return scattered(STD, std_kernel, "std", x, dim, keepdim, corrected(unbiased, correction))


def var_mean(
    x: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> tuple[Tensor, Tensor]:
    """The variance and the mean over some axes, or all; parameters as of `var`."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    spread_out = scattered(VAR, table.var, "var_mean", x, dim, keepdim, corrected(unbiased, correction))
    return spread_out, mean(x, dim, keepdim)


def std_mean(
    x: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean over some axes, or all; parameters as of `std`."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    spread_out = scattered(STD, std_kernel, "std_mean", x, dim, keepdim, corrected(unbiased, correction))
    return spread_out, mean(x, dim, keepdim)


def vector_norm(x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The p-norm over some axes, or all, taken as one vector: ``(sum of |x|**p) ** (1/p)``.

    Parameters
    ----------
    x : Tensor
        Floating point.
    ord : number
        The exponent p: inf gives the largest absolute value, -inf the smallest, 0 the count of nonzero elements.
    dim : int or tuple of int, optional
        The axes; all when left out.
    keepdim : bool
        Keep the reduced axes with size 1.
    dtype : DType, optional
        Cast to this dtype first.

    Raises
    ------
    IndexError
        When an axis does not exist.
    RuntimeError
        When an axis is named twice, `x` is not floating point, or it has no elements and the norm no answer to that.

    Notes
    -----
    The gradient is 0 at elements that are 0, for every p. For inf and -inf ties share it.
    """
    x = as_tensor(x, "linalg.vector_norm")
    if dtype is not None:
        x = cast(x, dtype)
    if not x.dtype.is_floating_point:
        raise RuntimeError(f"linalg.vector_norm: Expected a floating point tensor as input. Got {x.dtype.name}")
    p = float(ord)
    if p < 0 or math.isinf(p):
        refuse_norm_of_nothing(p, x, dim)
    return reduce_with(NORM, partial(table.norm, p=p), x, dim, keepdim, p)


def refuse_norm_of_nothing(p: float, x: Tensor, dim: Any) -> None:
    """Raise where a norm that needs an element gets none.

    Raises
    ------
    RuntimeError
        When it is asked for over no elements.
    """
    shape = x.array.shape
    if x.array.size or (0 in dropped_shape(shape, axes_of(dim, len(shape)))):
        return
    what = f"linalg.vector_norm cannot compute the {p:g} norm on "
    if dim is None:
        what += "an empty tensor because"
    else:
        what += f"the dimension {dim} because this dimension is empty and"
    raise RuntimeError(f"{what} the operation does not have an identity")


def reduce_with(op: Op, kernel: Callable[..., None], x: Tensor, dim: Any, keepdim: bool, *more: Any) -> Tensor:
    """As `reduce`, with more attributes for the gradient."""
    shape = x.array.shape
    axes = axes_of(dim, len(shape))
    kept = kept_shape(shape, axes)
    output = compute(kernel, kept, x.dtype, x.dtype, x.array)
    if not keepdim:
        output = fresh(output.array.reshape(dropped_shape(shape, axes)), x.dtype)
    return record(output, op, (x,), (kept, *more))


def norm(x: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The p-norm over some axes, or all, taken as one vector; "fro" is p = 2.

    Parameters
    ----------
    x : Tensor
        Floating point.
    p : number or "fro"
        The exponent, as of `kael.linalg.vector_norm`.
    dim : int or tuple of int, optional
        The axes; all when left out.
    keepdim : bool
        Keep the reduced axes with size 1.
    dtype : DType, optional
        Cast to this dtype first.

    Raises
    ------
    NotImplementedError
        For the norms of matrices as maps, such as "nuc".
    RuntimeError
        As `kael.linalg.vector_norm`.

    Examples
    --------
    >>> import kael
    >>> kael.tensor([3.0, -4.0]).norm(), kael.tensor([3.0, -4.0]).norm(1)
    (tensor(5.), tensor(7.))
    """
    if isinstance(p, str) and p != "fro":
        raise NotImplementedError(f"norm: p={p!r}: kael has vector norms alone; give a number or 'fro'")
    return vector_norm(x, 2 if p is None or p == "fro" else p, dim, keepdim, dtype=dtype)


def aminmax(x: Any, *, dim: Any = None, keepdim: bool = False) -> Any:
    """The smallest and the largest element, along an axis or of all; nan wins, and ties share the gradient."""
    x = as_tensor(x, "aminmax")
    refuse_empty("aminmax", x, dim)
    return Extrema(amin(x, dim, keepdim), amax(x, dim, keepdim))


def amax(x: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The largest element over some axes, or all; nan wins, and ties share the gradient."""
    x = as_tensor(x, "amax")
    refuse_empty("amax", x, dim)
    return reduce(AMAX, table.max, x, dim, keepdim, x.dtype)


def amin(x: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The smallest element over some axes, or all; nan wins, and ties share the gradient."""
    x = as_tensor(x, "amin")
    refuse_empty("amin", x, dim)
    return reduce(AMIN, table.min, x, dim, keepdim, x.dtype)


def refuse_empty(operation: str, x: Tensor, dim: Any) -> None:
    """Raise where an extremum over no elements is asked for.

    Raises
    ------
    RuntimeError
        When it is asked for over all axes.
    IndexError
        When one of the axes named has no elements.
    """
    shape = x.array.shape
    if dim is None:
        if x.array.size == 0:
            raise RuntimeError(
                f"{operation}(): Expected reduction dim to be specified, for x is {shape}: it has no largest or "
                "smallest element; name an axis that is not empty"
            )
        return
    for axis in axes_of(dim, len(shape)):
        if shape[axis] == 0:
            raise IndexError(
                f"{operation}(): Expected reduction dim {axis} to have non-zero size; x is {shape} and has no largest "
                "or smallest element along it"
            )


def places(values: Tensor, index: Any) -> Tensor:
    """Indices as a tensor; of their own where a node keeps them for the gradient, for the reader may write to them."""
    return fresh(index if values.grad_fn is None else index.copy(), dtypes.int64)


def along(
    op: Op, kernel: Callable[..., None], index_kernel: Callable[..., None], x: Tensor, dim: Any, keepdim: bool
) -> Extremum:
    """Values and indices of an extremum along one axis."""
    axis = axis_of(dim, x.array.ndim)
    refuse_empty(op.name, x, axis)
    shape = x.array.shape
    axes = (axis,) if shape else ()
    kept = kept_shape(shape, axes)
    values = compute(kernel, kept, x.dtype, x.dtype, x.array)
    index = compute(index_kernel, kept, x.dtype, dtypes.int64, x.array)
    final = kept if keepdim else dropped_shape(shape, axes)
    values = fresh(values.array.reshape(final), x.dtype)
    record(values, op, (x,), (axis, index.array))
    return Extremum(values, places(values, index.array.reshape(final)))


def max(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The largest of all, ties sharing the gradient; or values and indices along an axis, the first of ties.

    Another tensor in place of an axis gives the elementwise `maximum`.
    """
    x = as_tensor(x, "max")
    if isinstance(dim, Tensor):
        from kael.ops.elementwise import maximum

        return maximum(x, dim)
    if dim is None:
        refuse_empty("max", x, None)
        return reduce(AMAX, table.max, x, None, False, x.dtype)
    return along(MAX, table.max, table.argmax, x, dim, keepdim)


def min(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The smallest of all, ties sharing the gradient; or values and indices along an axis, the first of ties.

    Another tensor in place of an axis gives the elementwise `minimum`.
    """
    x = as_tensor(x, "min")
    if isinstance(dim, Tensor):
        from kael.ops.elementwise import minimum

        return minimum(x, dim)
    if dim is None:
        refuse_empty("min", x, None)
        return reduce(AMIN, table.min, x, None, False, x.dtype)
    return along(MIN, table.min, argmin_kernel, x, dim, keepdim)


def argmax(x: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Index of the first largest element along an axis, or in row-major order over all; nan wins."""
    return where_extreme("argmax", table.argmax, as_tensor(x, "argmax"), dim, keepdim)


def argmin(x: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Index of the first smallest element along an axis, or in row-major order over all; nan wins."""
    return where_extreme("argmin", argmin_kernel, as_tensor(x, "argmin"), dim, keepdim)


def argmin_kernel(x: Any, out: Any) -> None:
    """The index of the first smallest element, as argmax of the elements in reverse order.

    ``-x`` reverses floats, nan included; ``~x`` reverses integers, also the smallest, whose negative wraps.
    """
    if x.dtype.kind == "f":
        turned = table.empty(x.shape, x.dtype)
        table.neg(x, turned)
    else:
        turned = numpy.asarray(numpy.invert(x))
    table.argmax(turned, out)


def where_extreme(operation: str, kernel: Callable[..., None], x: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """Run a kernel that gives indices along one axis or over all.

    Raises
    ------
    RuntimeError
        For bool.
    """
    if x.dtype is dtypes.bool:
        raise RuntimeError(f"{operation}(): does not support bool input")
    shape = x.array.shape
    axes = tuple(range(len(shape))) if dim is None else axes_of(axis_of(dim, len(shape)), len(shape))
    refuse_empty(operation, x, axes)
    index = compute(kernel, kept_shape(shape, axes), x.dtype, dtypes.int64, x.array).array
    return fresh(index if keepdim else index.reshape(dropped_shape(shape, axes)), dtypes.int64)


FUNCTIONS = (
    all,
    amax,
    amin,
    aminmax,
    any,
    argmax,
    argmin,
    count_nonzero,
    max,
    mean,
    min,
    nanmean,
    nansum,
    norm,
    prod,
    std,
    std_mean,
    sum,
    var,
    var_mean,
)
METHODS = tuple([function for function in FUNCTIONS if function not in (std_mean, var_mean)])
