"""How many random examples a test tries: its own number, times ``KAEL_FUZZ`` for a long run."""

import os


def examples(count: int) -> int:
    """`count`, or a multiple of it in a long run."""
    return count * int(os.environ.get("KAEL_FUZZ", "1"))
