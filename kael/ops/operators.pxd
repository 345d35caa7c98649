from kael.autograd.op cimport Op
from kael.ops.elementwise cimport binary, div, sub
from kael.ops.matmul cimport matmul
from kael.tensors cimport Operators, Tensor

cdef Op ADD, MUL


cdef class Operations(Operators):
    cpdef Tensor add(self, object x, object y)
    cpdef Tensor sub(self, object x, object y)
    cpdef Tensor mul(self, object x, object y)
    cpdef Tensor div(self, object x, object y)
    cpdef Tensor matmul(self, object x, object y)
