"""The same sum in other orders, for the page that compares them: plain loops with the rounding as an argument.

`nearest` takes a float64 to the nearest number of some machine: `float32` below, three decimal digits on the page. The
float64 sum of two float32 numbers, rounded once more, is the rounded true sum, for float64 has more than twice the
digits; so these loops make the numbers that the processor's float32 additions make.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from chapters.flat import rounded

__all__ = ["blocked_sum", "compensated_sum", "float32", "lane_sum", "neumaier_sum", "pairwise_sum", "running_sum"]

Nearest = Callable[[float], float]


def float32(value: float) -> float:
    """The float32 nearest to a number."""
    return rounded(value, "f")


# region [running]
def running_sum(elements: Iterable[float], nearest: Nearest) -> float:
    """One total, to which the elements are added in turn."""
    total = 0.0
    for value in elements:
        total = nearest(total + value)
    return total


# endregion [running]


# region [pairwise]
def pairwise_sum(elements: Sequence[float], nearest: Nearest) -> float:
    """Neighbours are added, then neighbouring sums; an odd one waits a round."""
    level = list(elements)
    while len(level) > 1:
        sums = [nearest(a + b) for a, b in zip(level[::2], level[1::2], strict=False)]
        level = sums + level[2 * len(sums) :]
    return level[0] if level else 0.0


# endregion [pairwise]


# region [lanes]
def lane_sum(elements: Iterable[float], nearest: Nearest, lanes: int = 32) -> float:
    """Element k is added to lane k mod `lanes`, a power of two; then lanes are folded."""
    sums = [-0.0] * lanes
    for k, value in enumerate(elements):
        sums[k % lanes] = nearest(sums[k % lanes] + value)
    half = lanes // 2
    while half:
        for lane in range(half):
            sums[lane] = nearest(sums[lane] + sums[lane + half])
        half //= 2
    return sums[0]


# endregion [lanes]


# region [blocked]
def blocked_sum(elements: Sequence[float], nearest: Nearest, lanes: int = 32, block: int = 1024) -> float:
    """A lane sum for each block; sums of blocks are added as a binary counter carries."""
    waiting: list[float] = []
    for count, start in enumerate(range(0, len(elements), block), 1):
        total = lane_sum(elements[start : start + block], nearest, lanes)
        while count % 2 == 0:
            total = nearest(waiting.pop() + total)
            count //= 2
        waiting.append(total)
    total = waiting.pop() if waiting else 0.0
    while waiting:
        total = nearest(waiting.pop() + total)
    return total


# endregion [blocked]


# region [compensated]
def compensated_sum(elements: Iterable[float], nearest: Nearest) -> float:
    """Kahan's sum: what an addition gives too much is taken from the next element."""
    total = excess = 0.0
    for value in elements:
        wanted = nearest(value - excess)
        new = nearest(total + wanted)
        excess = nearest(nearest(new - total) - wanted)
        total = new
    return total


# endregion [compensated]


# region [neumaier]
def neumaier_sum(elements: Iterable[float], nearest: Nearest) -> float:
    """Neumaier's sum: what the smaller operand loses is kept apart and added last."""
    total = lost = 0.0
    for value in elements:
        new = nearest(total + value)
        if abs(total) >= abs(value):
            lost = nearest(lost + nearest(nearest(total - new) + value))
        else:
            lost = nearest(lost + nearest(nearest(value - new) + total))
        total = new
    return nearest(total + lost)


# endregion [neumaier]
