# misconception: first_peak
# fails: test_steps_of_a_thousand
import math


def stream_logsumexp(pieces):
    top, total = None, 0.0
    for piece in pieces:
        if top is None and piece:
            top = max(piece)
        for x in piece:
            total += math.exp(x - top)
    return top + math.log(total) if total else -math.inf
