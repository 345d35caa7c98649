"""Cases of the operations in `kael.ops.diagonals`."""

import numpy as np

from tests.ops.cases.case import one

SQUARES = ((3, 3), (2, 3), (3, 2), (0, 3))


def embedded(x: np.ndarray, offset: int) -> np.ndarray:
    """Matrices with the rows of `x` on a diagonal, element by element."""
    size = x.shape[-1] + abs(offset)
    result = np.zeros((*x.shape[:-1], size, size), x.dtype)
    for k in range(x.shape[-1]):
        result[..., k + max(-offset, 0), k + max(offset, 0)] = x[..., k]
    return result


DIFFERENTIABLE = [
    one("diagonal", "", lambda k, x: k.diagonal(x), np.diagonal, *SQUARES, (2, 3, 4)),
    one("diagonal", "above", lambda k, x: x.diagonal(1), lambda x: np.diagonal(x, 1), *SQUARES),
    one("diagonal", "below", lambda k, x: x.diagonal(-1, -1, 0), lambda x: np.diagonal(x, -1, -1, 0),
        (3, 3), (2, 3, 4)),
    one("diagonal", "outside", lambda k, x: x.diagonal(9), lambda x: np.diagonal(x, 9), (3, 3)),
    one("diagonal", "diag", lambda k, x: k.diag(x, -1), lambda x: np.diag(x, -1), *SQUARES),
    one("diagonal", "trace", lambda k, x: k.trace(x), np.trace, *SQUARES),
    one("diag_embed", "", lambda k, x: k.diag_embed(x), lambda x: embedded(x, 0), (3,), (2, 3), (2, 0)),
    one("diag_embed", "above", lambda k, x: x.diag_embed(1), lambda x: embedded(x, 1), (3,), (2, 3)),
    one("diag_embed", "axes", lambda k, x: x.diag_embed(-1, 0, 2),
        lambda x: np.moveaxis(embedded(x, -1), 1, 0), (2, 3)),
    one("diag_embed", "diag", lambda k, x: k.diag(x, 1), lambda x: np.diag(x, 1), (3,), (0,)),
    one("diag_embed", "diagflat", lambda k, x: k.diagflat(x, -1), lambda x: np.diagflat(x, -1), (), (3,), (2, 2)),
    one("tril", "", lambda k, x: k.tril(x), np.tril, *SQUARES, (2, 3, 4)),
    one("tril", "above", lambda k, x: x.tril(diagonal=1), lambda x: np.tril(x, 1), *SQUARES),
    one("triu", "", lambda k, x: k.triu(x), np.triu, *SQUARES, (2, 3, 4)),
    one("triu", "below", lambda k, x: x.triu(diagonal=-1), lambda x: np.triu(x, -1), *SQUARES),
]  # fmt: skip
