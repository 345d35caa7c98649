# misconception: last_piece
# fails: test_a_larger_piece_comes_later
import math


def stream_logsumexp(pieces):
    result = -math.inf
    for piece in pieces:
        if piece:
            top = max(piece)
            result = top + math.log(math.fsum(math.exp(x - top) for x in piece))
    return result
