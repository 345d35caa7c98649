"""What becomes of the memory of large results: it is held for the next one, up to a limit.

The cache itself is chapter 11's (decision 0012). ``KAEL_CACHE_BYTES`` is its limit, 1 GiB where it is not set, and 0
switches it off; ``KAEL_DEBUG=1`` overwrites the memory of what is freed. Both are read once, at import.
"""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

from kael.kernels import table

__all__ = ["CacheInfo", "cache_info", "empty_cache"]


USUAL = 1 << 30
"""The limit where the environment sets none: 1 GiB."""


class CacheInfo(NamedTuple):
    """The memory of large results.

    Attributes
    ----------
    held : int
        Bytes that nothing uses, held for the next result.
    in_use : int
        Bytes of results that are alive.
    peak : int
        The most bytes that were in use at once since the cache was last emptied; what is held and what is in use
        together stay below it.
    limit : int
        The most bytes that are ever held.
    hits : int
        Results that got memory used before.
    misses : int
        Results that got new memory.
    """

    held: int
    in_use: int
    peak: int
    limit: int
    hits: int
    misses: int


def cache_info() -> CacheInfo:
    """What the cache holds and how often it served; zeros where chapter 11 does not run on its twin.

    Examples
    --------
    >>> import kael
    >>> kael.cache_info()  # doctest: +ELLIPSIS
    CacheInfo(held=..., in_use=..., peak=..., limit=..., hits=..., misses=...)
    """
    return CacheInfo(*table.cache_counts())


def empty_cache() -> None:
    """Give the memory that is held for reuse back to the system; results that are alive keep theirs.

    Examples
    --------
    >>> import kael
    >>> kael.empty_cache()
    >>> kael.cache_info().held
    0
    """
    import ctypes  # here, so that `import kael` does not pay for it

    table.empty_cache()
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return  # only glibc keeps what it was given and can be told not to
    trim(0)


def limit() -> int:
    """The limit that the environment sets, in bytes.

    Raises
    ------
    RuntimeError
        When it is no whole number, negative, or more than a process can address.
    """
    setting = os.environ.get("KAEL_CACHE_BYTES", str(USUAL))
    digits = setting.isascii() and setting.isdecimal() and len(setting) <= len(str(sys.maxsize))
    if not digits or int(setting) > sys.maxsize:
        raise RuntimeError(
            f"KAEL_CACHE_BYTES={setting}: it must be a whole number of bytes, from 0 for no cache to {sys.maxsize}; "
            f"without it the limit is {USUAL}"
        )
    return int(setting)


table.limit_cache(limit(), os.environ.get("KAEL_DEBUG") == "1")
