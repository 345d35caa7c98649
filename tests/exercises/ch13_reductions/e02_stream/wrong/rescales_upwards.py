# misconception: wrong_way
# fails: test_a_larger_piece_comes_later
import math


def stream_logsumexp(pieces):
    top, total = -math.inf, 0.0
    for piece in pieces:
        if piece and max(piece) > top:
            total = total * math.exp(max(piece) - top) if total else 0.0
            top = max(piece)
        for x in piece:
            total += math.exp(x - top)
    return top + math.log(total) if total else -math.inf
