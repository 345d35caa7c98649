# misconception: not_typed
# fails: test_many_times_faster
def add_rows(grad, index, out):
    """Add row i of `grad` to row ``index[i]`` of `out`."""
    cdef Py_ssize_t rows = out.shape[0], width = out.shape[1], n = len(index), i, j, row
    if grad.shape != (n, width):
        raise ValueError(f"add_rows: grad is {grad.shape}, but index and out ask for {(n, width)}")
    for i in range(n):
        if index[i] < 0 or index[i] >= rows:
            raise IndexError(f"add_rows: index[{i}] is {index[i]}, but out has {rows} rows")
    for i in range(n):
        row = index[i]
        for j in range(width):
            out[row, j] += grad[i, j]
