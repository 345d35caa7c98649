cimport cython

from kael.autograd.meta cimport AutogradMeta
from kael.autograd.node cimport AccumulateGrad, FunctionNode, Node
from kael.autograd.recording cimport requires_grad
from kael.tensors cimport Tensor


@cython.locals(meta=AutogradMeta, function=FunctionNode, leaf=AccumulateGrad)
cpdef Tensor run_hooks(Node node, Tensor gradient, set borrowed)

@cython.locals(meta=AutogradMeta)
cpdef run_after_accumulation(Tensor leaf)
