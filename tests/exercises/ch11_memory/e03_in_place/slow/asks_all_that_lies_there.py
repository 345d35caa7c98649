"""Keeps a list of everything that lies on the bytes and goes through it for every line."""

from math import prod


def plan(program):
    end = len(program)
    last = {line.makes: end + 1 for line in program}
    for moment, line in enumerate(program, 1):
        last.update(dict.fromkeys(line.reads, moment))
    where, shapes, views, on = {}, {}, set(), {}
    for moment, line in enumerate(program, 1):
        home = line.makes
        if line.how == "view":
            home = where.get(line.reads[0], line.reads[0])
            views.add(line.makes)
        elif line.how == "each":
            for name in line.reads:
                own = where.get(name)
                if own and name not in views and shapes[name] == line.shape:
                    others = {other for other in line.reads if where.get(other) == own}
                    if others == {name} and all(last[tenant] <= moment for tenant in on[own]):
                        home = own
                        break
        where[line.makes], shapes[line.makes] = home, line.shape
        on.setdefault(home, []).append(line.makes)
    heights = [0] * (end + 1)
    for home in on:
        if home in shapes:
            born = next(k for k, line in enumerate(program) if line.makes == home)
            for moment in range(born, min(max(last[tenant] for tenant in on[home]), end)):
                heights[moment] += 4 * prod(shapes[home])
    return where, max(heights)
