"""The plain loop of a normalized layer's last step, to be given a twin. Leave this file as it is."""


def normalize(x, mean, scale, shift, out):
    """Write ``(x - mean) * scale + shift`` into `out`, element by element.

    Parameters
    ----------
    x, mean, scale, shift : float32, two axes
        Along each axis as long as `out`, or 1; an axis of length 1 repeats.
    out : float32, shape (rows, columns)
        Is written to. It may be one of the operands.
    """
    rows, columns = out.shape
    for name, operand in {"x": x, "mean": mean, "scale": scale, "shift": shift}.items():
        if operand.shape[0] not in (1, rows) or operand.shape[1] not in (1, columns):
            raise ValueError(
                f"normalize: {name} is {operand.shape} but out is {out.shape}; each axis has to fit or be 1"
            )
    for i in range(rows):
        for j in range(columns):
            a, m, s, h = (element(operand, i, j) for operand in (x, mean, scale, shift))
            out[i, j] = (a - m) * s + h


def element(operand, i, j):
    """The element of an operand that belongs to element (i, j) of `out`."""
    rows, columns = operand.shape
    return operand[i if rows > 1 else 0, j if columns > 1 else 0]
