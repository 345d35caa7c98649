"""Random programs: the plan is carried out element by element, and laid beside one that tries every operand."""

from typing import NamedTuple

from kael.testing import assert_equal, assert_tensor


class Line(NamedTuple):
    """One line of a program."""

    makes: str
    shape: tuple[int, ...]
    reads: tuple[str, ...]
    how: str


SQUARE = (3, 3)
TURNED = [3 * (k % 3) + k // 3 for k in range(9)]


def drawn(numbers):
    """A program over two inputs of shape (3, 3) and one of shape (3,)."""
    shapes = {"x": SQUARE, "y": SQUARE, "b": (3,)}
    program = []
    for k in range(int(numbers.integers(3, 12))):
        how = ("fresh", "view", "each", "each")[int(numbers.integers(4))]
        names = list(shapes)[-5:] if numbers.random() < 0.7 else list(shapes)
        wide = [name for name in names if shapes[name] == SQUARE] or ["x"]
        first = wide[int(numbers.integers(len(wide)))]
        reads = [first] if how == "view" else [first, names[int(numbers.integers(len(names)))]]
        shape = (3,) if how == "fresh" and numbers.random() < 0.3 else SQUARE
        if how == "each" and numbers.random() < 0.5:
            reads.reverse()
        program.append(Line(f"t{k}", shape, tuple(reads), how))
        shapes[f"t{k}"] = shape
    return program


def value(line, operands, place):
    """One element of a result from lists of elements; a shape of three is repeated over the rows."""
    parts = [elements[place % len(elements)] for elements in operands]
    if line.how == "fresh":
        return sum((k + 1) * e for k, elements in enumerate(operands) for e in elements) % 97 + place
    return (2 * parts[0] + 3 * parts[-1] + place) % 101


def carried_out(program, where):
    """The results, where every tensor lies as a plan says: a list of elements, and the order to read them in."""
    memory = {"x": list(range(9)), "y": list(range(20, 29)), "b": [5, 6, 7]}
    order = {"x": list(range(9)), "y": list(range(9)), "b": [0, 1, 2]}
    home = {name: name for name in memory}
    for line in program:
        home[line.makes] = where[line.makes]
        count = 9 if line.shape == SQUARE else 3
        if line.how == "view":
            order[line.makes] = [order[line.reads[0]][k] for k in TURNED]
            continue
        order[line.makes] = list(range(count))
        target = memory.setdefault(where[line.makes], [0] * count)
        if line.how == "fresh":
            operands = [[memory[home[name]][k] for k in order[name]] for name in line.reads]
            target[:] = [value(line, operands, place) for place in range(count)]
            continue
        for place in range(count):
            operands = [[memory[home[name]][k] for k in order[name]] for name in line.reads]
            target[place] = value(line, operands, place)
    read = {name for line in program for name in line.reads}
    kept = [line.makes for line in program if line.makes not in read] + ["x", "y", "b"]
    return {name: [memory[home[name]][k] for k in order[name]] for name in kept}


def by_trying(program):
    """The plan by the rules, each line looking through the whole program."""
    where = {}
    ends = {line.makes: line.reads for line in program}
    read = {name for line in program for name in line.reads}
    for moment, line in enumerate(program):
        where[line.makes] = line.makes
        if line.how == "view":
            where[line.makes] = where.get(line.reads[0], line.reads[0])
        for name in line.reads if line.how == "each" else ():
            maker = next((other for other in program[:moment] if other.makes == name), None)
            if maker is None or maker.how == "view" or maker.shape != line.shape:
                continue
            there = {other for other in ends if where.get(other) == where[name] and other != line.makes}
            later = {other for after in program[moment + 1 :] for other in after.reads}
            if there & later or there - read or (there & set(line.reads)) != {name}:
                continue
            where[line.makes] = where[name]
            break
    return where


def heights(program, where):
    """The bytes in use at each line."""
    end = len(program)
    size = {line.makes: 36 if line.shape == SQUARE else 12 for line in program}
    last = {line.makes: end for line in program}
    last.update({name: moment for moment, line in enumerate(program, 1) for name in line.reads})
    used = [0] * (end + 1)
    for born, line in enumerate(program, 1):
        if where[line.makes] == line.makes:
            for moment in range(born, max(last[name] for name in where if where[name] == line.makes) + 1):
                used[moment] += size[line.makes]
    return used


def test_random_plans_are_carried_out(answer, numbers, because):
    for _ in range(25):
        program = drawn(numbers)
        words = "; ".join(f"{line.makes} {line.how} {' '.join(line.reads)}" for line in program)
        where, peak = answer.plan(program)
        apart = {line.makes: line.makes for line in program}
        apart.update({line.makes: "" for line in program if line.how == "view"})
        for line in program:
            if line.how == "view":
                apart[line.makes] = apart.get(line.reads[0], line.reads[0])
        assert_equal(sorted(where), sorted(apart), because=because(f"plan of {words!r}: the tensors in where"))
        reason = because(f"the results of {words!r}, carried out as where says", "read_later")
        assert_equal(carried_out(program, where), carried_out(program, apart), because=reason)
        assert_equal(dict(where), by_trying(program), because=because(f"plan of {words!r}: where", "never"))
        reason = because(f"plan of {words!r}: peak", "by_tensors")
        assert_tensor(peak, max(heights(program, where)), because=reason)
