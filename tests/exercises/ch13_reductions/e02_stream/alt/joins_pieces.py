"""One logsumexp for each piece, joined to that of the pieces before."""

import math


def joined(scores):
    top = -math.inf
    for x in scores:
        if math.isnan(x):
            return x
        top = max(top, x)
    if math.isinf(top):
        return top
    return top + math.log(math.fsum(math.exp(x - top) for x in scores))


def stream_logsumexp(pieces):
    result = -math.inf
    for piece in pieces:
        result = joined([result, *piece])
    return result
