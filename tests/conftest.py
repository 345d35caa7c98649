"""The clone comes last on the path: an installed kael is tested where there is one, else the tree itself."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
