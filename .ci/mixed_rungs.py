"""Prints values for KAEL_KERNELS that put some chapters on NumPy and leave the others on their twins.

Each chapter is on NumPy in two of the runs, and no two chapters in the same two: so for every two chapters, each is
once on NumPy while the other is on its twin, in fewer runs than there are chapters.
"""

from itertools import combinations, count
from math import comb

from kael.kernels import LIBRARY


def mixtures(chapters: tuple[str, ...]) -> list[str]:
    """One value a run."""
    runs = next(runs for runs in count(2) if comb(runs, 2) >= len(chapters))
    pairs = dict(zip(chapters, combinations(range(runs), 2), strict=False))
    return [",".join(f"{name}=numpy" for name, pair in pairs.items() if run in pair) for run in range(runs)]


if __name__ == "__main__":
    print(*mixtures(tuple(name.partition("_")[0] for name in LIBRARY)), sep="\n")
