"""The tensor: a storage, a view on it, a dtype, and autograd's state if it takes part.

Tensor sits below the operations: each of its methods is one line that calls a function of `kael.ops` or
`kael.autograd`, bound once when the package is imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kael.devices import CPU, device
from kael.dtypes import DType
from kael.operators import Operators
from kael.storage import Storage

autograd: Any = None
copying: Any = None
interop: Any = None
operators = Operators()
ops: Any = None
printing: Any = None
scalars: Any = None


def bind(operations: Operators, **modules: Any) -> None:
    """Give the methods what they call, modules by name; done once, by the package."""
    global operators
    operators = operations
    globals().update(modules)


class Tensor:
    """An n-dimensional array that can record how it was computed.

    Tensors are made by `kael.tensor`, `kael.zeros` and their kind, and by operations. ``NumPy`` keeps the bytes and
    the strides; kael owns the meaning.

    Attributes
    ----------
    array : numpy.ndarray
        The view on its memory that gives shape, strides and offset.
    dtype : DType
        The element type.
    memory : Storage or None
        The memory and its version counter, shared with every view; None until `storage` is asked for.
    link : NodeInput or None
        How the nodes that read the tensor refer to it; None while no node has.
    base : Tensor or None
        For a view of a leaf, that leaf.
    """

    __slots__ = ("__weakref__", "array", "base", "dtype", "link", "memory")

    __array_ufunc__ = None

    def __init__(self, storage: Any = None, array: Any = None, dtype: Any = None) -> None:
        if not isinstance(storage, Storage):
            raise TypeError("Tensor(...): make tensors with kael.tensor(values), kael.empty(2, 3) and their kind")
        self.memory: Any = storage
        self.array = array
        self.dtype: DType = dtype
        self.link: Any = None
        self.base: Any = None

    @property
    def storage(self) -> Storage:
        """The memory, shared with every view."""
        return memory_of(self)

    @property
    def meta(self) -> Any:
        """The state of differentiation; None for a tensor that takes no part."""
        return None if self.link is None else self.link.meta

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""
        shape: tuple[int, ...] = self.array.shape
        return shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return int(self.array.ndim)

    @property
    def version(self) -> int:
        """How often the storage has been written in place."""
        return memory_of(self).version

    @property
    def _version(self) -> int:
        return memory_of(self).version

    @property
    def T(self) -> Tensor:
        """The transpose of a matrix."""
        return ops.shape.turned(self)

    @property
    def mT(self) -> Tensor:
        """The last two axes swapped."""
        return ops.shape.matrices_turned(self)

    @property
    def H(self) -> Tensor:
        """The transpose of a matrix; there are no complex numbers to conjugate."""
        return ops.shape.conjugate_turned(self)

    @property
    def device(self) -> device:
        """The CPU: where all tensors lie."""
        return CPU

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return int(self.array.nbytes)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    @property
    def data(self) -> Tensor:
        """The same memory without history; as `detach`, and writes to it are counted."""
        return self.detach()

    @data.setter
    def data(self, value: Tensor) -> None:
        autograd.set_data(self, value)

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation produced the tensor."""
        return self.grad_fn is None

    @property
    def grad_fn(self) -> Any:
        """The node that produced the tensor; None for a leaf."""
        return None if self.link is None else self.link.grad_fn

    @property
    def requires_grad(self) -> bool:
        """Whether the tensor takes part in differentiation."""
        return self.link is not None and self.link.requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        autograd.requires_grad_(self, value)

    @property
    def grad(self) -> Tensor | None:
        """The accumulated gradient, or None."""
        return autograd.get_grad(self)

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        autograd.set_grad(self, value)

    @grad.deleter
    def grad(self) -> None:
        autograd.set_grad(self, None)

    def detach(self) -> Tensor:
        """The same memory and version counter, without history; a leaf that does not require grad."""
        result = Tensor.__new__(Tensor)
        result.memory = memory_of(self)
        result.array = self.array
        result.dtype = self.dtype
        result.link = None
        result.base = None
        return result

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the size of one axis."""
        return self.array.shape if dim is None else self.array.shape[ops.dispatch.axis_of(dim, self.array.ndim)]

    def stride(self, dim: int | None = None) -> Any:
        """Steps between neighbours along each axis, in elements."""
        steps = tuple(step // self.dtype.itemsize for step in self.array.strides)
        return steps if dim is None else steps[ops.dispatch.axis_of(dim, self.array.ndim)]

    def storage_offset(self) -> int:
        """Where the view begins in its storage, in elements."""
        first = self.array.__array_interface__["data"][0]
        return int(first - self.storage.array.__array_interface__["data"][0]) // self.dtype.itemsize

    def data_ptr(self) -> int:
        """Address of the first element."""
        return int(self.array.__array_interface__["data"][0])

    def is_contiguous(self) -> bool:
        """Whether the elements lie in row-major order without gaps."""
        return bool(self.array.flags.c_contiguous)

    def tolist(self) -> Any:
        """The elements as nested lists; a number for a 0-d tensor."""
        return self.array.tolist()

    def item(self) -> Any:
        """The one element as a Python number.

        Raises
        ------
        RuntimeError
            When there is not exactly one element.
        """
        return scalars.item(self)

    def numpy(self, *, force: bool = False) -> Any:
        """The same memory as a NumPy array. Writes to it are not seen by the version counter.

        Raises
        ------
        RuntimeError
            When the tensor requires grad, unless by `force`.
        """
        return interop.as_array(self, force)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return interop.to_array(self, dtype, copy)

    def __dlpack__(self, **options: Any) -> Any:
        return interop.to_dlpack(self, options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()

    def backward(
        self, gradient: Tensor | None = None, retain_graph: bool | None = None, create_graph: bool = False,
        inputs: Any = None,
    ) -> None:  # fmt: skip
        """Accumulate the gradients of this tensor into the leaves it depends on; see `kael.autograd.backward`."""
        autograd.backward(self, gradient, retain_graph, create_graph, inputs)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Turn differentiation with respect to this leaf on or off, in place."""
        autograd.requires_grad_(self, requires_grad)
        return self

    def retain_grad(self) -> None:
        """Keep the gradient of this non-leaf in its ``grad``."""
        autograd.retain_grad(self)

    @property
    def retains_grad(self) -> bool:
        """Whether this is a non-leaf that keeps its gradient."""
        return self.grad_fn is not None and self.grad_fn.retains

    def register_hook(self, hook: Any) -> Any:
        """Call a function with the gradient of this tensor; see `kael.autograd.hooks`."""
        return autograd.register_hook(self, hook)

    def register_post_accumulate_grad_hook(self, hook: Any) -> Any:
        """Call a function with this leaf whenever its ``grad`` is complete; see `kael.autograd.hooks`."""
        return autograd.register_post_accumulate_grad_hook(self, hook)

    def detach_(self) -> Tensor:
        """Cut this tensor from its history, in place."""
        autograd.detach_(self)
        return self

    def __repr__(self) -> str:
        return printing.describe(self)

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if self.array.ndim == 0 else object.__format__(self, spec)

    def __len__(self) -> int:
        if self.array.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return len(self.array)

    def __bool__(self) -> bool:
        return bool(scalars.truth(self))

    def __int__(self) -> int:
        return int(scalars.number(self))

    def __float__(self) -> float:
        return float(scalars.number(self))

    def __index__(self) -> int:
        return int(scalars.index(self))

    def __iter__(self) -> Iterator[Tensor]:
        if self.array.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter([ops.getitem(self, k) for k in range(len(self.array))])

    def __reversed__(self) -> Tensor:
        return ops.flip(self, (0,)) if self.array.ndim else self

    def __contains__(self, value: Any) -> bool:
        return bool(scalars.contains(self, value))

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return copying.deepcopy(self, memo)

    def __reduce__(self) -> Any:
        return copying.reduce(self)

    def __getitem__(self, index: Any) -> Tensor:
        return ops.getitem(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        ops.setitem(self, index, value)

    def __pos__(self) -> Tensor:
        return self

    # [op-methods]
    def __neg__(self) -> Tensor:
        return ops.neg(self)

    def __abs__(self) -> Tensor:
        return ops.abs(self)

    def __invert__(self) -> Tensor:
        return ops.bitwise_not(self)

    def __eq__(self, other: Any) -> Tensor:  # type: ignore[override]
        return NotImplemented if other is None or isinstance(other, str) else ops.eq(self, other)

    def __ne__(self, other: Any) -> Tensor:  # type: ignore[override]
        return NotImplemented if other is None or isinstance(other, str) else ops.ne(self, other)

    def __lt__(self, other: Any) -> Tensor:
        return ops.lt(self, other)

    def __le__(self, other: Any) -> Tensor:
        return ops.le(self, other)

    def __gt__(self, other: Any) -> Tensor:
        return ops.gt(self, other)

    def __ge__(self, other: Any) -> Tensor:
        return ops.ge(self, other)

    def __add__(self, other: Any) -> Tensor:
        return operators.add(self, other)

    def __radd__(self, other: Any) -> Tensor:
        return operators.add(other, self)

    def __iadd__(self, other: Any) -> Tensor:
        return self.add_(other)

    def __sub__(self, other: Any) -> Tensor:
        return operators.sub(self, other)

    def __rsub__(self, other: Any) -> Tensor:
        return operators.sub(other, self)

    def __isub__(self, other: Any) -> Tensor:
        return self.sub_(other)

    def __mul__(self, other: Any) -> Tensor:
        return operators.mul(self, other)

    def __rmul__(self, other: Any) -> Tensor:
        return operators.mul(other, self)

    def __imul__(self, other: Any) -> Tensor:
        return self.mul_(other)

    def __truediv__(self, other: Any) -> Tensor:
        return operators.div(self, other)

    def __rtruediv__(self, other: Any) -> Tensor:
        return operators.div(other, self)

    def __itruediv__(self, other: Any) -> Tensor:
        return self.div_(other)

    def __floordiv__(self, other: Any) -> Tensor:
        return ops.floor_divide(self, other)

    def __rfloordiv__(self, other: Any) -> Tensor:
        return ops.floor_divide(other, self)

    def __ifloordiv__(self, other: Any) -> Tensor:
        return self.floor_divide_(other)

    def __mod__(self, other: Any) -> Tensor:
        return ops.remainder(self, other)

    def __rmod__(self, other: Any) -> Tensor:
        return ops.remainder(other, self)

    def __imod__(self, other: Any) -> Tensor:
        return self.remainder_(other)

    def __pow__(self, other: Any) -> Tensor:
        return ops.pow(self, other)

    def __rpow__(self, other: Any) -> Tensor:
        return ops.pow(other, self)

    def __ipow__(self, other: Any) -> Tensor:
        return self.pow_(other)

    def __matmul__(self, other: Any) -> Tensor:
        return operators.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Tensor:
        return operators.matmul(other, self)

    def __and__(self, other: Any) -> Tensor:
        return ops.bitwise_and(self, other)

    def __rand__(self, other: Any) -> Tensor:
        return ops.bitwise_and(other, self)

    def __iand__(self, other: Any) -> Tensor:
        return self.bitwise_and_(other)

    def __or__(self, other: Any) -> Tensor:
        return ops.bitwise_or(self, other)

    def __ror__(self, other: Any) -> Tensor:
        return ops.bitwise_or(other, self)

    def __ior__(self, other: Any) -> Tensor:
        return self.bitwise_or_(other)

    def __xor__(self, other: Any) -> Tensor:
        return ops.bitwise_xor(self, other)

    def __rxor__(self, other: Any) -> Tensor:
        return ops.bitwise_xor(other, self)

    def __ixor__(self, other: Any) -> Tensor:
        return self.bitwise_xor_(other)

    def __lshift__(self, other: Any) -> Tensor:
        return ops.bitwise_left_shift(self, other)

    def __rlshift__(self, other: Any) -> Tensor:
        return ops.bitwise_left_shift(other, self)

    def __ilshift__(self, other: Any) -> Tensor:
        return self.bitwise_left_shift_(other)

    def __rshift__(self, other: Any) -> Tensor:
        return ops.bitwise_right_shift(self, other)

    def __rrshift__(self, other: Any) -> Tensor:
        return ops.bitwise_right_shift(other, self)

    def __irshift__(self, other: Any) -> Tensor:
        return self.bitwise_right_shift_(other)

    def abs(self) -> Tensor:
        """The absolute value of x."""
        return ops.abs(self)

    def abs_(self) -> Tensor:
        """`abs` in place."""
        return ops.in_place(self, "abs_", ops.abs)

    def absolute(self) -> Tensor:
        """As `abs`."""
        return self.abs()

    def absolute_(self) -> Tensor:
        """As `abs_`."""
        return self.abs_()

    def acos(self) -> Tensor:
        """The angle from 0 to pi whose cosine is x; nan outside -1 to 1."""
        return ops.acos(self)

    def acos_(self) -> Tensor:
        """`acos` in place."""
        return ops.in_place(self, "acos_", ops.acos)

    def acosh(self) -> Tensor:
        """The inverse hyperbolic cosine of x; nan below 1."""
        return ops.acosh(self)

    def acosh_(self) -> Tensor:
        """`acosh` in place."""
        return ops.in_place(self, "acosh_", ops.acosh)

    def add(self, other: Any, alpha: Any = 1) -> Tensor:
        """The sum ``x + alpha * other`` of two broadcastable operands."""
        return ops.add(self, other, alpha)

    def add_(self, other: Any, alpha: Any = 1) -> Tensor:
        """Add in place: ``x += alpha * other``."""
        return ops.add_(self, other, alpha)

    def addbmm(self, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """A sum of products added to a matrix: ``beta * x + alpha * (sum of batch1[n] @ batch2[n])``."""
        return ops.addbmm(self, batch1, batch2, beta=beta, alpha=alpha)

    def addcdiv(self, tensor1: Any, tensor2: Any, value: Any = 1) -> Tensor:
        """The sum ``x + value * tensor1 / tensor2`` of broadcastable operands."""
        return ops.addcdiv(self, tensor1, tensor2, value)

    def addcdiv_(self, tensor1: Any, tensor2: Any, value: Any = 1) -> Tensor:
        """`addcdiv` in place."""
        return ops.in_place(self, "addcdiv_", ops.addcdiv, tensor1, tensor2, value)

    def addcmul(self, tensor1: Any, tensor2: Any, value: Any = 1) -> Tensor:
        """The sum ``x + value * tensor1 * tensor2`` of broadcastable operands."""
        return ops.addcmul(self, tensor1, tensor2, value)

    def addcmul_(self, tensor1: Any, tensor2: Any, value: Any = 1) -> Tensor:
        """`addcmul` in place."""
        return ops.in_place(self, "addcmul_", ops.addcmul, tensor1, tensor2, value)

    def addmm(self, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """A matrix product added to something that broadcasts: ``beta * x + alpha * (mat1 @ mat2)``."""
        return ops.addmm(self, mat1, mat2, beta=beta, alpha=alpha)

    def addmv(self, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """A matrix times a vector added to a vector: ``beta * x + alpha * (mat @ vec)``."""
        return ops.addmv(self, mat, vec, beta=beta, alpha=alpha)

    def adjoint(self) -> Tensor:
        """The last two axes swapped, since there are no complex numbers to conjugate; a view."""
        return ops.adjoint(self)

    def all(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        """Whether every element is nonzero, over some axes or all; true of no elements, and a nan is nonzero."""
        return ops.all(self, dim, keepdim)

    def allclose(self, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
        """Whether `isclose` holds everywhere."""
        return ops.allclose(self, other, rtol, atol, equal_nan)

    def amax(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        """The largest element over some axes, or all; nan wins, and ties share the gradient."""
        return ops.amax(self, dim, keepdim)

    def amin(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        """The smallest element over some axes, or all; nan wins, and ties share the gradient."""
        return ops.amin(self, dim, keepdim)

    def aminmax(self, *, dim: Any = None, keepdim: bool = False) -> Any:
        """The smallest and the largest element, along an axis or of all; nan wins, and ties share the gradient."""
        return ops.aminmax(self, dim=dim, keepdim=keepdim)

    def any(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        """Whether an element is nonzero, over some axes or all; false of no elements, and a nan is nonzero."""
        return ops.any(self, dim, keepdim)

    def arccos(self) -> Tensor:
        """As `acos`."""
        return self.acos()

    def arccos_(self) -> Tensor:
        """As `acos_`."""
        return self.acos_()

    def arccosh(self) -> Tensor:
        """As `acosh`."""
        return self.acosh()

    def arccosh_(self) -> Tensor:
        """As `acosh_`."""
        return self.acosh_()

    def arcsin(self) -> Tensor:
        """As `asin`."""
        return self.asin()

    def arcsin_(self) -> Tensor:
        """As `asin_`."""
        return self.asin_()

    def arcsinh(self) -> Tensor:
        """As `asinh`."""
        return self.asinh()

    def arcsinh_(self) -> Tensor:
        """As `asinh_`."""
        return self.asinh_()

    def arctan(self) -> Tensor:
        """As `atan`."""
        return self.atan()

    def arctan2(self, other: Any) -> Tensor:
        """As `atan2`."""
        return self.atan2(other)

    def arctan2_(self, other: Any) -> Tensor:
        """As `atan2_`."""
        return self.atan2_(other)

    def arctan_(self) -> Tensor:
        """As `atan_`."""
        return self.atan_()

    def arctanh(self) -> Tensor:
        """As `atanh`."""
        return self.atanh()

    def arctanh_(self) -> Tensor:
        """As `atanh_`."""
        return self.atanh_()

    def argmax(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        """Index of the first largest element along an axis, or in row-major order over all; nan wins."""
        return ops.argmax(self, dim, keepdim)

    def argmin(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        """Index of the first smallest element along an axis, or in row-major order over all; nan wins."""
        return ops.argmin(self, dim, keepdim)

    def argsort(self, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
        """The places of the elements in order along an axis: the indices of `sort`."""
        return ops.argsort(self, dim, descending, stable=stable)

    def argwhere(self) -> Tensor:
        """The places of the elements that are not zero, as `nonzero` gives them."""
        return ops.argwhere(self)

    def as_strided(self, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
        """A view of the storage with any sizes and strides, in elements, also beyond the input."""
        return ops.as_strided(self, size, stride, storage_offset)

    def asin(self) -> Tensor:
        """The angle from -pi/2 to pi/2 whose sine is x; nan outside -1 to 1."""
        return ops.asin(self)

    def asin_(self) -> Tensor:
        """`asin` in place."""
        return ops.in_place(self, "asin_", ops.asin)

    def asinh(self) -> Tensor:
        """The inverse hyperbolic sine of x."""
        return ops.asinh(self)

    def asinh_(self) -> Tensor:
        """`asinh` in place."""
        return ops.in_place(self, "asinh_", ops.asinh)

    def atan(self) -> Tensor:
        """The angle from -pi/2 to pi/2 whose tangent is x."""
        return ops.atan(self)

    def atan2(self, other: Any) -> Tensor:
        """The angle from -pi to pi of the point with height x and width `other`, as in ``atan(x / other)``."""
        return ops.atan2(self, other)

    def atan2_(self, other: Any) -> Tensor:
        """`atan2` in place."""
        return ops.in_place(self, "atan2_", ops.atan2, other)

    def atan_(self) -> Tensor:
        """`atan` in place."""
        return ops.in_place(self, "atan_", ops.atan)

    def atanh(self) -> Tensor:
        """The inverse hyperbolic tangent of x; an infinity at -1 and 1, nan beyond."""
        return ops.atanh(self)

    def atanh_(self) -> Tensor:
        """`atanh` in place."""
        return ops.in_place(self, "atanh_", ops.atanh)

    def baddbmm(self, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """Products added to something that broadcasts: ``beta * x + alpha * (batch1 @ batch2)``."""
        return ops.baddbmm(self, batch1, batch2, beta=beta, alpha=alpha)

    def bernoulli(self, p: float | None = None, *, generator: Any = None) -> Tensor:
        """1 where a coin came up heads, 0 elsewhere: each element of `x` is a probability, or `p` is that of all."""
        return ops.bernoulli(self, p, generator=generator)

    def bernoulli_(self, p: Any = 0.5, *, generator: Any = None) -> Tensor:
        """Fill with 1 where a coin of probability `p` came up heads and 0 elsewhere, in place."""
        return ops.bernoulli_(self, p, generator=generator)

    def bincount(self, weights: Any = None, minlength: int = 0) -> Tensor:
        """How often each of the numbers 0, 1, 2, ... occurs, or the sum of the weights where it does."""
        return ops.bincount(self, weights, minlength)

    def bitwise_and(self, other: Any) -> Tensor:
        """The operator ``&``: the bits that are set in both."""
        return ops.bitwise_and(self, other)

    def bitwise_and_(self, other: Any) -> Tensor:
        """`bitwise_and` in place."""
        return ops.in_place(self, "bitwise_and_", ops.bitwise_and, other)

    def bitwise_left_shift(self, other: Any) -> Tensor:
        """The operator ``<<``: the bits of an integer moved up, 0 where they all leave it."""
        return ops.bitwise_left_shift(self, other)

    def bitwise_left_shift_(self, other: Any) -> Tensor:
        """`bitwise_left_shift` in place."""
        return ops.in_place(self, "bitwise_left_shift_", ops.bitwise_left_shift, other)

    def bitwise_not(self) -> Tensor:
        """The operator ``~``: all bits of an integer inverted; of bool, the inverse of a mask."""
        return ops.bitwise_not(self)

    def bitwise_not_(self) -> Tensor:
        """`bitwise_not` in place."""
        return ops.in_place(self, "bitwise_not_", ops.bitwise_not)

    def bitwise_or(self, other: Any) -> Tensor:
        """The operator ``|``: the bits that are set in either."""
        return ops.bitwise_or(self, other)

    def bitwise_or_(self, other: Any) -> Tensor:
        """`bitwise_or` in place."""
        return ops.in_place(self, "bitwise_or_", ops.bitwise_or, other)

    def bitwise_right_shift(self, other: Any) -> Tensor:
        """The operator ``>>``: the bits of an integer moved down, the sign following."""
        return ops.bitwise_right_shift(self, other)

    def bitwise_right_shift_(self, other: Any) -> Tensor:
        """`bitwise_right_shift` in place."""
        return ops.in_place(self, "bitwise_right_shift_", ops.bitwise_right_shift, other)

    def bitwise_xor(self, other: Any) -> Tensor:
        """The operator ``^``: the bits that are set in one and not in both."""
        return ops.bitwise_xor(self, other)

    def bitwise_xor_(self, other: Any) -> Tensor:
        """`bitwise_xor` in place."""
        return ops.in_place(self, "bitwise_xor_", ops.bitwise_xor, other)

    def bmm(self, mat2: Any) -> Tensor:
        """The products of two batches of matrices, one by one; batches do not broadcast."""
        return ops.bmm(self, mat2)

    def broadcast_to(self, size: Any) -> Tensor:
        """`x` expanded to a shape that it broadcasts to; a view."""
        return ops.broadcast_to(self, size)

    def byte(self) -> Tensor:
        """The tensor in uint8."""
        return ops.byte(self)

    def ceil(self) -> Tensor:
        """The next integer above x, in x's dtype."""
        return ops.ceil(self)

    def ceil_(self) -> Tensor:
        """`ceil` in place."""
        return ops.in_place(self, "ceil_", ops.ceil)

    def char(self) -> Tensor:
        """The tensor in int8."""
        return ops.char(self)

    def chunk(self, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
        """An axis split into at most `chunks` ranges of one length, the last of which may be shorter; views."""
        return ops.chunk(self, chunks, dim)

    def clamp(self, min: Any = None, max: Any = None) -> Tensor:
        """x, or the bound that it lies beyond."""
        return ops.clamp(self, min, max)

    def clamp_(self, min: Any = None, max: Any = None) -> Tensor:
        """`clamp` in place."""
        return ops.in_place(self, "clamp_", ops.clamp, min, max)

    def clamp_max(self, max: Any) -> Tensor:
        """The smaller of x and an upper bound; all of the gradient goes to x where they are equal."""
        return ops.clamp_max(self, max)

    def clamp_max_(self, max: Any) -> Tensor:
        """`clamp_max` in place."""
        return ops.in_place(self, "clamp_max_", ops.clamp_max, max)

    def clamp_min(self, min: Any) -> Tensor:
        """The larger of x and a lower bound; all of the gradient goes to x where they are equal."""
        return ops.clamp_min(self, min)

    def clamp_min_(self, min: Any) -> Tensor:
        """`clamp_min` in place."""
        return ops.in_place(self, "clamp_min_", ops.clamp_min, min)

    def clip(self, min: Any = None, max: Any = None) -> Tensor:
        """As `clamp`."""
        return self.clamp(min, max)

    def clip_(self, min: Any = None, max: Any = None) -> Tensor:
        """As `clamp_`."""
        return self.clamp_(min, max)

    def clone(self) -> Tensor:
        """A recorded copy with a storage of its own; axes keep their order in memory where there are no gaps."""
        return ops.clone(self)

    def contiguous(self) -> Tensor:
        """The tensor itself if its elements lie in row-major order without gaps, else a copy that does."""
        return ops.contiguous(self)

    def copy_(self, source: Tensor) -> Tensor:
        """Set the elements to those of a source that broadcasts, cast to this dtype."""
        return ops.copy_(self, source)

    def cos(self) -> Tensor:
        """The cosine of x in radians."""
        return ops.cos(self)

    def cos_(self) -> Tensor:
        """`cos` in place."""
        return ops.in_place(self, "cos_", ops.cos)

    def cosh(self) -> Tensor:
        """The hyperbolic cosine of x."""
        return ops.cosh(self)

    def cosh_(self) -> Tensor:
        """`cosh` in place."""
        return ops.in_place(self, "cosh_", ops.cosh)

    def count_nonzero(self, dim: Any = None) -> Tensor:
        """How many elements are nonzero, over some axes or all; a nan is nonzero."""
        return ops.count_nonzero(self, dim)

    def cpu(self) -> Tensor:
        """The tensor itself: it is on the CPU."""
        return ops.cpu(self)

    def cuda(self, device: Any = None) -> Tensor:
        """Refused: kael computes on the CPU."""
        return ops.cuda(self, device)

    def cummax(self, dim: int) -> Any:
        """The largest of each element and all before it, along an axis, and where it stands: the last of equals."""
        return ops.cummax(self, dim)

    def cummin(self, dim: int) -> Any:
        """The smallest of each element and all before it, along an axis, and where it stands: the last of equals."""
        return ops.cummin(self, dim)

    def cumprod(self, dim: int, *, dtype: Any = None) -> Tensor:
        """The product of each element and all before it, along an axis."""
        return ops.cumprod(self, dim, dtype=dtype)

    def cumsum(self, dim: int, *, dtype: Any = None) -> Tensor:
        """The sum of each element and all before it, along an axis."""
        return ops.cumsum(self, dim, dtype=dtype)

    def diag(self, diagonal: int = 0) -> Tensor:
        """The diagonal of a matrix as a copy, or the matrix with a vector on its diagonal."""
        return ops.diag(self, diagonal)

    def diag_embed(self, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
        """Matrices with the last axis on a diagonal and 0 elsewhere."""
        return ops.diag_embed(self, offset, dim1, dim2)

    def diagflat(self, offset: int = 0) -> Tensor:
        """The matrix with all elements, in row-major order, on a diagonal."""
        return ops.diagflat(self, offset)

    def diagonal(self, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
        """A diagonal of two axes, which becomes the last axis; a view."""
        return ops.diagonal(self, offset, dim1, dim2)

    def diff(self, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
        """The difference of neighbours along an axis, `n` times over; of bool whether they differ."""
        return ops.diff(self, n, dim, prepend, append)

    def dim(self) -> int:
        """Number of axes."""
        return ops.dim(self)

    def div(self, other: Any, rounding_mode: Any = None) -> Tensor:
        """The quotient ``x / other`` of two broadcastable operands."""
        return ops.div(self, other, rounding_mode)

    def div_(self, other: Any, rounding_mode: Any = None) -> Tensor:
        """Divide in place: ``x /= other``."""
        return ops.div_(self, other, rounding_mode)

    def divide(self, other: Any, rounding_mode: Any = None) -> Tensor:
        """As `div`."""
        return self.div(other, rounding_mode)

    def divide_(self, other: Any, rounding_mode: Any = None) -> Tensor:
        """As `div_`."""
        return self.div_(other, rounding_mode)

    def dot(self, tensor: Any) -> Tensor:
        """The sum of products of two vectors, ``sum over k of x[k] * y[k]``."""
        return ops.dot(self, tensor)

    def double(self) -> Tensor:
        """The tensor in float64."""
        return ops.double(self)

    def dsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """The third axis split: into so many ranges of one length, or at indices; views."""
        return ops.dsplit(self, indices_or_sections)

    def element_size(self) -> int:
        """Bytes of one element."""
        return ops.element_size(self)

    def eq(self, other: Any) -> Tensor:
        """Where ``x == other``."""
        return ops.eq(self, other)

    def eq_(self, other: Any) -> Tensor:
        """`eq` in place."""
        return ops.in_place(self, "eq_", ops.eq, other)

    def equal(self, other: Tensor) -> bool:
        """Whether two tensors have one shape and equal elements."""
        return ops.equal(self, other)

    def erf(self) -> Tensor:
        """The error function ``2/sqrt(pi) * (integral of exp(-t**2) from 0 to x)``."""
        return ops.erf(self)

    def erf_(self) -> Tensor:
        """`erf` in place."""
        return ops.in_place(self, "erf_", ops.erf)

    def erfc(self) -> Tensor:
        """The complement of the error function, ``1 - erf(x)``, without its loss of digits."""
        return ops.erfc(self)

    def erfc_(self) -> Tensor:
        """`erfc` in place."""
        return ops.in_place(self, "erfc_", ops.erfc)

    def exp(self) -> Tensor:
        """The exponential of x; integers become float32."""
        return ops.exp(self)

    def exp2(self) -> Tensor:
        """The power ``2**x``."""
        return ops.exp2(self)

    def exp2_(self) -> Tensor:
        """`exp2` in place."""
        return ops.in_place(self, "exp2_", ops.exp2)

    def exp_(self) -> Tensor:
        """`exp` in place."""
        return ops.in_place(self, "exp_", ops.exp)

    def expand(self, *shape: Any) -> Tensor:
        """Axes of size 1 repeated by a stride of 0, and new axes in front; a view. -1 keeps a size."""
        return ops.expand(self, *shape)

    def expand_as(self, other: Tensor) -> Tensor:
        """`x` expanded to the shape of `other`."""
        return ops.expand_as(self, other)

    def expm1(self) -> Tensor:
        """The exponential less one, ``e**x - 1``, exact near 0."""
        return ops.expm1(self)

    def expm1_(self) -> Tensor:
        """`expm1` in place."""
        return ops.in_place(self, "expm1_", ops.expm1)

    def exponential_(self, lambd: float = 1.0, *, generator: Any = None) -> Tensor:
        """Fill with exponential numbers of a rate, in place; their mean is ``1 / lambd``."""
        return ops.exponential_(self, lambd, generator=generator)

    def fill_(self, value: Any) -> Tensor:
        """Set every element to one number."""
        return ops.fill_(self, value)

    def fix(self) -> Tensor:
        """As `trunc`."""
        return self.trunc()

    def fix_(self) -> Tensor:
        """As `trunc_`."""
        return self.trunc_()

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Tensor:
        """Axes from `start_dim` to `end_dim` joined into one."""
        return ops.flatten(self, start_dim, end_dim)

    def flip(self, *dims: Any) -> Tensor:
        """Axes backwards; a copy, since there are no negative strides."""
        return ops.flip(self, *dims)

    def fliplr(self) -> Tensor:
        """The second axis backwards; RuntimeError where there is none."""
        return ops.fliplr(self)

    def flipud(self) -> Tensor:
        """The first axis backwards; RuntimeError for a 0-d tensor."""
        return ops.flipud(self)

    def floor(self) -> Tensor:
        """The next integer below x, in x's dtype."""
        return ops.floor(self)

    def floor_(self) -> Tensor:
        """`floor` in place."""
        return ops.in_place(self, "floor_", ops.floor)

    def floor_divide(self, other: Any) -> Tensor:
        """The quotient ``x / other`` rounded down, the operator ``//``: integers stay integers."""
        return ops.floor_divide(self, other)

    def floor_divide_(self, other: Any) -> Tensor:
        """`floor_divide` in place."""
        return ops.in_place(self, "floor_divide_", ops.floor_divide, other)

    def fmod(self, other: Any) -> Tensor:
        """What ``x / other`` leaves when it drops its fraction; it has the sign of x."""
        return ops.fmod(self, other)

    def fmod_(self, other: Any) -> Tensor:
        """`fmod` in place."""
        return ops.in_place(self, "fmod_", ops.fmod, other)

    def gather(self, dim: int, index: Tensor) -> Tensor:
        """The elements at an index along one axis: ``out[i, j] = x[index[i, j], j]`` for `dim` 0 of two."""
        return ops.gather(self, dim, index)

    def ge(self, other: Any) -> Tensor:
        """Where ``x >= other``."""
        return ops.ge(self, other)

    def ge_(self, other: Any) -> Tensor:
        """`ge` in place."""
        return ops.in_place(self, "ge_", ops.ge, other)

    def ger(self, vec2: Any) -> Tensor:
        """Another name of `outer`."""
        return ops.ger(self, vec2)

    def greater(self, other: Any) -> Tensor:
        """As `gt`."""
        return self.gt(other)

    def greater_(self, other: Any) -> Tensor:
        """As `gt_`."""
        return self.gt_(other)

    def greater_equal(self, other: Any) -> Tensor:
        """As `ge`."""
        return self.ge(other)

    def greater_equal_(self, other: Any) -> Tensor:
        """As `ge_`."""
        return self.ge_(other)

    def gt(self, other: Any) -> Tensor:
        """Where ``x > other``."""
        return ops.gt(self, other)

    def gt_(self, other: Any) -> Tensor:
        """`gt` in place."""
        return ops.in_place(self, "gt_", ops.gt, other)

    def half(self) -> Tensor:
        """The tensor in float16."""
        return ops.half(self)

    def histc(self, bins: int = 100, min: Any = 0, max: Any = 0) -> Tensor:
        """How many elements lie in each of `bins` equal intervals between `min` and `max`; others are not counted."""
        return ops.histc(self, bins, min, max)

    def hsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """The second axis split, or the only one: into so many ranges of one length, or at indices; views."""
        return ops.hsplit(self, indices_or_sections)

    def hypot(self, other: Any) -> Tensor:
        """The hypotenuse ``sqrt(x**2 + other**2)``, without overflow on the way."""
        return ops.hypot(self, other)

    def hypot_(self, other: Any) -> Tensor:
        """`hypot` in place."""
        return ops.in_place(self, "hypot_", ops.hypot, other)

    def index_add(self, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
        """A copy of x with ``alpha * source`` added to the slices along an axis that a vector of places names."""
        return ops.index_add(self, dim, index, source, alpha=alpha)

    def index_add_(self, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
        """`index_add` in place."""
        return ops.in_place(self, "index_add_", ops.index_add, dim, index, source, alpha=alpha)

    def index_copy(self, dim: int, index: Tensor, source: Tensor) -> Tensor:
        """A copy of x with source written to slices along an axis, named by a vector of places; the last one stays."""
        return ops.index_copy(self, dim, index, source)

    def index_copy_(self, dim: int, index: Tensor, source: Tensor) -> Tensor:
        """`index_copy` in place."""
        return ops.in_place(self, "index_copy_", ops.index_copy, dim, index, source)

    def index_fill(self, dim: int, index: Tensor, value: Any) -> Tensor:
        """A copy of x with one value in the slices along an axis that a vector of places names."""
        return ops.index_fill(self, dim, index, value)

    def index_fill_(self, dim: int, index: Tensor, value: Any) -> Tensor:
        """`index_fill` in place."""
        return ops.in_place(self, "index_fill_", ops.index_fill, dim, index, value)

    def index_put(self, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
        """A copy of x with values written at the places of index tensors, or added to them."""
        return ops.index_put(self, indices, values, accumulate)

    def index_put_(self, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
        """`index_put` in place."""
        return ops.in_place(self, "index_put_", ops.index_put, indices, values, accumulate)

    def index_select(self, dim: int, index: Tensor) -> Tensor:
        """The slices along an axis that a vector of places names."""
        return ops.index_select(self, dim, index)

    def inner(self, other: Any) -> Tensor:
        """The sums of products over the last axes of two tensors: ``c[i, j] = sum over k of a[i, k] * b[j, k]``."""
        return ops.inner(self, other)

    def is_complex(self) -> bool:
        """Whether the elements are complex numbers: never."""
        return ops.is_complex(self)

    def is_floating_point(self) -> bool:
        """Whether the dtype is one of the floating-point types."""
        return ops.is_floating_point(self)

    def is_signed(self) -> bool:
        """Whether the dtype holds negative numbers."""
        return ops.is_signed(self)

    def isclose(self, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
        """Where ``|x - other| <= atol + rtol * |other|``, or the two are equal."""
        return ops.isclose(self, other, rtol, atol, equal_nan)

    def isfinite(self) -> Tensor:
        """Where x is neither an infinity nor nan."""
        return ops.isfinite(self)

    def isinf(self) -> Tensor:
        """Where x is an infinity of either sign."""
        return ops.isinf(self)

    def isnan(self) -> Tensor:
        """Where x is nan."""
        return ops.isnan(self)

    def kron(self, other: Any) -> Tensor:
        """The Kronecker product: every element of one tensor times the whole other, laid out in blocks."""
        return ops.kron(self, other)

    def kthvalue(self, k: int, dim: int = -1, keepdim: bool = False) -> Any:
        """The k-th smallest element along an axis, counted from 1, and where it stands; a nan is larger than all."""
        return ops.kthvalue(self, k, dim, keepdim)

    def le(self, other: Any) -> Tensor:
        """Where ``x <= other``."""
        return ops.le(self, other)

    def le_(self, other: Any) -> Tensor:
        """`le` in place."""
        return ops.in_place(self, "le_", ops.le, other)

    def lerp(self, end: Any, weight: Any) -> Tensor:
        """The point between two, ``x + weight * (end - x)``."""
        return ops.lerp(self, end, weight)

    def lerp_(self, end: Any, weight: Any) -> Tensor:
        """`lerp` in place."""
        return ops.in_place(self, "lerp_", ops.lerp, end, weight)

    def less(self, other: Any) -> Tensor:
        """As `lt`."""
        return self.lt(other)

    def less_(self, other: Any) -> Tensor:
        """As `lt_`."""
        return self.lt_(other)

    def less_equal(self, other: Any) -> Tensor:
        """As `le`."""
        return self.le(other)

    def less_equal_(self, other: Any) -> Tensor:
        """As `le_`."""
        return self.le_(other)

    def log(self) -> Tensor:
        """The natural logarithm of x; -inf at 0, nan below."""
        return ops.log(self)

    def log10(self) -> Tensor:
        """The logarithm of x to base 10; -inf at 0, nan below."""
        return ops.log10(self)

    def log10_(self) -> Tensor:
        """`log10` in place."""
        return ops.in_place(self, "log10_", ops.log10)

    def log1p(self) -> Tensor:
        """The logarithm ``log(1 + x)``, exact near 0; -inf at -1, nan below."""
        return ops.log1p(self)

    def log1p_(self) -> Tensor:
        """`log1p` in place."""
        return ops.in_place(self, "log1p_", ops.log1p)

    def log2(self) -> Tensor:
        """The logarithm of x to base 2; -inf at 0, nan below."""
        return ops.log2(self)

    def log2_(self) -> Tensor:
        """`log2` in place."""
        return ops.in_place(self, "log2_", ops.log2)

    def log_(self) -> Tensor:
        """`log` in place."""
        return ops.in_place(self, "log_", ops.log)

    def log_softmax(self, dim: int, dtype: DType | None = None) -> Tensor:
        """The logarithm of `softmax`, exact also where the softmax itself would round to 0."""
        return ops.log_softmax(self, dim, dtype)

    def logcumsumexp(self, dim: int) -> Tensor:
        """The logarithm of the sum of the exponentials of each element and all before it, along an axis."""
        return ops.logcumsumexp(self, dim)

    def logical_and(self, other: Any) -> Tensor:
        """Where x and `other` are both nonzero."""
        return ops.logical_and(self, other)

    def logical_and_(self, other: Any) -> Tensor:
        """`logical_and` in place."""
        return ops.in_place(self, "logical_and_", ops.logical_and, other)

    def logical_not(self) -> Tensor:
        """Where x is zero."""
        return ops.logical_not(self)

    def logical_not_(self) -> Tensor:
        """`logical_not` in place."""
        return ops.in_place(self, "logical_not_", ops.logical_not)

    def logical_or(self, other: Any) -> Tensor:
        """Where x or `other` is nonzero."""
        return ops.logical_or(self, other)

    def logical_or_(self, other: Any) -> Tensor:
        """`logical_or` in place."""
        return ops.in_place(self, "logical_or_", ops.logical_or, other)

    def logical_xor(self, other: Any) -> Tensor:
        """Where one of x and `other` is nonzero and not both."""
        return ops.logical_xor(self, other)

    def logical_xor_(self, other: Any) -> Tensor:
        """`logical_xor` in place."""
        return ops.in_place(self, "logical_xor_", ops.logical_xor, other)

    def logsumexp(self, dim: Any, keepdim: bool = False) -> Tensor:
        """The logarithm of a sum of exponentials, ``log(sum of exp(x))``, without overflow."""
        return ops.logsumexp(self, dim, keepdim)

    def long(self) -> Tensor:
        """The tensor in int64."""
        return ops.long(self)

    def lt(self, other: Any) -> Tensor:
        """Where ``x < other``."""
        return ops.lt(self, other)

    def lt_(self, other: Any) -> Tensor:
        """`lt` in place."""
        return ops.in_place(self, "lt_", ops.lt, other)

    def masked_fill(self, mask: Tensor, value: Any) -> Tensor:
        """The elements of x, with one value where the mask is true; x and mask broadcast."""
        return ops.masked_fill(self, mask, value)

    def masked_fill_(self, mask: Tensor, value: Any) -> Tensor:
        """`masked_fill` in place."""
        return ops.in_place(self, "masked_fill_", ops.masked_fill, mask, value)

    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """The elements of x, with those of source in turn where the mask is true; x and mask broadcast."""
        return ops.masked_scatter(self, mask, source)

    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Tensor:
        """`masked_scatter` in place."""
        return ops.in_place(self, "masked_scatter_", ops.masked_scatter, mask, source)

    def masked_select(self, mask: Tensor) -> Tensor:
        """The elements of x where the mask is true, as a vector; x and mask broadcast."""
        return ops.masked_select(self, mask)

    def matmul(self, other: Any) -> Tensor:
        """The matrix product ``c[i, j] = sum over k of a[i, k] * b[k, j]``."""
        return ops.matmul(self, other)

    def max(self, dim: Any = None, keepdim: bool = False) -> Any:
        """The largest of all, ties sharing the gradient; or values and indices along an axis, the first of ties."""
        return ops.max(self, dim, keepdim)

    def maximum(self, other: Any) -> Tensor:
        """The larger of two broadcastable operands, element by element; nan wins."""
        return ops.maximum(self, other)

    def mean(self, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
        """The mean over some axes, or all; nan where there are no elements."""
        return ops.mean(self, dim, keepdim, dtype=dtype)

    def median(self, dim: Any = None, keepdim: bool = False) -> Any:
        """The lower of the two middle elements of all; or along an axis, with the place of it. A nan wins."""
        return ops.median(self, dim, keepdim)

    def min(self, dim: Any = None, keepdim: bool = False) -> Any:
        """The smallest of all, ties sharing the gradient; or values and indices along an axis, the first of ties."""
        return ops.min(self, dim, keepdim)

    def minimum(self, other: Any) -> Tensor:
        """The smaller of two broadcastable operands, element by element; nan wins."""
        return ops.minimum(self, other)

    def mm(self, mat2: Any) -> Tensor:
        """The product of two matrices; `matmul` without vectors and batches."""
        return ops.mm(self, mat2)

    def mode(self, dim: int = -1, keepdim: bool = False) -> Any:
        """The most frequent element along an axis, the smallest of several, and where it stands last."""
        return ops.mode(self, dim, keepdim)

    def moveaxis(self, source: Any, destination: Any) -> Tensor:
        """Axes moved from places to others, the rest staying in order; a view. Another name of `movedim`."""
        return ops.moveaxis(self, source, destination)

    def movedim(self, source: Any, destination: Any) -> Tensor:
        """Axes moved from places to others, the rest staying in order; a view."""
        return ops.movedim(self, source, destination)

    def msort(self) -> Tensor:
        """The elements in order along the first axis."""
        return ops.msort(self)

    def mul(self, other: Any) -> Tensor:
        """The product ``x * other`` of two broadcastable operands."""
        return ops.mul(self, other)

    def mul_(self, other: Any) -> Tensor:
        """Multiply in place: ``x *= other``."""
        return ops.mul_(self, other)

    def multinomial(self, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
        """Indices drawn with probabilities in proportion to weights."""
        return ops.multinomial(self, num_samples, replacement, generator=generator)

    def multiply(self, other: Any) -> Tensor:
        """As `mul`."""
        return self.mul(other)

    def multiply_(self, other: Any) -> Tensor:
        """As `mul_`."""
        return self.mul_(other)

    def mv(self, vec: Any) -> Tensor:
        """The product of a matrix and a vector."""
        return ops.mv(self, vec)

    def nanmean(self, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
        """The mean over some axes, or all, of the elements that are not nan."""
        return ops.nanmean(self, dim, keepdim, dtype=dtype)

    def nanmedian(self, dim: Any = None, keepdim: bool = False) -> Any:
        """As `median`, of the elements that are not nan; nan where there are no others."""
        return ops.nanmedian(self, dim, keepdim)

    def nansum(self, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
        """The sum over some axes, or all, of the elements that are not nan."""
        return ops.nansum(self, dim, keepdim, dtype=dtype)

    def narrow(self, dim: int, start: Any, length: int) -> Tensor:
        """The range of `length` places of an axis from `start`; a view."""
        return ops.narrow(self, dim, start, length)

    def ne(self, other: Any) -> Tensor:
        """Where ``x != other``."""
        return ops.ne(self, other)

    def ne_(self, other: Any) -> Tensor:
        """`ne` in place."""
        return ops.in_place(self, "ne_", ops.ne, other)

    def neg(self) -> Tensor:
        """The negative ``-x``."""
        return ops.neg(self)

    def neg_(self) -> Tensor:
        """`neg` in place."""
        return ops.in_place(self, "neg_", ops.neg)

    def negative(self) -> Tensor:
        """As `neg`."""
        return self.neg()

    def negative_(self) -> Tensor:
        """As `neg_`."""
        return self.neg_()

    def nelement(self) -> int:
        """Number of elements."""
        return ops.nelement(self)

    def new_empty(
        self, *shape: Any, size: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
    ) -> Tensor:
        """A tensor of these sizes and the dtype of `x` whose elements are whatever the memory held."""
        return ops.new_empty(self, *shape, size=size, dtype=dtype, device=device, requires_grad=requires_grad)

    def new_full(
        self, size: Any, fill_value: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False
    ) -> Tensor:
        """One repeated value in these sizes and the dtype of `x`."""
        return ops.new_full(self, size, fill_value, dtype, device, requires_grad)

    def new_ones(
        self, *shape: Any, size: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
    ) -> Tensor:
        """Ones of these sizes and the dtype of `x`."""
        return ops.new_ones(self, *shape, size=size, dtype=dtype, device=device, requires_grad=requires_grad)

    def new_tensor(self, data: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
        """A new leaf with a copy of the data in the dtype of `x`."""
        return ops.new_tensor(self, data, dtype, device, requires_grad)

    def new_zeros(
        self, *shape: Any, size: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
    ) -> Tensor:
        """Zeros of these sizes and the dtype of `x`."""
        return ops.new_zeros(self, *shape, size=size, dtype=dtype, device=device, requires_grad=requires_grad)

    def nonzero(self, *, as_tuple: bool = False) -> Any:
        """The places of the elements that are not zero, in row-major order: one row of coordinates each."""
        return ops.nonzero(self, as_tuple=as_tuple)

    def norm(self, p: Any = "fro", dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
        """The p-norm over some axes, or all, taken as one vector; "fro" is p = 2."""
        return ops.norm(self, p, dim, keepdim, dtype=dtype)

    def normal_(self, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
        """Fill with normal numbers of a mean and a standard deviation, in place."""
        return ops.normal_(self, mean, std, generator=generator)

    def not_equal(self, other: Any) -> Tensor:
        """As `ne`."""
        return self.ne(other)

    def not_equal_(self, other: Any) -> Tensor:
        """As `ne_`."""
        return self.ne_(other)

    def numel(self) -> int:
        """Number of elements."""
        return ops.numel(self)

    def outer(self, vec2: Any) -> Tensor:
        """All products of two vectors, ``c[i, j] = x[i] * y[j]``; the dtypes are promoted."""
        return ops.outer(self, vec2)

    def permute(self, *dims: Any) -> Tensor:
        """Axes in another order; a view."""
        return ops.permute(self, *dims)

    def pow(self, exponent: Any) -> Tensor:
        """The power ``x ** exponent`` of two broadcastable operands."""
        return ops.pow(self, exponent)

    def pow_(self, exponent: Any) -> Tensor:
        """`pow` in place."""
        return ops.in_place(self, "pow_", ops.pow, exponent)

    def prelu(self, weight: Tensor) -> Tensor:
        """``x`` above 0, else ``weight * x``: a leaky relu whose slope is learned."""
        return ops.prelu(self, weight)

    def prod(self, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
        """The product along an axis, or of all elements; integers and bool multiply in int64."""
        return ops.prod(self, dim, keepdim, dtype=dtype)

    def ravel(self) -> Tensor:
        """All elements in row-major order on one axis; a view where the strides allow it."""
        return ops.ravel(self)

    def reciprocal(self) -> Tensor:
        """The reciprocal ``1/x``."""
        return ops.reciprocal(self)

    def reciprocal_(self) -> Tensor:
        """`reciprocal` in place."""
        return ops.in_place(self, "reciprocal_", ops.reciprocal)

    def relu(self) -> Tensor:
        """The positive part ``max(x, 0)``."""
        return ops.relu(self)

    def relu_(self) -> Tensor:
        """`relu` in place."""
        return ops.in_place(self, "relu_", ops.relu)

    def remainder(self, other: Any) -> Tensor:
        """What ``x / other`` leaves when rounded down, the operator ``%``; it has the sign of `other`."""
        return ops.remainder(self, other)

    def remainder_(self, other: Any) -> Tensor:
        """`remainder` in place."""
        return ops.in_place(self, "remainder_", ops.remainder, other)

    def repeat(self, *repeats: Any) -> Tensor:
        """The whole tensor several times along each axis, with new axes in front; a copy."""
        return ops.repeat(self, *repeats)

    def repeat_interleave(self, repeats: Any = None, dim: int | None = None, output_size: Any = None) -> Tensor:
        """Each place of an axis several times in a row."""
        return ops.repeat_interleave(self, repeats, dim, output_size)

    def reshape(self, *shape: Any) -> Tensor:
        """The same elements in row-major order in another shape: a view where the strides allow it, else a copy."""
        return ops.reshape(self, *shape)

    def reshape_as(self, other: Tensor) -> Tensor:
        """`x` in the shape of `other`: a view where the strides allow it, else a copy."""
        return ops.reshape_as(self, other)

    def roll(self, shifts: Any, dims: Any = None) -> Tensor:
        """Elements moved along axes, those that leave at one end coming in at the other."""
        return ops.roll(self, shifts, dims)

    def rot90(self, k: int = 1, dims: Any = (0, 1)) -> Tensor:
        """The plane of two axes turned by 90 degrees `k` times, from the first towards the second."""
        return ops.rot90(self, k, dims)

    def round(self, decimals: int = 0) -> Tensor:
        """The nearest integer, ties to even, in x's dtype; or the nearest multiple of ``10**-decimals``."""
        return ops.round(self, decimals)

    def round_(self, decimals: int = 0) -> Tensor:
        """`round` in place."""
        return ops.in_place(self, "round_", ops.round, decimals)

    def rsqrt(self) -> Tensor:
        """The reciprocal of the square root, ``1/sqrt(x)``; inf at 0, nan below."""
        return ops.rsqrt(self)

    def rsqrt_(self) -> Tensor:
        """`rsqrt` in place."""
        return ops.in_place(self, "rsqrt_", ops.rsqrt)

    def scatter(
        self, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
    ) -> Tensor:
        """A copy of x with src, or one number, written along an axis: ``out[index[i, j], j] = src[i, j]``."""
        return ops.scatter(self, dim, index, src, value=value, reduce=reduce)

    def scatter_(
        self, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
    ) -> Tensor:
        """`scatter` in place."""
        return ops.in_place(self, "scatter_", ops.scatter, dim, index, src, value=value, reduce=reduce)

    def scatter_add(self, dim: int, index: Tensor, src: Tensor) -> Tensor:
        """A copy of x with src added along an axis: ``out[index[i, j], j] += src[i, j]`` for `dim` 0 of two."""
        return ops.scatter_add(self, dim, index, src)

    def scatter_add_(self, dim: int, index: Tensor, src: Tensor) -> Tensor:
        """`scatter_add` in place."""
        return ops.in_place(self, "scatter_add_", ops.scatter_add, dim, index, src)

    def scatter_reduce(self, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True) -> Tensor:
        """A copy of x with elements of src reduced into the places along an axis."""
        return ops.scatter_reduce(self, dim, index, src, reduce, include_self=include_self)

    def scatter_reduce_(
        self, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
    ) -> Tensor:
        """`scatter_reduce` in place."""
        return ops.scatter_reduce_(self, dim, index, src, reduce, include_self=include_self)

    def select(self, dim: int, index: int) -> Tensor:
        """One place of an axis, which is dropped; a view."""
        return ops.select(self, dim, index)

    def short(self) -> Tensor:
        """The tensor in int16."""
        return ops.short(self)

    def sigmoid(self) -> Tensor:
        """The logistic function ``1/(1 + e**-x)``."""
        return ops.sigmoid(self)

    def sigmoid_(self) -> Tensor:
        """`sigmoid` in place."""
        return ops.in_place(self, "sigmoid_", ops.sigmoid)

    def sign(self) -> Tensor:
        """The sign of x: -1, 0 or 1."""
        return ops.sign(self)

    def sign_(self) -> Tensor:
        """`sign` in place."""
        return ops.in_place(self, "sign_", ops.sign)

    def sin(self) -> Tensor:
        """The sine of x in radians."""
        return ops.sin(self)

    def sin_(self) -> Tensor:
        """`sin` in place."""
        return ops.in_place(self, "sin_", ops.sin)

    def sinc(self) -> Tensor:
        """The normalized cardinal sine ``sin(pi*x)/(pi*x)``, 1 at 0; exactly 0 at the other whole numbers."""
        return ops.sinc(self)

    def sinc_(self) -> Tensor:
        """`sinc` in place."""
        return ops.in_place(self, "sinc_", ops.sinc)

    def sinh(self) -> Tensor:
        """The hyperbolic sine of x."""
        return ops.sinh(self)

    def sinh_(self) -> Tensor:
        """`sinh` in place."""
        return ops.in_place(self, "sinh_", ops.sinh)

    def softmax(self, dim: int, dtype: DType | None = None) -> Tensor:
        """The exponentials along an axis over their sum: ``softmax(x)[k] = exp(x[k]) / sum of exp(x[j])``."""
        return ops.softmax(self, dim, dtype)

    def sort(self, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Any:
        """The elements in order along an axis, and where each came from; a nan is larger than all."""
        return ops.sort(self, dim, descending, stable=stable)

    def split(self, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
        """An axis split into ranges of one length, the last of which may be shorter, or of the lengths given; views."""
        return ops.split(self, split_size_or_sections, dim)

    def sqrt(self) -> Tensor:
        """The square root of x; nan below 0."""
        return ops.sqrt(self)

    def sqrt_(self) -> Tensor:
        """`sqrt` in place."""
        return ops.in_place(self, "sqrt_", ops.sqrt)

    def square(self) -> Tensor:
        """The square ``x * x``."""
        return ops.square(self)

    def square_(self) -> Tensor:
        """`square` in place."""
        return ops.in_place(self, "square_", ops.square)

    def squeeze(self, dim: Any = None) -> Tensor:
        """Axes of size 1 dropped: all, or those named where they are of size 1; a view."""
        return ops.squeeze(self, dim)

    def squeeze_(self, dim: Any = None) -> Tensor:
        """Drop axes of size 1 in place, as `squeeze`."""
        return ops.squeeze_(self, dim)

    def std(self, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Tensor:
        """The standard deviation over some axes, or all: the square root of `var`, whose parameters it has."""
        return ops.std(self, dim, unbiased, keepdim, correction=correction)

    def sub(self, other: Any, alpha: Any = 1) -> Tensor:
        """The difference ``x - alpha * other`` of two broadcastable operands."""
        return ops.sub(self, other, alpha)

    def sub_(self, other: Any, alpha: Any = 1) -> Tensor:
        """Subtract in place: ``x -= alpha * other``."""
        return ops.sub_(self, other, alpha)

    def subtract(self, other: Any, alpha: Any = 1) -> Tensor:
        """As `sub`."""
        return self.sub(other, alpha)

    def subtract_(self, other: Any, alpha: Any = 1) -> Tensor:
        """As `sub_`."""
        return self.sub_(other, alpha)

    def sum(self, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
        """The sum over some axes, or all; integers and bool add up in int64."""
        return ops.sum(self, dim, keepdim, dtype=dtype)

    def swapaxes(self, axis0: int, axis1: int) -> Tensor:
        """Two axes swapped; a view. Another name of `transpose`."""
        return ops.swapaxes(self, axis0, axis1)

    def swapdims(self, dim0: int, dim1: int) -> Tensor:
        """Two axes swapped; a view. Another name of `transpose`."""
        return ops.swapdims(self, dim0, dim1)

    def t(self) -> Tensor:
        """The transpose of a matrix; a vector as it is."""
        return ops.t(self)

    def t_(self) -> Tensor:
        """Transpose a matrix in place."""
        return ops.t_(self)

    def take(self, index: Tensor) -> Tensor:
        """The elements of x at places in row-major order, in the shape of the index."""
        return ops.take(self, index)

    def take_along_dim(self, indices: Tensor, dim: int | None = None) -> Tensor:
        """`gather` with an index that broadcasts and may be negative; without `dim`, over all elements."""
        return ops.take_along_dim(self, indices, dim)

    def tan(self) -> Tensor:
        """The tangent of x in radians."""
        return ops.tan(self)

    def tan_(self) -> Tensor:
        """`tan` in place."""
        return ops.in_place(self, "tan_", ops.tan)

    def tanh(self) -> Tensor:
        """The hyperbolic tangent of x."""
        return ops.tanh(self)

    def tanh_(self) -> Tensor:
        """`tanh` in place."""
        return ops.in_place(self, "tanh_", ops.tanh)

    def tensor_split(self, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
        """An axis split into ranges of nearly one length, or at indices, as NumPy's ``array_split``; views."""
        return ops.tensor_split(self, indices_or_sections, dim)

    def tile(self, *dims: Any) -> Tensor:
        """As `repeat`, but fewer numbers than axes stand for the last axes."""
        return ops.tile(self, *dims)

    def to(self, *target: Any, dtype: Any = None, device: Any = None, copy: bool = False) -> Tensor:
        """The tensor in another dtype; itself where nothing changes, unless a copy is asked for."""
        return ops.to(self, *target, dtype=dtype, device=device, copy=copy)

    def topk(self, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
        """The k largest elements along an axis, or the smallest, and where they stand; a nan is larger than all."""
        return ops.topk(self, k, dim, largest, sorted)

    def trace(self) -> Tensor:
        """The sum of a matrix's diagonal."""
        return ops.trace(self)

    def transpose(self, dim0: int, dim1: int) -> Tensor:
        """Two axes swapped; a view."""
        return ops.transpose(self, dim0, dim1)

    def transpose_(self, dim0: int, dim1: int) -> Tensor:
        """Swap two axes in place."""
        return ops.transpose_(self, dim0, dim1)

    def tril(self, diagonal: int = 0) -> Tensor:
        """The last two axes with 0 above a diagonal."""
        return ops.tril(self, diagonal)

    def tril_(self, diagonal: int = 0) -> Tensor:
        """Set what lies above a diagonal to 0, in place."""
        return ops.tril_(self, diagonal)

    def triu(self, diagonal: int = 0) -> Tensor:
        """The last two axes with 0 below a diagonal."""
        return ops.triu(self, diagonal)

    def triu_(self, diagonal: int = 0) -> Tensor:
        """Set what lies below a diagonal to 0, in place."""
        return ops.triu_(self, diagonal)

    def true_divide(self, other: Any, rounding_mode: Any = None) -> Tensor:
        """As `div`."""
        return self.div(other, rounding_mode)

    def true_divide_(self, other: Any, rounding_mode: Any = None) -> Tensor:
        """As `div_`."""
        return self.div_(other, rounding_mode)

    def trunc(self) -> Tensor:
        """The integer part of x, in x's dtype."""
        return ops.trunc(self)

    def trunc_(self) -> Tensor:
        """`trunc` in place."""
        return ops.in_place(self, "trunc_", ops.trunc)

    def type_as(self, other: Tensor) -> Tensor:
        """`x` in the dtype of `other`."""
        return ops.type_as(self, other)

    def unbind(self, dim: int = 0) -> tuple[Tensor, ...]:
        """One view per place of an axis, which is dropped."""
        return ops.unbind(self, dim)

    def unflatten(self, dim: int, sizes: Any) -> Tensor:
        """One axis split into several, whose sizes multiply to its own; one of them may be -1."""
        return ops.unflatten(self, dim, sizes)

    def unfold(self, dimension: int, size: int, step: int) -> Tensor:
        """Windows of `size` places of an axis, each `step` after the last, on a new last axis; a view."""
        return ops.unfold(self, dimension, size, step)

    def uniform_(self, low: float = 0.0, high: float = 1.0, *, generator: Any = None) -> Tensor:
        """Fill with uniform numbers from `low` to before `high`, in place."""
        return ops.uniform_(self, low, high, generator=generator)

    def unique(
        self, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: Any = None
    ) -> Any:
        """The different elements in order, or the different slices along an axis; every nan is different."""
        return ops.unique(self, sorted, return_inverse, return_counts, dim)

    def unique_consecutive(self, return_inverse: bool = False, return_counts: bool = False, dim: Any = None) -> Any:
        """The elements, or slices along an axis, that differ from the one before; parameters as of `unique`."""
        return ops.unique_consecutive(self, return_inverse, return_counts, dim)

    def unsqueeze(self, dim: int) -> Tensor:
        """An axis of size 1 put in before position `dim`; a view."""
        return ops.unsqueeze(self, dim)

    def unsqueeze_(self, dim: int) -> Tensor:
        """Put in an axis of size 1 in place, as `unsqueeze`."""
        return ops.unsqueeze_(self, dim)

    def var(self, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Tensor:
        """The variance over some axes, or all: the sum of ``(x - mean)**2`` over ``count - correction``."""
        return ops.var(self, dim, unbiased, keepdim, correction=correction)

    def vdot(self, other: Any) -> Tensor:
        """As `dot`: without complex numbers there is nothing to conjugate."""
        return ops.vdot(self, other)

    def view(self, *shape: Any) -> Tensor:
        """As `reshape`, but never a copy."""
        return ops.view(self, *shape)

    def view_as(self, other: Tensor) -> Tensor:
        """`x` viewed in the shape of `other`."""
        return ops.view_as(self, other)

    def vsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """The first axis of at least two split: into so many ranges of one length, or at indices; views."""
        return ops.vsplit(self, indices_or_sections)

    def xlogy(self, other: Any) -> Tensor:
        """The product ``x * log(other)``, 0 where x is 0 and `other` a number."""
        return ops.xlogy(self, other)

    def xlogy_(self, other: Any) -> Tensor:
        """`xlogy` in place."""
        return ops.in_place(self, "xlogy_", ops.xlogy, other)

    def zero_(self) -> Tensor:
        """Set every element to 0."""
        return ops.zero_(self)

    def bool(self) -> Tensor:
        """The tensor in bool."""
        return ops.bool(self)

    def float(self) -> Tensor:
        """The tensor in float32."""
        return ops.float(self)

    def int(self) -> Tensor:
        """The tensor in int32."""
        return ops.int(self)

    def type(self, dtype: Any = None) -> Any:
        """The tensor in another dtype; without one the name of its type, such as ``kael.FloatTensor``."""
        return ops.type(self, dtype)

    # [/op-methods]


def fresh(array: Any, dtype: DType) -> Tensor:
    """A tensor on memory that nothing else uses."""
    result = Tensor.__new__(Tensor)
    result.memory = None
    result.array = array
    result.dtype = dtype
    result.link = None
    result.base = None
    return result


def memory_of(tensor: Tensor) -> Storage:
    """The storage of a tensor, made when somebody asks for it first: most results go without one."""
    storage: Storage | None = tensor.memory
    if storage is None:
        storage = Storage.__new__(Storage)
        storage.array = tensor.array
        storage.version = 0
        tensor.memory = storage
    return storage


def view_of(tensor: Tensor, array: Any) -> Tensor:
    """A tensor that sees the same storage through another array."""
    result = fresh(array, tensor.dtype)
    result.memory = memory_of(tensor)
    if tensor.base is not None:
        result.base = tensor.base
    elif tensor.link is None or tensor.link.grad_fn is None:
        result.base = tensor
    return result
