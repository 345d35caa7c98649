"""Goes through the program while counters of reads that are still to come fall."""

from collections import Counter
from math import prod


class Bytes:
    """A stretch of memory: whose it was first, its shape, and how many reads and results still need it."""

    def __init__(self, name, shape):
        self.name, self.shape, self.needed = name, shape, 0


def plan(program):
    to_come = Counter(name for line in program for name in line.reads)
    lies_on, views, in_use, peak = {}, set(), 0, 0
    for line in program:
        taken = [lies_on.get(name) for name in line.reads]
        for place in filter(None, taken):
            place.needed -= 1
        mine = None
        if line.how == "view":
            views.add(line.makes)
            mine = taken[0]
        if line.how == "each":
            free = (
                place
                for name, place in zip(line.reads, taken, strict=True)
                if place and name not in views and place.shape == line.shape and not place.needed
                if {other for other, its in zip(line.reads, taken, strict=True) if its is place} == {name}
            )
            mine = next(free, None)
        if mine is None:
            mine = Bytes(line.reads[0] if line.how == "view" else line.makes, line.shape)
            mine.size = 0 if line.how == "view" else 4 * prod(line.shape)
            in_use += mine.size
        lies_on[line.makes] = mine
        mine.needed += to_come[line.makes] or 1
        peak = max(peak, in_use)
        in_use -= sum(place.size for place in set(taken) - {None} if not place.needed)
    return {name: place.name for name, place in lies_on.items()}, peak
