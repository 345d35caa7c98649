"""Where random numbers come from: a seeded source whose state can be kept and set again."""

from __future__ import annotations

import operator
import os
import sys
from typing import Any

import numpy

from kael import devices, dtypes
from kael.tensors import Tensor, fresh

FIRST_SEED = 67280421310721
"""Where a new generator begins, as in PyTorch: programs that forget to seed it are at least repeatable."""

STATE_BYTES = 48


class Generator:
    """A source of random numbers: NumPy's PCG64, so they are the same on every rung.

    Parameters
    ----------
    seed : int, optional
        Where the sequence begins. In the place of it, a device may be named, as in PyTorch: the CPU.
    device : str or device
        The CPU.

    Examples
    --------
    >>> import kael
    >>> generator = kael.Generator().manual_seed(7)
    >>> state = generator.get_state()
    >>> first = kael.rand(3, generator=generator)
    >>> bool((kael.rand(3, generator=generator.set_state(state)) == first).all())
    True
    """

    __slots__ = ("_numpy", "_seed")

    def __init__(self, seed: Any = FIRST_SEED, device: Any = "cpu") -> None:
        if isinstance(seed, (str, devices.device)):
            seed, device = FIRST_SEED, seed
        devices.check("Generator", device)
        self._numpy: numpy.random.Generator | None = None
        self._seed = 0
        self.manual_seed(seed)

    @property
    def device(self) -> devices.device:
        """The CPU."""
        return devices.CPU

    @property
    def numpy(self) -> numpy.random.Generator:
        """NumPy's generator, made at first use: `import kael` does not pay for NumPy's random numbers."""
        if self._numpy is None:
            self._numpy = numpy.random.Generator(numpy.random.PCG64(self._seed))
        return self._numpy

    def manual_seed(self, seed: Any) -> Generator:
        """Begin the sequence of this seed.

        Raises
        ------
        TypeError
            When the seed is no integer.
        ValueError
            When it does not fit 64 bits; a negative one counts from 2**64.
        """
        try:
            number = operator.index(seed)
        except TypeError:
            raise TypeError(f"manual_seed: expected an integer, got {type(seed).__name__}") from None
        if not -(2**63) <= number < 2**64:
            raise ValueError(f"manual_seed: the seed {number} does not fit 64 bits")
        self._seed, self._numpy = number % 2**64, None
        return self

    def seed(self) -> int:
        """Begin a sequence that nobody can predict; its seed comes back."""
        return self.manual_seed(int.from_bytes(os.urandom(8), sys.byteorder)).initial_seed()

    def initial_seed(self) -> int:
        """The seed with which the sequence began."""
        return self._seed

    def get_state(self) -> Tensor:
        """Where the sequence is, as a tensor of bytes for `set_state`."""
        state: Any = self.numpy.bit_generator.state
        inner = state["state"]
        packed = b"".join(
            number.to_bytes(size, "little")
            for number, size in (
                (self._seed, 8),
                (inner["state"], 16),
                (inner["inc"], 16),
                (int(state["has_uint32"]), 4),
                (int(state["uinteger"]), 4),
            )
        )
        return fresh(numpy.frombuffer(packed, numpy.uint8).copy(), dtypes.uint8)

    def set_state(self, new_state: Any) -> Generator:
        """Go on from where the sequence was when `get_state` was called.

        Raises
        ------
        TypeError
            When the state is no tensor of bytes.
        RuntimeError
            When it is of another size.
        """
        if not isinstance(new_state, Tensor) or new_state.dtype is not dtypes.uint8:
            kind = new_state.dtype.name if isinstance(new_state, Tensor) else type(new_state).__name__
            raise TypeError(f"RNG state must be a tensor of uint8, got {kind}")
        if new_state.array.size != STATE_BYTES:
            raise RuntimeError(
                f"Expected a Generator state of size {STATE_BYTES} but found the input RNG state size to be "
                f"{new_state.array.size}"
            )
        packed = new_state.array.tobytes()
        numbers = [
            int.from_bytes(packed[first:last], "little")
            for first, last in ((0, 8), (8, 24), (24, 40), (40, 44), (44, 48))
        ]
        self._seed = numbers[0]
        self.numpy.bit_generator.state = {
            "bit_generator": "PCG64",
            "state": {"state": numbers[1], "inc": numbers[2] | 1},
            "has_uint32": numbers[3] & 1,
            "uinteger": numbers[4],
        }
        return self

    def clone_state(self) -> Generator:
        """A generator of its own that goes on from here."""
        return Generator().set_state(self.get_state())


default_generator = Generator()
default_generator.seed()


def source(generator: Any) -> numpy.random.Generator:
    """NumPy's generator behind the one that was passed, or behind the default one.

    Raises
    ------
    TypeError
        When something else was passed.
    """
    if generator is None:
        return default_generator.numpy
    if not isinstance(generator, Generator):
        raise TypeError(f"generator must be a kael.Generator, got {type(generator).__name__}")
    return generator.numpy
