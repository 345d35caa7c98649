# misconception: inf_minus_inf
# fails: test_infinities_and_nan
import math


def stream_logsumexp(pieces):
    top, total = -math.inf, 0.0
    for piece in pieces:
        if not piece:
            continue
        new = max(top, *piece)
        total = total * math.exp(top - new) + sum(math.exp(x - new) for x in piece)
        top = new
    return top + math.log(total) if total else -math.inf
