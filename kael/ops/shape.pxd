cimport cython

from kael.autograd.recording cimport record
from kael.ops.dispatch cimport axis_of, cast, sum_to
from kael.tensors cimport Tensor, fresh, view_of
