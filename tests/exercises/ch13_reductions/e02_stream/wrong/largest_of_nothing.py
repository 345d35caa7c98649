# misconception: empty_piece
# fails: test_empty_pieces
import math


def stream_logsumexp(pieces):
    top, total = -math.inf, 0.0
    for piece in pieces:
        new = max(top, max(piece))
        total = total * math.exp(top - new) + sum(math.exp(x - new) for x in piece)
        top = new
    return top + math.log(total) if total else -math.inf
