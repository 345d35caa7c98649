# misconception: no_shift
# fails: test_high_and_low_scores
import math


def stream_logsumexp(pieces):
    total = 0.0
    for piece in pieces:
        for x in piece:
            total += math.exp(x)
    return math.log(total) if total else -math.inf
