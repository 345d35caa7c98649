"""The plain loop: the gradient of picking rows, to be given a twin. Leave this file as it is."""


def add_rows(grad, index, out):
    """Add row i of `grad` to row ``index[i]`` of `out`.

    Parameters
    ----------
    grad : float64, shape (n, width)
        What arrived at the picked rows.
    index : int64, shape (n,)
        Which row of `out` each of them was.
    out : float64, shape (rows, width)
        Is added to.
    """
    rows, width = out.shape
    if grad.shape != (len(index), width):
        raise ValueError(f"add_rows: grad is {grad.shape}, but index and out ask for {(len(index), width)}")
    for i, row in enumerate(index):
        if not 0 <= row < rows:
            raise IndexError(f"add_rows: index[{i}] is {row}, but out has {rows} rows")
    for i, row in enumerate(index):
        for j in range(width):
            out[row, j] += grad[i, j]
