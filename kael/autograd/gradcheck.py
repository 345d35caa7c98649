"""Compares analytic gradients with central finite differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from kael import dtypes
from kael.autograd.engine import grad
from kael.autograd.grad_mode import no_grad
from kael.autograd.recording import requires_grad
from kael.tensors import Tensor, fresh

__all__ = ["gradcheck"]


def gradcheck(
    function: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    seed: int = 0,
) -> bool:
    r"""Whether the gradients of a function agree with central finite differences.

    For every output `y` and every input `x` that requires grad, the Jacobian of backward, one row
    per element of `y`, is compared with ``(f(x + eps) - f(x - eps)) / (2*eps)``, one column per
    element of `x`. Then the vector-Jacobian product of a random cotangent is compared with the same
    cotangent times the numerical Jacobian, for each input as it is and as a strided view of a wider array:
    a gradient function that reads memory in the order of a contiguous array fails here.

    Parameters
    ----------
    function : callable
        Takes the inputs, returns a tensor or a sequence of tensors.
    inputs : Tensor or sequence
        Its arguments; those that are tensors requiring grad are checked.
    eps : float
        The step of the differences.
    atol, rtol : float
        Absolute tolerance, and relative to the numerical value.
    raise_exception : bool
        Raise on a mismatch; otherwise return False.
    seed : int
        Of the random cotangent.

    Raises
    ------
    ValueError
        When no input requires grad.
    RuntimeError
        ``Jacobian mismatch for output 0 with respect to input 0``, with both Jacobians.

    Warns
    -----
    UserWarning
        For an input that is not float64: at the default `eps` its differences are mostly rounding.

    Notes
    -----
    Costs two calls of the function per element of the inputs and a backward pass per element of the outputs. The error
    of a central difference is of the order of ``eps**2`` from the third derivative and of ``1e-16/eps`` from rounding;
    at a kink it measures nothing.

    Examples
    --------
    >>> import kael
    >>> x = kael.tensor([0.5, 2.0], dtype=kael.float64, requires_grad=True)
    >>> kael.autograd.gradcheck(lambda x: x.exp() * x, x)
    True
    """
    arguments = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    checked = [index for index, value in enumerate(arguments) if isinstance(value, Tensor) and requires_grad(value)]
    if not checked:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
    for index in checked:
        if arguments[index].dtype is not dtypes.float64:
            warnings.warn(
                f"gradcheck: input {index} is {arguments[index].dtype.name}; finite differences need float64, so that "
                "rounding does not hide the gradient",
                UserWarning,
                stacklevel=2,
            )
    random = numpy.random.default_rng(seed)
    try:
        numerical = numerical_jacobians(function, arguments, checked, eps)
        compare_jacobians(function, arguments, checked, numerical, atol, rtol)
        for strided in (False, True):
            compare_products(function, arguments, checked, numerical, random, strided, atol, rtol)
    except Mismatch as mismatch:
        if raise_exception:
            raise RuntimeError(str(mismatch)) from None
        return False
    return True


class Mismatch(Exception):
    """Two gradients that should agree do not."""


def outputs_of(function: Callable[..., Any], arguments: Sequence[Any]) -> tuple[Tensor, ...]:
    """The function's floating-point outputs."""
    result = function(*arguments)
    outputs = (result,) if isinstance(result, Tensor) else tuple(result)
    return tuple([output for output in outputs if output.dtype.is_floating_point])


def leaf_like(tensor: Tensor, strided: bool) -> Tensor:
    """A leaf with the same elements in memory of its own, contiguous or every other place of a wider array."""
    array = tensor.array
    if strided and array.ndim:
        wide = numpy.full((*array.shape[:-1], 2 * array.shape[-1]), numpy.nan, array.dtype)
        copy = wide[..., ::2]
        copy[...] = array
    else:
        copy = array.copy(order="C")
    leaf = fresh(copy, tensor.dtype)
    leaf.requires_grad = True
    return leaf


def leaves_like(arguments: Sequence[Any], checked: Sequence[int], strided: bool) -> tuple[list[Any], list[Tensor]]:
    """The arguments with fresh leaves in place of those that are checked, and these alone."""
    leaves = [leaf_like(value, strided) if index in checked else value for index, value in enumerate(arguments)]
    return leaves, [leaves[index] for index in checked]


def numerical_jacobians(
    function: Callable[..., Any], arguments: Sequence[Any], checked: Sequence[int], eps: float
) -> list[list[Any]]:
    """Per output, per checked input: the matrix of central differences, rows by output and columns by input element.

    The function's results are copied before an input is changed again: it may return a view of its input.
    """
    moved = list(arguments)
    for index in checked:
        moved[index] = fresh(arguments[index].array.copy(order="C"), arguments[index].dtype)

    def values() -> list[Any]:
        with no_grad():
            return [numpy.array(output.array, numpy.float64).ravel() for output in outputs_of(function, moved)]

    jacobians: list[list[Any]] = [[] for _ in values()]
    for index in checked:
        flat = moved[index].array.reshape(-1)
        columns: list[list[Any]] = [[] for _ in jacobians]
        for place in range(flat.size):
            kept = flat[place]
            flat[place] = kept + eps
            step = float(flat[place])
            above = values()
            flat[place] = kept - eps
            step -= float(flat[place])
            below = values()
            flat[place] = kept
            for output, (high, low) in enumerate(zip(above, below, strict=True)):
                columns[output].append((high - low) / step)
        for output, column in enumerate(columns):
            rows = values()[output].size
            jacobians[output].append(numpy.stack(column, axis=1) if column else numpy.zeros((rows, 0)))
    return jacobians


def compare_jacobians(
    function: Callable[..., Any], arguments: Sequence[Any], checked: Sequence[int], numerical: list[list[Any]],
    atol: float, rtol: float,
) -> None:  # fmt: skip
    """Compare each row of the Jacobian that backward gives with the numerical one."""
    leaves, wanted = leaves_like(arguments, checked, strided=False)
    for number, output in enumerate(outputs_of(function, leaves)):
        rows: list[list[Any]] = [[] for _ in wanted]
        for place in range(output.numel()):
            unit = numpy.zeros(output.shape, output.dtype.numpy)
            unit.reshape(-1)[place] = 1
            gradients = product(output, wanted, fresh(unit, output.dtype))
            for row, gradient in zip(rows, gradients, strict=True):
                row.append(gradient)
        for position, row in enumerate(rows):
            expected = numerical[number][position]
            analytic = numpy.stack(row) if row else numpy.zeros(expected.shape)
            compare(analytic, expected, number, checked[position], "", atol, rtol)


def compare_products(
    function: Callable[..., Any], arguments: Sequence[Any], checked: Sequence[int], numerical: list[list[Any]],
    random: numpy.random.Generator, strided: bool, atol: float, rtol: float,
) -> None:  # fmt: skip
    """Compare the vector-Jacobian products of a random cotangent, which is strided too where the inputs are."""
    leaves, wanted = leaves_like(arguments, checked, strided)
    for number, output in enumerate(outputs_of(function, leaves)):
        cotangent = random.standard_normal(output.shape)
        handed = numpy.array(cotangent, order="F") if strided else cotangent
        gradients = product(output, wanted, fresh(numpy.asarray(handed, output.dtype.numpy), output.dtype))
        for position, gradient in enumerate(gradients):
            expected = numpy.ravel(cotangent) @ numerical[number][position]
            layout = "strided" if strided else "contiguous"
            note = f" (product with a random cotangent, {layout} inputs)"
            compare(gradient, expected, number, checked[position], note, atol, rtol)


def product(output: Tensor, wanted: Sequence[Tensor], cotangent: Tensor) -> list[Any]:
    """The vector-Jacobian product of one output, flat per input; zeros where the output does not depend on it."""
    if not requires_grad(output):
        return [numpy.zeros(tensor.numel()) for tensor in wanted]
    gradients = grad(output, wanted, cotangent, retain_graph=True, materialize_grads=True)
    return [numpy.array(gradient.array, numpy.float64).ravel() for gradient in gradients if gradient is not None]


def compare(analytic: Any, numerical: Any, output: int, position: int, note: str, atol: float, rtol: float) -> None:
    """Raise `Mismatch` with both matrices unless they agree."""
    if not numpy.allclose(analytic, numerical, rtol, atol, equal_nan=True):
        raise Mismatch(
            f"Jacobian mismatch for output {output} with respect to input {position}{note},\n"
            f"numerical:{numerical}\nanalytical:{analytic}"
        )
