"""How many random examples a test tries, and which: ``KAEL_FUZZ`` times its own number in a long run.

A long run draws other examples than the one before it; ``pytest --hypothesis-seed=N`` draws those of seed N again.
"""

import os


def examples(count: int) -> int:
    """`count`, or a multiple of it in a long run."""
    return count * int(os.environ.get("KAEL_FUZZ", "1"))


def the_same_ones() -> bool:
    """Whether a test that tries the same examples each time does: not in a long run."""
    return "KAEL_FUZZ" not in os.environ
