"""What programs ask a graphics processor for before they use one: there is none.

So that ``kael.device("cuda" if kael.cuda.is_available() else "cpu")`` is the CPU.
"""

from __future__ import annotations


def is_available() -> bool:
    """Whether there is a graphics processor: no."""
    return False


def device_count() -> int:
    """How many graphics processors there are: none."""
    return 0


def manual_seed(seed: int) -> None:
    """Nothing: there is no generator on a graphics processor to seed; see `kael.manual_seed`."""


def manual_seed_all(seed: int) -> None:
    """Nothing: there is no generator on a graphics processor to seed; see `kael.manual_seed`."""


def empty_cache() -> None:
    """Nothing: there is no memory on a graphics processor to return; for the CPU's see `kael.empty_cache`."""
