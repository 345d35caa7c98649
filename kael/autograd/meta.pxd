cimport cython

from kael.dtypes cimport DType


cdef class NodeInput:
    cdef readonly tuple shape
    cdef readonly DType dtype
    cdef public bint requires_grad


cdef class AutogradMeta(NodeInput):
    cdef public object grad
    cdef public object hooks
