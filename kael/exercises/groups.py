"""A process and all that it starts: kept apart from this one, and ended together."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from typing import Any

__all__ = ["apart", "end"]


def apart() -> dict[str, Any]:
    """Arguments of `subprocess.Popen` for a process that a Ctrl-C typed here does not reach, and that leads a group."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process that was started `apart`, with its children, and wait for it."""
    if sys.platform == "win32":
        if process.poll() is None:
            command = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
            with contextlib.suppress(OSError):
                subprocess.run(command, capture_output=True, check=False)
            process.kill()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):  # also where it has ended: children may live
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
