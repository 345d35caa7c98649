# misconception: nearest_name
# fails: test_chain_over_the_same_bytes
from collections import Counter
from itertools import accumulate
from math import prod


def plan(program):
    """Where each tensor of the program lies, and the largest number of bytes in use at one line."""
    end = len(program)
    last = {line.makes: end + 1 for line in program}
    for moment, line in enumerate(program, 1):
        for name in line.reads:
            last[name] = moment
    where, shapes, born, busy, views = {}, {}, {}, {}, set()
    for moment, line in enumerate(program, 1):
        home = line.makes
        if line.how == "view":
            home = where.get(line.reads[0], line.reads[0])
            views.add(line.makes)
        elif line.how == "each":
            for operand in line.reads:
                own = where.get(operand)
                if own is None or operand in views or shapes[operand] != line.shape or busy[own] > moment:
                    continue
                if any(name != operand and where.get(name) == own for name in line.reads):
                    continue
                home = own
                break
        if home == line.makes:
            born[home] = moment
        where[line.makes] = home
        shapes[line.makes] = line.shape
        busy[home] = max(busy.get(home, 0), last[line.makes])
    changes = Counter()
    for home, moment in born.items():
        nbytes = 4 * prod(shapes[home])
        changes[moment] += nbytes
        changes[busy[home] + 1] -= nbytes
    near = dict(where)
    for line in program:
        if line.how == "each" and where[line.makes] != line.makes:
            near[line.makes] = next(name for name in line.reads if where.get(name) == where[line.makes])
    return near, max(accumulate(changes[moment] for moment in sorted(changes)))
