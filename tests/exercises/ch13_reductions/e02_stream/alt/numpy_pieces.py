"""Each piece as an array; the sum refers to a largest that is never infinite."""

import numpy as np


def stream_logsumexp(pieces):
    top, shift, total = -np.inf, 0.0, 0.0
    for piece in pieces:
        scores = np.array([top, *piece])
        top = scores.max()
        moved = float(top) if np.isfinite(top) else shift
        with np.errstate(over="ignore", invalid="ignore"):
            total = total * np.exp(min(shift - moved, 0.0) if total else 0.0) + np.exp(scores[1:] - moved).sum()
        shift = moved
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(shift + np.log(total))
