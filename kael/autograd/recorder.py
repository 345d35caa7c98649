"""Where a backward pass looks for somebody who records it.

The engine reads ``active.recorder`` once per backward. It is None unless a ``with kael.record()`` block of the same
thread is open, so a pass that nobody watches pays one test and touches no recorder.
"""

from __future__ import annotations

import threading
from typing import Any

__all__ = ["active"]


class _Active(threading.local):
    recorder: Any = None


active = _Active()
