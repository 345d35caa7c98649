"""A deep-learning library small enough to read and quick enough to use.

Examples
--------
>>> import kael
>>> x = kael.tensor(3.0, requires_grad=True)
>>> y = kael.tensor(4.0, requires_grad=True)
>>> w = x * y + x
>>> w.backward()
>>> x.grad, y.grad
(tensor(5.), tensor(3.))
"""

import os

if os.environ.get("KAEL_ENGINE") == "python":
    import sys

    from kael import _source_first

    sys.meta_path.insert(0, _source_first)  # type: ignore[arg-type]

from kael import autograd, kernels, ops, tensors
from kael.autograd import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from kael.creation import (
    arange,
    as_tensor,
    empty,
    empty_like,
    eye,
    from_numpy,
    full,
    full_like,
    linspace,
    ones,
    ones_like,
    tensor,
    zeros,
    zeros_like,
)
from kael.dtypes import DType as dtype
from kael.dtypes import bool, float16, float32, float64, int8, int16, int32, int64, uint8
from kael.random import Generator, manual_seed, rand, randint, randn, randperm
from kael.tensors import Tensor
from kael.tracing.recording import record

tensors.bind(ops, autograd)
for _function in ops.FUNCTIONS:
    globals()[_function.__name__] = _function

__version__ = "0.1.0"
