"""``python -m kael``: the first thing to see, and what to do next; with arguments, the command ``kael``."""

from __future__ import annotations

import sys

from kael import cli

__all__ = ["main"]

NEXT = """\
Next:
  kael book                     read how the library is built
  kael ex                       solve an exercise
  kael train digits --seed 0    train a model on handwritten digits"""


def main() -> int:
    """Print the backward table of w = x*y + x and the three next commands."""
    from kael.tracing.running_example import running_example_trace

    cli.tolerate_narrow_streams()
    print("w = x*y + x at x = 3, y = 4, differentiated step by step:\n")
    print(running_example_trace().table())
    print()
    print(NEXT)
    return 0


if __name__ == "__main__":
    sys.exit(cli.main() if len(sys.argv) > 1 else main())
