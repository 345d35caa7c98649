# misconception: sum_of_logs
# fails: test_small_scores
import math


def stream_logsumexp(pieces):
    result = 0.0
    for piece in pieces:
        if piece:
            top = max(piece)
            result += top + math.log(math.fsum(math.exp(x - top) for x in piece))
    return result
