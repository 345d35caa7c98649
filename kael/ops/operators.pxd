from kael.autograd.op cimport Op
from kael.ops.elementwise cimport binary, div, sub
from kael.ops.matmul cimport matmul
from kael.operators cimport Operators
from kael.table cimport Table

cdef Op ADD, MUL
cdef Table table


cdef class Operations(Operators):
    cpdef object add(self, object x, object y)
    cpdef object sub(self, object x, object y)
    cpdef object mul(self, object x, object y)
    cpdef object div(self, object x, object y)
    cpdef object matmul(self, object x, object y)
