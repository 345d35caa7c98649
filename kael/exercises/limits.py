"""How much a process that runs answers may take, where the system can say so; elsewhere these limits are not there."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

__all__ = ["MEMORY", "set_limits"]

MEMORY = 4 << 30
"""Bytes that an answer may ask for, beyond what the process has when it begins."""
LARGEST_FILE = 256 << 20
PROCESSES = 200


def set_limits() -> None:
    """Limit memory, the size of files and the number of processes of this process; leave no memory dumps.

    What is imported from now on leaves no compiled copy of itself, in no process that this one starts either. A limit
    that the system does not know, or does not let be set, is left out.
    """
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    if sys.platform == "win32":
        return
    import resource

    wanted = {"RLIMIT_CORE": 0, "RLIMIT_FSIZE": LARGEST_FILE}
    with contextlib.suppress(OSError, ValueError, IndexError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        wanted["RLIMIT_AS"] = pages * resource.getpagesize() + MEMORY
    with contextlib.suppress(OSError):
        wanted["RLIMIT_NPROC"] = _threads_of_user() + PROCESSES
    for name, most in wanted.items():
        with contextlib.suppress(AttributeError, ValueError, OSError):
            kind = getattr(resource, name)
            _, hard = resource.getrlimit(kind)
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (most, hard))


def _threads_of_user() -> int:
    """How many threads this user has, which is what the system counts.

    Raises
    ------
    OSError
        Where there is no way to know.
    """
    mine, count = os.getuid(), 0
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if entry.stat().st_uid == mine:
                    count += len(os.listdir(f"/proc/{entry.name}/task"))  # noqa: PTH208
    return count
