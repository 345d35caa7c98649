"""Matrix multiplication of vectors, matrices and batches of matrices, and what is made of it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from kael.autograd.op import Op
from kael.autograd.recording import record, record_binary
from kael.kernels import table
from kael.ops.dispatch import axes_of, common_shape, compute_pair, promoted, sum_to
from kael.ops.elementwise import add, mul
from kael.ops.reduction import sum
from kael.ops.shape import permute, reshape
from kael.tensors import Tensor, fresh


def matmul_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    other = node.saved[1 - position].get().array
    x_shape, y_shape = node.inputs[0].shape, node.inputs[1].shape
    shape = x_shape if position == 0 else y_shape
    gradient, dtype = g.array, g.dtype
    # [matmul-vjp]
    if len(y_shape) == 1:
        gradient = gradient[..., None]
        other = other if position else other[:, None]
    if len(x_shape) == 1:
        gradient = gradient[..., None, :]
        other = other[None] if position else other
    if position == 0:
        result = product(gradient, other.swapaxes(-1, -2), dtype)
    elif len(y_shape) <= 2 < other.ndim:  # one product sums over the batch as well
        result = product(as_rows(other).T, as_rows(gradient), dtype)
    else:
        result = product(other.swapaxes(-1, -2), gradient, dtype)
    # [/matmul-vjp]
    if len(shape) == 1:
        result = sum_to(fresh(result, dtype), (1, *shape) if position == 0 else (*shape, 1)).array.reshape(shape)
    return sum_to(fresh(result, dtype), shape)


def dot_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    return mul(g, node.saved[1 - position].get())


def outer_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    vector = node.saved[1 - position].get().array[:, None]
    result = product(g.array if position == 0 else g.array.T, vector, g.dtype)
    return fresh(result.reshape(node.inputs[position].shape), g.dtype)


def added_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    beta, alpha = node.attributes
    shape = node.inputs[position].shape
    if position == 0:
        return mul(sum_to(g, shape), beta)
    other, gradient = node.saved[3 - position].get().array, g.array
    if gradient.ndim == 1:
        gradient = gradient[:, None]
        other = other[:, None] if position == 1 else other
    turned = other.swapaxes(-1, -2)
    result = product(gradient, turned, g.dtype) if position == 1 else product(turned, gradient, g.dtype)
    scaled = fresh(result.reshape(shape), g.dtype)
    return scaled if alpha == 1 else mul(scaled, alpha)


def linear_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    shape, dtype = node.inputs[position].shape, g.dtype
    if position == 2:
        return sum_to(g, shape) if shape != g.array.shape else mul(g, 1)
    # [linear-vjp]
    other = node.saved[1 - position].get().array
    rows = as_rows(g.array)
    result = product(rows, other, dtype) if position == 0 else product(rows.T, as_rows(other), dtype)
    # [/linear-vjp]
    return fresh(result.reshape(shape), dtype)


OTHER = ((1,), (0,))
FACTORS = ((), (2,), (1,))

MATMUL = Op("matmul", "sum over k of a[i, k]*b[k, j]", matmul_vjp, "g @ b.T to a, a.T @ g to b", OTHER, dtypes="equal")
MM = Op("mm", "matmul of two matrices", matmul_vjp, "g @ b.T to a, a.T @ g to b", OTHER, dtypes="equal")
BMM = Op("bmm", "matmul of two equal batches", matmul_vjp, "g @ b.mT to a, a.mT @ g to b", OTHER, dtypes="equal")
MV = Op("mv", "matmul of a matrix and a vector", matmul_vjp, "outer(g, v) to a, a.T @ g to v", OTHER, dtypes="equal")
DOT = Op("dot", "sum over k of x[k]*y[k]", dot_vjp, "g*y to x, g*x to y", OTHER, dtypes="equal")
OUTER = Op("outer", "x[i]*y[j]", outer_vjp, "g @ y to x, g.T @ x to y", OTHER)
ADDMM = Op(
    "addmm", "beta*x + alpha*(a @ b)", added_vjp, "beta*g summed back to x, alpha*g @ b.T to a, alpha*a.T @ g to b",
    FACTORS, dtypes="equal",
)  # fmt: skip
ADDMV = Op(
    "addmv", "beta*x + alpha*(a @ v)", added_vjp, "beta*g summed back to x, alpha*outer(g, v) to a, alpha*a.T @ g to v",
    FACTORS, dtypes="equal",
)  # fmt: skip
BADDBMM = Op(
    "baddbmm", "beta*x + alpha*(a @ b) in each batch", added_vjp,
    "beta*g summed back to x, alpha*g @ b.mT to a, alpha*a.mT @ g to b", FACTORS, dtypes="equal",
)  # fmt: skip
ADDBMM = Op(
    "addbmm", "beta*x + alpha*(sum of a @ b over the batch)", added_vjp,
    "beta*g summed back to x, alpha*g @ b.mT to a, alpha*a.mT @ g to b", FACTORS, dtypes="equal",
)  # fmt: skip
LINEAR = Op(
    "linear", "x @ w.T + b", linear_vjp, "g @ w to x, g.T @ x to w, g summed over the rows to b", ((1,), (0,), ()),
    dtypes="equal",
)  # fmt: skip


def product(left: Any, right: Any, dtype: Any) -> Any:
    """The products of two stacks of matrices whose leading axes broadcast, as an array."""
    inside = dtype.wide or dtype
    if inside is not dtype:
        left, right = left.astype(inside.numpy), right.astype(inside.numpy)
    if right.ndim == 2:
        rows = as_rows(left)
        out = table.empty((rows.shape[0], right.shape[1]), inside.numpy)
        table.matmul(rows, right, out)
        if left.ndim > 2:
            out = out.reshape(*left.shape[:-1], right.shape[1])
    else:
        batch = common_shape(left.shape[:-2], right.shape[:-2])
        out = table.empty((*batch, left.shape[-2], right.shape[-1]), inside.numpy)
        table.matmul_batch(left, right, out)
    return out if inside is dtype else out.astype(dtype.numpy)


def as_rows(array: Any) -> Any:
    """An array as one matrix: all axes but the last make the rows."""
    return array if array.ndim == 2 else array.reshape(prod(array.shape[:-1]), array.shape[-1])


def factors(operation: str, *operands: Any) -> None:
    """Refuse operands that are not tensors, or bool ones.

    Raises
    ------
    TypeError
        For an operand that is not a tensor.
    NotImplementedError
        For bool, as in PyTorch.
    """
    for operand in operands:
        if not isinstance(operand, Tensor):
            raise TypeError(f"{operation}: an operand is {type(operand).__name__}; all must be tensors")
        if operand.dtype.category == 0:
            raise NotImplementedError(
                f'"{operation}" not implemented for bool; cast the operands to a type of numbers first'
            )


def refused_sizes(a: tuple[int, ...], b: tuple[int, ...]) -> RuntimeError:
    """The error for two matrices whose inner sizes differ."""
    return RuntimeError(
        f"mat1 and mat2 shapes cannot be multiplied ({a[0]}x{a[1]} and {b[0]}x{b[1]}): inner sizes {a[1]} and {b[0]} "
        "differ"
    )


def matmul(x: Any, other: Any) -> Tensor:
    """The matrix product ``c[i, j] = sum over k of a[i, k] * b[k, j]``.

    Parameters
    ----------
    x, other : Tensor
        Vectors, matrices or stacks of matrices of one dtype; leading axes broadcast.

    Raises
    ------
    RuntimeError
        When an operand is 0-d, when the inner sizes differ, or when the dtypes do.

    Notes
    -----
    The gradients are two more products, ``g @ b.T`` and ``a.T @ g`` (book section 16.3).

    Examples
    --------
    >>> import kael
    >>> kael.tensor([[1.0, 2.0], [3.0, 4.0]]) @ kael.tensor([1.0, 10.0])
    tensor([21., 43.])
    """
    if isinstance(x, Tensor) and isinstance(other, Tensor):
        a, b, dtype = x, other, x.dtype
        rows, columns = a.array, b.array
        if rows.ndim == columns.ndim == 2 and dtype is b.dtype and dtype.category and dtype.wide is None:
            if rows.shape[1] != columns.shape[0]:
                raise refused_sizes(a.array.shape, b.array.shape)
            out = table.empty((rows.shape[0], columns.shape[1]), dtype.numpy)
            table.matmul(rows, columns, out)
            return record_binary(fresh(out, dtype), MATMUL, a, b)
    factors("matmul", x, other)
    left, right = x.array, other.array
    if left.ndim == 0 or right.ndim == 0:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {left.ndim}D and {right.ndim}D"
        )
    if x.dtype is not other.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {x.dtype.name} != {other.dtype.name}")
    if left.shape[-1] != right.shape[max(right.ndim - 2, 0)]:
        raise refused_product(left.shape, right.shape)
    result = product(left[None] if left.ndim == 1 else left, right[:, None] if right.ndim == 1 else right, x.dtype)
    if right.ndim == 1:
        result = result[..., 0]
    if left.ndim == 1:
        result = result[..., 0, :] if right.ndim > 1 else result[..., 0]
    return record_binary(fresh(result, x.dtype), MATMUL, x, other)


def refused_product(a: tuple[int, ...], b: tuple[int, ...]) -> RuntimeError:
    """The error for two shapes of which no product can be made."""
    if len(a) == 1 and len(b) == 1:
        return RuntimeError(
            f"inconsistent tensor size, expected tensor {a} and src {b} to have the same number of elements, but got "
            f"{a[0]} and {b[0]} elements respectively"
        )
    if len(a) == 2 and len(b) == 1:
        return RuntimeError(f"size mismatch, got input ({a[0]}), mat ({a[0]}x{a[1]}), vec ({b[0]})")
    if len(a) <= 2 and len(b) == 2:
        return refused_sizes(a if len(a) == 2 else (1, *a), b)
    return RuntimeError(f"matmul: a is {a} but b is {b}; inner sizes {a[-1]} and {b[max(len(b) - 2, 0)]} differ")


def mm(x: Any, mat2: Any) -> Tensor:
    """The product of two matrices; `matmul` without vectors and batches.

    Raises
    ------
    RuntimeError
        When an operand is not a matrix, when the inner sizes differ, or when the dtypes do.

    Examples
    --------
    >>> import kael
    >>> kael.mm(kael.ones(2, 3), kael.ones(3, 1))
    tensor([[3.],
            [3.]])
    """
    factors("mm", x, mat2)
    for name, operand in (("self", x), ("mat2", mat2)):
        if operand.array.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got a tensor of shape {operand.array.shape}")
    if x.array.shape[1] != mat2.array.shape[0]:
        raise refused_sizes(x.array.shape, mat2.array.shape)
    if x.dtype is not mat2.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {x.dtype.name} != {mat2.dtype.name}")
    return record_binary(fresh(product(x.array, mat2.array, x.dtype), x.dtype), MM, x, mat2)


def check_batches(a: Tensor, b: Tensor) -> None:
    """Refuse what are no two batches of matrices that multiply one by one."""
    for name, operand in (("batch1", a), ("batch2", b)):
        if operand.array.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor, got one of shape {operand.array.shape}")
    batch, _, inner = a.array.shape
    if b.array.shape[:2] != (batch, inner):
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: {(batch, inner)} but got: "
            f"{b.array.shape[:2]}."
        )


def bmm(x: Any, mat2: Any) -> Tensor:
    """The products of two batches of matrices, one by one; batches do not broadcast.

    Raises
    ------
    RuntimeError
        When an operand has not three axes, when sizes do not fit, or when the dtypes differ.

    Examples
    --------
    >>> import kael
    >>> kael.bmm(kael.ones(5, 2, 3), kael.ones(5, 3, 4)).shape
    (5, 2, 4)
    """
    factors("bmm", x, mat2)
    check_batches(x, mat2)
    if x.dtype is not mat2.dtype:
        raise RuntimeError(f"expected scalar type {x.dtype.name} but found {mat2.dtype.name}")
    return record_binary(fresh(product(x.array, mat2.array, x.dtype), x.dtype), BMM, x, mat2)


def mv(x: Any, vec: Any) -> Tensor:
    """The product of a matrix and a vector.

    Raises
    ------
    RuntimeError
        When the operands are not a matrix and a vector, when sizes do not fit, or when the dtypes differ.

    Examples
    --------
    >>> import kael
    >>> kael.mv(kael.tensor([[1.0, 2.0], [3.0, 4.0]]), kael.tensor([1.0, 10.0]))
    tensor([21., 43.])
    """
    factors("mv", x, vec)
    check_vector(x, vec, 1)
    return record_binary(fresh(product(x.array, vec.array[:, None], x.dtype)[:, 0], x.dtype), MV, x, vec)


def check_vector(matrix: Tensor, vec: Tensor, ndim: int) -> None:
    """Refuse what are no matrix and vector that multiply, to be added to something of `ndim` axes."""
    if matrix.array.ndim != 2 or vec.array.ndim != 1 or ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {ndim}, {matrix.array.ndim}, {vec.array.ndim} axes")
    (rows, inner), (found,) = matrix.array.shape, vec.array.shape
    if inner != found:
        raise RuntimeError(f"size mismatch, got input ({rows}), mat ({rows}x{inner}), vec ({found})")
    if matrix.dtype is not vec.dtype:
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but the matrix is {matrix.dtype.name} and the vector "
            f"{vec.dtype.name}"
        )


def dot(x: Any, tensor: Any) -> Tensor:
    """The sum of products of two vectors, ``sum over k of x[k] * y[k]``.

    Raises
    ------
    RuntimeError
        When an operand is not a vector, or when sizes or dtypes differ.

    Examples
    --------
    >>> import kael
    >>> kael.dot(kael.tensor([1.0, 2.0]), kael.tensor([10.0, 1.0]))
    tensor(12.)
    """
    factors("dot", x, tensor)
    if x.array.ndim != 1 or tensor.array.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {x.array.ndim}D and {tensor.array.ndim}D tensors")
    if x.dtype is not tensor.dtype:
        raise RuntimeError(
            f"dot : expected both vectors to have same dtype, but found {x.dtype.name} and {tensor.dtype.name}"
        )
    if x.array.shape != tensor.array.shape:
        raise refused_product(x.array.shape, tensor.array.shape)
    result = product(x.array[None], tensor.array[:, None], x.dtype)
    return record_binary(fresh(result.reshape(()), x.dtype), DOT, x, tensor)


def vdot(x: Any, other: Any) -> Tensor:
    """As `dot`: without complex numbers there is nothing to conjugate."""
    return dot(x, other)


def outer(x: Any, vec2: Any) -> Tensor:
    """All products of two vectors, ``c[i, j] = x[i] * y[j]``; the dtypes are promoted.

    Raises
    ------
    RuntimeError
        When an operand is not a vector.

    Examples
    --------
    >>> import kael
    >>> kael.outer(kael.tensor([1, 2]), kael.tensor([10, 20, 30]))
    tensor([[10, 20, 30],
            [20, 40, 60]])
    """
    for name, operand in (("self", x), ("vec2", vec2)):
        if isinstance(operand, Tensor) and operand.array.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {operand.array.ndim}-D")
    left, right = promoted("outer", x, vec2)
    result = compute_pair(table.mul, left.dtype, left.dtype, left.array[:, None], right.array)
    return record_binary(result, OUTER, left, right)


def ger(x: Any, vec2: Any) -> Tensor:
    """Another name of `outer`."""
    return outer(x, vec2)


def added(op: Op, x: Tensor, a: Tensor, b: Tensor, result: Any, beta: Any, alpha: Any) -> Tensor:
    """``beta * x + alpha * result``, recorded; with `beta` 0 not even nan of `x` counts."""
    if not x.dtype.is_floating_point:
        beta, alpha = int(beta), int(alpha)
    expanded(x.array.shape, result.shape)
    total = fresh(result, x.dtype)
    if alpha != 1:
        total = mul(total, alpha)
    if beta != 0:
        base = x.detach()
        total = add(base if beta == 1 else mul(base, beta), total)
    return record(total, op, (x, a, b), (beta, alpha))


def expanded(shape: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    """Refuse a shape that does not expand to the one wanted."""
    if len(shape) > len(wanted):
        raise RuntimeError(
            f"expand: the number of sizes provided ({len(wanted)}) must be greater or equal to the number of "
            f"dimensions in the tensor ({len(shape)})"
        )
    for axis in range(-1, -len(shape) - 1, -1):
        if shape[axis] not in (1, wanted[axis]):
            raise RuntimeError(
                f"The expanded size of the tensor ({wanted[axis]}) must match the existing size ({shape[axis]}) at "
                f"non-singleton dimension {len(wanted) + axis}.  Target sizes: {wanted}.  Tensor sizes: {shape}"
            )


def check_dtypes(x: Tensor, a: Tensor, b: Tensor) -> None:
    """Refuse three operands that are not of one dtype."""
    if a.dtype is not b.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {a.dtype.name} != {b.dtype.name}")
    if x.dtype is not a.dtype:
        raise RuntimeError(f"self and mat2 must have the same dtype, but got {x.dtype.name} and {a.dtype.name}")


def addmm(x: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """A matrix product added to something that broadcasts: ``beta * x + alpha * (mat1 @ mat2)``.

    Parameters
    ----------
    x : Tensor
        What is added; it must expand to the product's shape.
    mat1, mat2 : Tensor
        The factors.
    beta, alpha : number
        Weights of the two parts. With `beta` 0, `x` is not read: its nan and inf do not spread.

    Raises
    ------
    RuntimeError
        When a factor is not a matrix, when sizes do not fit, or when the dtypes differ.

    Examples
    --------
    >>> import kael
    >>> kael.addmm(kael.tensor([1.0, 2.0]), kael.ones(2, 3), kael.ones(3, 2), alpha=10)
    tensor([[31., 32.],
            [31., 32.]])
    """
    factors("addmm", x, mat1, mat2)
    for name, operand in (("mat1", mat1), ("mat2", mat2)):
        if operand.array.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {operand.array.ndim}-D tensor")
    if mat1.array.shape[1] != mat2.array.shape[0]:
        raise refused_sizes(mat1.array.shape, mat2.array.shape)
    check_dtypes(x, mat1, mat2)
    return added(ADDMM, x, mat1, mat2, product(mat1.array, mat2.array, x.dtype), beta, alpha)


def addmv(x: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """A matrix times a vector added to a vector: ``beta * x + alpha * (mat @ vec)``.

    Parameters and errors are those of `addmm`.

    Examples
    --------
    >>> import kael
    >>> kael.addmv(kael.tensor([1.0, 2.0]), kael.ones(2, 3), kael.ones(3))
    tensor([4., 5.])
    """
    factors("addmv", x, mat, vec)
    check_vector(mat, vec, x.array.ndim)
    check_dtypes(x, mat, vec)
    return added(ADDMV, x, mat, vec, product(mat.array, vec.array[:, None], x.dtype)[:, 0], beta, alpha)


def baddbmm(x: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Products added to something that broadcasts: ``beta * x + alpha * (batch1 @ batch2)``.

    Parameters and errors are those of `addmm`, for batches as `bmm` takes them.

    Examples
    --------
    >>> import kael
    >>> kael.baddbmm(kael.zeros(2), kael.ones(5, 2, 3), kael.ones(5, 3, 2)).shape
    (5, 2, 2)
    """
    factors("baddbmm", x, batch1, batch2)
    check_batches(batch1, batch2)
    check_dtypes(x, batch1, batch2)
    return added(BADDBMM, x, batch1, batch2, product(batch1.array, batch2.array, x.dtype), beta, alpha)


def addbmm(x: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """A sum of products added to a matrix: ``beta * x + alpha * (sum of batch1[n] @ batch2[n])``.

    Parameters and errors are those of `addmm`, for batches as `bmm` takes them.

    Examples
    --------
    >>> import kael
    >>> kael.addbmm(kael.zeros(1, 1), kael.ones(5, 1, 3), kael.ones(5, 3, 1))
    tensor([[15.]])
    """
    factors("addbmm", x, batch1, batch2)
    check_batches(batch1, batch2)
    check_dtypes(x, batch1, batch2)
    # Side by side, the matrices of the batch are one long product.
    batch, rows, inner = batch1.array.shape
    wide = batch1.array.swapaxes(0, 1).reshape(rows, batch * inner)
    tall = batch2.array.reshape(batch * inner, batch2.array.shape[2])
    return added(ADDBMM, x, batch1, batch2, product(wide, tall, x.dtype), beta, alpha)


def linear(x: Any, weight: Any, bias: Any = None) -> Tensor:
    """``y = x @ weight.T + bias``.

    Parameters
    ----------
    x : Tensor of shape (*, in)
        Inputs.
    weight : Tensor of shape (out, in) or (in,)
        One row of weights per output; a vector makes one output without an axis.
    bias : Tensor of shape (out,), optional
        Added to every row; anything that expands to the outputs.

    Returns
    -------
    Tensor of shape (*, out)
        The outputs.

    Raises
    ------
    RuntimeError
        When an operand is 0-d, when sizes do not fit, or when the dtypes differ.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.linear(kael.tensor([[1.0, 2.0]]), kael.tensor([[3.0, 4.0]]), kael.tensor([0.5]))
    tensor([[11.5000]])
    """
    factors("linear", x, weight)
    if bias is not None:
        factors("linear", bias)
    if x.array.ndim == 0 or weight.array.ndim == 0:
        raise RuntimeError(
            f"both arguments to linear need to be at least 1D, but they are {x.array.ndim}D and {weight.array.ndim}D"
        )
    if weight.array.ndim == 1:
        result = matmul(x, weight)
        return result if bias is None else add(result, bias)
    if weight.array.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {weight.array.ndim}D: the weight")
    shape, (columns, inner) = x.array.shape, weight.array.shape
    rows = as_rows(x.array)
    if shape[-1] != inner:
        raise refused_sizes(rows.shape, (inner, columns))
    if x.dtype is not weight.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {x.dtype.name} != {weight.dtype.name}")
    out = product(rows, weight.array.T, x.dtype).reshape(*shape[:-1], columns)
    if bias is None:
        return record_binary(fresh(out, x.dtype), LINEAR, x, weight)
    if bias.dtype is not x.dtype:
        raise RuntimeError(f"self and mat2 must have the same dtype, but got {bias.dtype.name} and {x.dtype.name}")
    expanded(bias.array.shape, out.shape)
    if x.dtype.wide is None:
        table.add(out, bias.array, out)
    else:
        out += bias.array
    return record(fresh(out, x.dtype), LINEAR, (x, weight, bias))


def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Tensor:
    """``y[..., o] = sum over i, j of x1[..., i] * weight[o, i, j] * x2[..., j] + bias[o]``.

    Parameters
    ----------
    input1 : Tensor of shape (*, in1)
        The left inputs.
    input2 : Tensor of shape (*, in2)
        The right inputs; the axes before the last are those of `input1`.
    weight : Tensor of shape (out, in1, in2)
        One matrix of weights per output.
    bias : Tensor of shape (out,), optional
        Added to every row.

    Examples
    --------
    >>> import kael
    >>> kael.nn.functional.bilinear(kael.ones(5, 2), kael.ones(5, 3), kael.ones(4, 2, 3)).shape
    (5, 4)
    """
    factors("bilinear", input1, input2, weight)
    left, right, sizes = input1.array.shape, input2.array.shape, weight.array.shape
    if left[:-1] != right[:-1]:
        raise RuntimeError(f"bilinear(): input batch dimensions do not match: input1 is {left}, input2 is {right}")
    if len(sizes) != 3 or (left[-1], right[-1]) != sizes[1:]:
        raise RuntimeError(
            f"bilinear(): the weight is {sizes} but input1 has size {left[-1]} and input2 {right[-1]} on the last axis"
        )
    pairs = mul(reshape(input1, (*left, 1)), reshape(input2, (*left[:-1], 1, right[-1])))
    return linear(
        reshape(pairs, (*left[:-1], sizes[1] * sizes[2])), reshape(weight, (sizes[0], sizes[1] * sizes[2])), bias
    )


def inner(x: Any, other: Any) -> Tensor:
    """The sums of products over the last axes of two tensors: ``c[i, j] = sum over k of a[i, k] * b[j, k]``.

    Raises
    ------
    RuntimeError
        When the last axes or the dtypes differ.

    Examples
    --------
    >>> import kael
    >>> kael.inner(kael.ones(2, 3), kael.ones(4, 3)).shape
    (2, 4)
    """
    factors("inner", x, other)
    if x.array.ndim == 0 or other.array.ndim == 0:
        return mul(x, other)
    if x.array.shape[-1] != other.array.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{x.array.shape} and {other.array.shape}"
        )
    return tensordot(x, other, ([-1], [-1]))


def tensordot(a: Any, b: Any, dims: Any = 2) -> Tensor:
    """The sums of products over several axes of two tensors; the axes that are left follow each other.

    Parameters
    ----------
    a, b : Tensor
        The factors, of one dtype.
    dims : int or pair of sequences of int
        How many of the last axes of `a` meet the first of `b`, or which meet which.

    Raises
    ------
    RuntimeError
        When axes that meet differ in size, when their numbers do, or when the dtypes do.

    Examples
    --------
    >>> import kael
    >>> kael.tensordot(kael.ones(2, 3, 4), kael.ones(3, 4, 5)).shape
    (2, 5)
    >>> kael.tensordot(kael.ones(2, 3), kael.ones(5, 2), dims=([0], [1])).shape
    (3, 5)
    """
    factors("tensordot", a, b)
    if a.dtype is not b.dtype:
        raise RuntimeError(f"both inputs should have same dtype, got {a.dtype.name} and {b.dtype.name}")
    left, right = meeting_axes(a.array.ndim, b.array.ndim, dims)
    for first, second in zip(left, right, strict=True):
        sizes = a.array.shape[first], b.array.shape[second]
        if sizes[0] != sizes[1] and 1 in sizes:
            a = a if sizes[0] == 1 else sum(a, first, keepdim=True, dtype=a.dtype)
            b = b if sizes[1] == 1 else sum(b, second, keepdim=True, dtype=b.dtype)
        elif sizes[0] != sizes[1]:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {sizes[0]} in dim {first} and second has "
                f"size {sizes[1]} in dim {second}"
            )
    kept_left = [axis for axis in range(a.array.ndim) if axis not in left]
    kept_right = [axis for axis in range(b.array.ndim) if axis not in right]
    rows = tuple([a.array.shape[axis] for axis in kept_left])
    columns = tuple([b.array.shape[axis] for axis in kept_right])
    meeting = prod([a.array.shape[axis] for axis in left])
    a = reshape(permute(a, [*kept_left, *left]), (prod(rows), meeting))
    b = reshape(permute(b, [*right, *kept_right]), (meeting, prod(columns)))
    return reshape(mm(a, b), (*rows, *columns))


def meeting_axes(a_ndim: int, b_ndim: int, dims: Any) -> tuple[list[int], list[int]]:
    """The axes of two tensors that meet in `tensordot`, counted from the front."""
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a_ndim, b_ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        return list(range(a_ndim - dims, a_ndim)), list(range(dims))
    pair = [[axes] if isinstance(axes, int) else list(axes) for axes in dims]
    if len(pair) != 2 or len(pair[0]) != len(pair[1]):
        raise RuntimeError(f"both dimension lists should have same length, got {dims}")
    return axes_list(pair[0], a_ndim), axes_list(pair[1], b_ndim)


def axes_list(axes: Sequence[int], ndim: int) -> list[int]:
    """Axes counted from the front, in the order given."""
    return list(axes_of(tuple(axes), ndim)) if axes else []


def kron(x: Any, other: Any) -> Tensor:
    """The Kronecker product: every element of one tensor times the whole other, laid out in blocks.

    Examples
    --------
    >>> import kael
    >>> kael.kron(kael.tensor([1, 10]), kael.tensor([1, 2, 3]))
    tensor([ 1,  2,  3, 10, 20, 30])
    """
    left, right = promoted("kron", x, other)
    ndim = max(left.array.ndim, right.array.ndim)
    a = (1,) * (ndim - left.array.ndim) + left.array.shape
    b = (1,) * (ndim - right.array.ndim) + right.array.shape
    blocks = mul(
        reshape(left, [size for pair in a for size in (pair, 1)]),
        reshape(right, [size for pair in b for size in (1, pair)]),
    )
    return reshape(blocks, [m * n for m, n in zip(a, b, strict=True)])


def chain_matmul(*matrices: Any) -> Tensor:
    """The product of several matrices in the order that needs the fewest multiplications.

    Parameters
    ----------
    *matrices : Tensor
        Matrices whose sizes fit one after the other.

    Notes
    -----
    Which pair to multiply last is found for every run of factors from the shorter runs inside it.

    Examples
    --------
    >>> import kael
    >>> kael.chain_matmul(kael.ones(10, 2), kael.ones(2, 10), kael.ones(10, 1)).shape
    (10, 1)
    """
    factors("chain_matmul", *matrices)
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    for number, matrix in enumerate(matrices):
        if matrix.array.ndim != 2:
            raise RuntimeError(f"Tensor dimension is {matrix.array.ndim}, expected 2 instead: matrix {number}")
    best = {(first, first): (0, first) for first in range(len(matrices))}
    shapes = [matrix.array.shape for matrix in matrices]
    for length in range(1, len(matrices)):
        for first in range(len(matrices) - length):
            last = first + length
            best[first, last] = min(
                (
                    best[first, cut][0] + best[cut + 1, last][0] + shapes[first][0] * shapes[cut][1] * shapes[last][1],
                    cut,
                )
                for cut in range(first, last)
            )

    return in_order(matrices, best, 0, len(matrices) - 1)


def in_order(matrices: Any, best: dict[tuple[int, int], tuple[int, int]], first: int, last: int) -> Tensor:
    """The product of a run of matrices, cut where it is best.

    A function that called itself from inside another would be a cycle, and hold the matrices for the collector.
    """
    if first == last:
        single: Tensor = matrices[first]
        return single
    cut = best[first, last][1]
    return mm(in_order(matrices, best, first, cut), in_order(matrices, best, cut + 1, last))


METHODS = (addbmm, addmm, addmv, baddbmm, bmm, dot, ger, inner, kron, matmul, mm, mv, outer, vdot)
FUNCTIONS = (*METHODS, chain_matmul, tensordot)
