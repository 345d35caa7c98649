# misconception: inputs
# fails: test_inputs_stay
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
                own = where.get(operand, operand)
                if operand in views or shapes.get(operand, line.shape) != line.shape or busy.get(own, 0) > moment:
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
    return where, max(accumulate(changes[moment] for moment in sorted(changes)), default=0)
