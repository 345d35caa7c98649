# misconception: assumes_contiguous
# fails: test_any_strides
def add_rows(grad, index, out):
    """Add row i of `grad` to row ``index[i]`` of `out`."""
    cdef const double[:, :] g = grad
    cdef const long long[:] where = index
    cdef double[:, ::1] o = out
    cdef Py_ssize_t rows = o.shape[0], width = o.shape[1], n = where.shape[0], i, j, row
    if g.shape[0] != n or g.shape[1] != width:
        raise ValueError(f"add_rows: grad is {grad.shape}, but index and out ask for {(n, width)}")
    for i in range(n):
        if where[i] < 0 or where[i] >= rows:
            raise IndexError(f"add_rows: index[{i}] is {where[i]}, but out has {rows} rows")
    for i in range(n):
        row = where[i]
        for j in range(width):
            o[row, j] += g[i, j]
