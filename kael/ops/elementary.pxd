from kael.autograd.op cimport Op
from kael.ops.dispatch cimport cast, sum_to
from kael.ops.elementwise cimport add, binary, div, fused, mul, neg, sub, unary_float
from kael.tensors cimport Tensor
