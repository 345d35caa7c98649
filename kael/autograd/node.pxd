cimport cython

from kael.autograd.meta cimport AutogradMeta, NodeInput
from kael.autograd.op cimport Op
from kael.agreement cimport has_shape, same_strides
from kael.collector cimport leave_out
from kael.dtypes cimport DType
from kael.table cimport Table
from kael.tensors cimport Tensor, fresh

cdef Table table


cdef class Node(AutogradMeta):
    cdef readonly tuple inputs
    cdef public object owner
    cdef public Py_ssize_t pending
    cdef public Tensor total
    cdef public bint borrowed
    cdef object __weakref__


@cython.final
cdef class FunctionNode(Node):
    cdef readonly Op op
    cdef readonly tuple saved
    cdef readonly tuple attributes
    cdef readonly bint released
    cdef public bint retains
    @cython.locals(link=NodeInput, position=Py_ssize_t, results=list)
    cpdef list apply(self, Tensor gradient, Tensor total=*)
    cpdef release_variables(self)


@cython.final
cdef class AccumulateGrad(Node):
    cdef readonly Tensor handle
    cdef readonly object leaf
    @cython.locals(place=object)
    cpdef accumulate(self, Tensor gradient, bint owned)


cpdef Tensor accumulate(Tensor total, Tensor incoming)

cpdef Tensor copied(Tensor gradient)

cpdef Tensor laid_out_like(object leaf, Tensor gradient, bint owned)

cpdef Tensor filled(tuple shape, DType dtype, double value)

cpdef Node gradient_edge(Tensor tensor)

@cython.locals(node=AccumulateGrad)
cpdef AccumulateGrad leaf_node(Tensor tensor)

@cython.locals(node=AccumulateGrad)
cpdef see_anew(Tensor tensor)

@cython.locals(link=NodeInput)
cpdef NodeInput constant(Tensor tensor)

@cython.locals(link=NodeInput)
cpdef NodeInput link_to(Tensor tensor)

@cython.locals(node=FunctionNode)
cpdef FunctionNode function_node(Op op, tuple inputs, tuple saved, tuple attributes, tuple shape,
                                 DType dtype)
