cimport cython

from kael.dtypes cimport DType
from kael.storage cimport Storage


cdef class Tensor:
    cdef public Storage storage
    cdef public object array
    cdef public DType dtype
    cdef public object meta
    cdef public Tensor base
    cdef object __weakref__
    @cython.locals(result=Tensor)
    cpdef Tensor detach(self)


@cython.locals(storage=Storage, result=Tensor)
cpdef Tensor fresh(object array, DType dtype)

@cython.locals(result=Tensor)
cpdef Tensor view_of(Tensor tensor, object array)
