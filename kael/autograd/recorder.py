"""Where a backward pass looks for somebody who records it.

The engine reads `recorder` once per backward. It holds None unless a ``with kael.record()`` block of the same
thread is open, so a pass that nobody watches pays one test and touches no recorder.
"""

from __future__ import annotations

from kael.autograd.per_thread import PerThread

__all__ = ["recorder"]


recorder = PerThread(None)
"""Where the thread's passes report, or None."""
