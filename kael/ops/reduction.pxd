cimport cython

from kael.autograd.node cimport FunctionNode
from kael.autograd.op cimport Op
from kael.autograd.recording cimport record
from kael.dtypes cimport DType
from kael.ops.dispatch cimport as_tensor, axes_of, axis_of, cast, compute
from kael.tensors cimport Tensor, fresh


@cython.locals(output=Tensor, kept=tuple, shape=tuple)
cpdef Tensor reduce(Op op, object kernel, Tensor x, object dim, bint keepdim, DType result)

cpdef Tensor spread(Tensor gradient, tuple kept, tuple shape)

cpdef Tensor sum_vjp(FunctionNode node, Tensor g, Py_ssize_t position)
