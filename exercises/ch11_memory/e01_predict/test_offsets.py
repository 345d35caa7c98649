"""Your tables beside the record of an arena, column by column; the first step that differs is named."""

import pytest

from chapters.ch11_memory.reference import Arena
from kael.exercises.answers import filled
from kael.testing import assert_equal, assert_tensor

FIRST = 128
STEPS = [(10, 1), (24, 8), (16, 16), (4, 64), (60, 4), (1, 1), (100, 32), None, (40, 16), (100, 8)]
MOMENTS = [5, 7, 8, 10]


@pytest.fixture(scope="module")
def record():
    """What the arena did: per request its step, position before, offset, gap and position after; states by step."""
    arena, requests, states = Arena(FIRST), [], {}
    for step, request in enumerate(STEPS, 1):
        before = arena.used
        if request is None:
            arena.reset()
        else:
            offset = arena.allocate(*request).offset
            requests.append((step, request, before, offset, offset - before, arena.used))
        states[step] = arena.used, arena.peak, arena.capacity
    return requests, states


@pytest.fixture
def requests(answer, record):
    """The reader's rows of REQUESTS, each beside what the arena did."""
    rows = filled(answer.REQUESTS, "REQUESTS")
    given = [(step, f"{nbytes} at {align}") for step, (nbytes, align), *_ in record[0]]
    assert [row[:2] for row in rows] == given, "REQUESTS: keep its rows, their steps and requests as they were"
    return list(zip(rows, record[0], strict=True))


@pytest.fixture
def states(answer, record):
    """The reader's rows of STATES, each beside what the arena held."""
    rows = filled(answer.STATES, "STATES")
    assert [row[0] for row in rows] == MOMENTS, "STATES: keep its rows and their steps as they were"
    return [(row, record[1][row[0]]) for row in rows]


def test_offsets(requests, because):
    for (_, text, offset, _, _), (step, (_, align), before, expected, _, _) in requests:
        rounded = -(-before // align) * align
        known = {"no_alignment": before}
        if rounded == before:
            known = {"always_pads": before + align, "exact_fit": FIRST}
        if before >= FIRST:
            known["from_each_block"] = before % FIRST
        if rounded != expected:
            known = {"runs_over": rounded, "from_each_block": 0}
        if step == 10:
            known |= {"last_block_goes_on": 256}
        if step == 9:
            known = {"after_reset_goes_on": -(-356 // align) * align}
        reason = because(f"step {step}, {text}: the offset", **{k: v for k, v in known.items() if v != expected})
        assert_tensor(offset, expected, because=reason)


def test_gaps(requests, because):
    for (_, text, _, gap, _), (step, (_, align), before, _, expected, _) in requests:
        padding = -before % align
        known = {"gap_of_alignment_only": padding} if padding != expected else {}
        assert_tensor(gap, expected, because=because(f"step {step}, {text}: the gap", **known))


def test_next_free_bytes(requests, because):
    for (_, text, _, _, used), (step, (nbytes, align), before, offset, _, expected) in requests:
        known = {"size_rounded": offset + -(-nbytes // align) * align, "sum_of_sizes": before + nbytes}
        reason = because(
            f"step {step}, {text}: the next free byte", **{k: v for k, v in known.items() if v != expected}
        )
        assert_tensor(used, expected, because=reason)


def test_used(states, because):
    for (step, used, _, _), (expected, _, _) in states:
        sizes = sum(request[0] for request in STEPS[8 if step > 8 else 0 : step] if request)
        known = {"sum_of_sizes": sizes} if sizes != expected else {}
        if step == 8:
            known = {"after_reset_goes_on": 356}
        assert_tensor(used, expected, because=because(f"after step {step}: used", **known))


def test_peaks(states, because):
    for (step, _, peak, _), (used, expected, _) in states:
        known = {"peak_falls": used} if used != expected else {}
        assert_tensor(peak, expected, because=because(f"after step {step}: peak", **known))


def test_capacities(states, because):
    for (step, _, _, capacity), (_, _, expected) in states:
        known = {"same_block_again": 3 * FIRST} if step == 7 else {"blocks_go": FIRST} if step == 8 else {}
        assert_equal(int(capacity), expected, because=because(f"after step {step}: capacity", **known))
