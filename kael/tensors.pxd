cimport cython

from kael.dtypes cimport DType
from kael.operators cimport Operators
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


cdef Operators operators


@cython.locals(result=Tensor)
cpdef Tensor fresh(object array, DType dtype)

@cython.locals(storage=Storage)
cpdef Storage memory_of(Tensor tensor)

@cython.locals(result=Tensor)
cpdef Tensor view_of(Tensor tensor, object array)
