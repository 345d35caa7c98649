"""Checks that say what is wrong: for exercises, for tests of your own code, and for a rule you have just derived."""

from kael.testing.because import Because
from kael.testing.mismatch import Mismatch
from kael.testing.tensors import Inputs, assert_equal, assert_tensor
from kael.testing.times import speedup
from kael.testing.usage import calls_waiting, traced
from kael.testing.vjp import check_vjp

__all__ = [
    "Because", "Inputs", "Mismatch", "assert_equal", "assert_tensor", "calls_waiting", "check_vjp", "speedup", "traced",
]  # fmt: skip
