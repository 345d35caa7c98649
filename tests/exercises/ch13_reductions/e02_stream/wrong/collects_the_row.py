# misconception: keeps_scores
# fails: test_nothing_is_kept
import math


def stream_logsumexp(pieces):
    scores = [x for piece in pieces for x in piece]
    if any(math.isnan(x) for x in scores):
        return math.nan
    top = max(scores, default=-math.inf)
    if math.isinf(top):
        return top
    return top + math.log(math.fsum(math.exp(x - top) for x in scores))
