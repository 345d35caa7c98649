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
from typing import Any as _Any

# NumPy comes first: from the depth of the engine's imports it took a third longer. CPython 3.11 keeps frames in chunks
# of memory, and where a chunk ends between a loop and what it calls, every call maps a new one and unmaps it again.
import numpy as _numpy

if os.environ.get("KAEL_ENGINE") == "python":
    import sys

    from kael import _source_first

    sys.meta_path.insert(0, _source_first)
elif os.environ.get("KAEL_ENGINE"):
    raise ValueError(
        f"KAEL_ENGINE={os.environ['KAEL_ENGINE']}: the one choice is python, the engine as plain Python; leave it out "
        "for the compiled engine"
    )

from kael import autograd, copying, cuda, interop, kernels, linalg, ops, printing, scalars, tensors
from kael.allocator import cache_info, empty_cache
from kael.autograd import (
    enable_grad,
    inference_mode,
    is_anomaly_enabled,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)
from kael.creation import (
    arange,
    as_tensor,
    empty,
    empty_like,
    eye,
    from_numpy,
    full,
    full_like,
    get_default_dtype,
    is_tensor,
    linspace,
    logspace,
    ones,
    ones_like,
    scalar_tensor,
    set_default_dtype,
    tensor,
    tril_indices,
    triu_indices,
    zeros,
    zeros_like,
)
from kael.devices import device
from kael.dtypes import DType as dtype
from kael.dtypes import (
    bool,
    can_cast,
    finfo,
    float16,
    float32,
    float64,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    uint8,
)
from kael.generators import Generator, default_generator
from kael.interop import from_dlpack
from kael.ops.operators import Operations
from kael.printing import get_printoptions, printoptions, set_printoptions
from kael.queries import is_nonzero, result_type
from kael.random import (
    get_rng_state,
    initial_seed,
    manual_seed,
    rand,
    rand_like,
    randint,
    randint_like,
    randn,
    randn_like,
    randperm,
    seed,
    set_rng_state,
)
from kael.tensors import Tensor
from kael.threads import get_num_threads, set_num_threads
from kael.tracing.recording import record

tensors.bind(
    Operations(), autograd=autograd, copying=copying, interop=interop, ops=ops, printing=printing, scalars=scalars
)
for _function in ops.FUNCTIONS:
    globals()[_function.__name__] = _function
globals().update(ops.ALIASES)

double, float, half, int, long, short = float64, float32, float16, int32, int64, int16

if _missing := kernels.missing_twins():
    from kael import notice

    notice.show_once(_missing)

__version__ = "0.1.0"

_LATER = {name: f"kael.{name}" for name in ("data", "models", "nn", "optim", "testing", "tracing", "training", "utils")}


def __getattr__(name: str) -> _Any:
    """Import what `import kael` leaves out the first time it is asked for."""
    import importlib

    if name == "show_config":
        from kael.config import show_config

        return show_config
    if name in ("load", "save"):
        return getattr(importlib.import_module("kael.serialization"), name)
    if name not in _LATER:
        raise AttributeError(
            f"module 'kael' has no attribute {name!r}; kael does not have all of PyTorch's names, and dir(kael) lists "
            "those it has"
        )
    return importlib.import_module(_LATER[name])


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, "load", "save", "show_config"})
