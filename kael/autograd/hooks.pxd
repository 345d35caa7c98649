from kael.autograd.node cimport AccumulateGrad
from kael.tensors cimport Tensor


cpdef Tensor run_hooks(dict hooks, Tensor gradient)

cpdef run_after_accumulation(AccumulateGrad node)
