"""The matrix product as it is defined, to be given a twin. Leave this file as it is."""


def matmul(a, b, out):
    """Write the product of `a` and `b` into `out`.

    Parameters
    ----------
    a, b : float64, shapes (rows, inner) and (inner, columns)
        The factors.
    out : float64, shape (rows, columns)
        Is written to.
    """
    rows, inner = a.shape
    if b.shape[0] != inner:
        raise ValueError(f"matmul: a is {a.shape} but b is {b.shape}; inner sizes {inner} and {b.shape[0]} differ")
    columns = b.shape[1]
    if out.shape != (rows, columns):
        raise ValueError(f"matmul: the product is {(rows, columns)} but out is {out.shape}")
    for i in range(rows):
        for j in range(columns):
            total = 0.0
            for k in range(inner):
                total += a[i, k] * b[k, j]
            out[i, j] = total
