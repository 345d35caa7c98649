from kael.autograd.op cimport Op
from kael.autograd.recording cimport record_unary
from kael.ops.dispatch cimport as_tensor
from kael.ops.elementwise cimport div, mul, unary
from kael.tensors cimport Tensor


cpdef Tensor rounding(Op op, object kernel, object x)
