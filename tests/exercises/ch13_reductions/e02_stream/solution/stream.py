"""The largest so far and the sum that refers to it, brought along when the largest grows."""

import math


def stream_logsumexp(pieces):
    """The logarithm of the sum of the exponentials of all scores, read once and not kept."""
    top = -math.inf
    total = special = 0.0
    for piece in pieces:
        for x in piece:
            if not math.isfinite(x):
                special += math.exp(x)
            elif x > top:
                total = total * math.exp(top - x) + 1
                top = x
            else:
                total += math.exp(x - top)
    if special:
        return special
    return top + math.log(total) if total else -math.inf
