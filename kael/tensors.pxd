cimport cython

from kael.dtypes cimport DType
from kael.storage cimport Storage


cdef class Tensor:
    cdef public Storage memory
    cdef public object array
    cdef public DType dtype
    cdef public object link
    cdef public Tensor base
    cdef object __weakref__
    @cython.locals(result=Tensor)
    cpdef Tensor detach(self)


cdef class Operators:
    cpdef Tensor add(self, object x, object y)
    cpdef Tensor sub(self, object x, object y)
    cpdef Tensor mul(self, object x, object y)
    cpdef Tensor div(self, object x, object y)
    cpdef Tensor matmul(self, object x, object y)


cdef Operators operators


@cython.locals(result=Tensor)
cpdef Tensor fresh(object array, DType dtype)

@cython.locals(storage=Storage)
cpdef Storage memory_of(Tensor tensor)

@cython.locals(result=Tensor)
cpdef Tensor view_of(Tensor tensor, object array)
