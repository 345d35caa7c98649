"""The clone comes last on the path: an installed kael is tested where there is one, else the tree itself."""

import signal
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

# A shell's background job ignores Ctrl-C, and so would every process that a test starts and then interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
