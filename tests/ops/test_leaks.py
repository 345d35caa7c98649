"""No operation keeps memory or references beyond its results, forward and backward, however often it runs.

What Python's allocator holds, and how many references there are to what every call uses, must not grow by one a call,
and nothing may be left to the garbage collector.
"""

import gc
import sys

import pytest

import kael
from tests.ops.cases import CASES, DIFFERENTIABLE, label

CALLS = 100
ROUNDS = 8
ONCE = [case for case in CASES if case.shapes]
SHARED = [None, True, (), kael.float32, kael.float64, kael.int64, kael.bool, kael.Tensor]


@pytest.fixture(autouse=True, scope="module")
def only_what_is_new():
    """Let the garbage collector look at nothing older: it is called often here."""
    gc.collect()
    gc.freeze()
    gc.disable()
    yield
    gc.enable()
    gc.unfreeze()


def held(kept):
    """Blocks that Python's allocator has given out, and the references to shared objects and to each of `kept`."""
    return [sys.getallocatedblocks(), *map(sys.getrefcount, [*SHARED, *kept])]


def growth(step, kept):
    """By how much at least what is held grew in any of the rounds, cycles counted: caches fill once, a leak goes on."""
    least = sys.maxsize
    for _ in range(ROUNDS):
        gc.collect()  # empties the interpreter's lists of free objects, too, whose blocks count as given out
        before = held(kept)
        for _ in range(CALLS):
            step()
        in_cycles = gc.collect()
        grown = [after - earlier for earlier, after in zip(before, held(kept), strict=True)]
        least = min(least, max(in_cycles, *grown))
        if least < CALLS // 2:
            break
    return least


@pytest.mark.parametrize("case", ONCE, ids=label)
def test_nothing_is_held_after_a_call(case):
    operands = [kael.tensor(array) for array in case.arrays(case.shapes[0])]
    assert growth(lambda: case.function(*operands), operands) < CALLS // 2


@pytest.mark.parametrize("case", [case for case in DIFFERENTIABLE if case.shapes], ids=label)
def test_nothing_is_held_after_a_backward_pass(case):
    operands = [kael.tensor(array, requires_grad=True) for array in case.arrays(case.shapes[0])]

    def step():
        result = case.function(*operands)
        result.backward(kael.ones_like(result))
        for operand in operands:
            operand.grad = None

    assert growth(step, [*operands]) < CALLS // 2


def test_what_is_held_after_each_call_is_found():
    def circle():
        mine = [x]
        mine.append(mine)

    x, pile = kael.ones(2), []
    assert growth(circle, [x]) >= CALLS
    assert growth(lambda: pile.append(x + 1), [x]) >= CALLS
    assert growth(lambda: pile.append(x), [x]) >= CALLS
