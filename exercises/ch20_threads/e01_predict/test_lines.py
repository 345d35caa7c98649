"""Your tables beside counted loops; the first place that differs is named."""

from collections import OrderedDict

import pytest

from chapters.ch20_threads.cutting import borders
from kael.exercises.answers import filled
from kael.testing import assert_tensor

SIDE, HELD, LINE, SIZE, PARTS = 32, 8, 16, 200, 3


@pytest.fixture
def table(answer):
    """The reader's rows of one table, by their labels, which have to be as they were."""

    def read(name, labels):
        rows = filled(getattr(answer, name), name)
        assert [row[0] for row in rows] == labels, f"{name}: keep its rows and their labels as they were"
        return [row[1] for row in rows]

    return read


def fetched(addresses):
    """Lines that a cache of eight fetches for these addresses."""
    held, count = OrderedDict(), 0
    for line in (address // LINE for address in addresses):
        if line not in held:
            count += 1
        held[line] = None
        held.move_to_end(line)
        if len(held) > HELD:
            held.popitem(last=False)
    return float(count)


def test_visits(table, because):
    n, passes = 100, {"in three passes": 3, "in one pass": 1}
    for got, (name, many) in zip(table("VISITS", list(passes)), passes.items(), strict=True):
        known = {"reads_alone": n * many, "three_for_one": 6 * n, "only_once": 4 * n}
        known = {key: float(value) for key, value in known.items() if value != 2 * n * many}
        assert_tensor(got, 2.0 * n * many, because=because(f"visits, {name}", **known))


def test_lines(table, because):
    rows, columns = table("LINES", ["along the rows", "down the columns"])
    numbers = range(SIDE)
    expected = fetched(i * SIDE + j for i in numbers for j in numbers)
    reason = because("lines, along rows", one_each=float(SIDE**2), row_is_one=float(SIDE))
    assert_tensor(rows, expected, because=reason)
    down = fetched(i * SIDE + j for j in numbers for i in numbers)
    reason = because("lines, down columns", lines_stay=expected, row_is_one=float(SIDE))
    assert_tensor(columns, down, because=reason)


def test_cuts(table, because):
    for part, (got, right) in enumerate(zip(table("CUTS", [0, 1, 2]), borders(SIZE, PARTS), strict=False)):
        known = {"by_elements": float(SIZE * part // PARTS), "in_lines": float(right // LINE)}
        known = {key: value for key, value in known.items() if value != right}
        assert_tensor(got, float(right), because=because(f"the first element of part {part}", **known))
