cimport cython

from kael.autograd.meta cimport AutogradMeta
from kael.autograd.op cimport Op
from kael.dtypes cimport DType
from kael.tensors cimport Tensor, fresh


cdef class Node:
    cdef readonly tuple inputs
    cdef object __weakref__


@cython.final
cdef class NodeInput:
    cdef public Node edge
    cdef public tuple shape
    cdef public DType dtype
    cdef public Py_ssize_t output


@cython.final
cdef class FunctionNode(Node):
    cdef readonly Op op
    cdef readonly tuple saved
    cdef readonly tuple attributes
    cdef readonly bint released
    cdef public object hooks
    cdef public object retains
    @cython.locals(link=NodeInput, position=Py_ssize_t, results=list)
    cpdef list apply(self, Tensor gradient, Tensor total=*)
    cpdef release_variables(self)


@cython.final
cdef class AccumulateGrad(Node):
    cdef readonly Tensor variable
    @cython.locals(variable=Tensor, meta=AutogradMeta)
    cpdef accumulate(self, Tensor gradient, bint owned)


cpdef Tensor accumulate(Tensor total, Tensor incoming)

cpdef Tensor copied(Tensor gradient)

cpdef Tensor laid_out_like(object leaf, Tensor gradient, bint owned)

cpdef Tensor filled(tuple shape, DType dtype, double value)

@cython.locals(meta=AutogradMeta, leaf=AccumulateGrad)
cpdef Node gradient_edge(Tensor tensor)

@cython.locals(link=NodeInput)
cpdef NodeInput link_to(Node edge, Tensor tensor)

@cython.locals(node=FunctionNode)
cpdef FunctionNode function_node(Op op, tuple inputs, tuple saved, tuple attributes)
