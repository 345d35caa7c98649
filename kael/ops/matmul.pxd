cimport cython

from kael.autograd.node cimport FunctionNode
from kael.autograd.recording cimport record_binary
from kael.dtypes cimport DType
from kael.ops.dispatch cimport common_shape, sum_to
from kael.tensors cimport Tensor, fresh


@cython.locals(dtype=DType, inside=DType)
cpdef Tensor multiply(Tensor a, Tensor b)

@cython.locals(other=Tensor, turned=Tensor)
cpdef Tensor matmul_vjp(FunctionNode node, Tensor g, Py_ssize_t position)
