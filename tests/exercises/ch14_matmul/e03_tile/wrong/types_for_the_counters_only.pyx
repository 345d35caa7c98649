# misconception: not_typed
# fails: test_faster_than_the_plain_loops
def matmul(a, b, out):
    """Write the product of `a` and `b` into `out`."""
    if b.shape[0] != a.shape[1]:
        raise ValueError(f"matmul: a is {a.shape} but b is {b.shape}; inner sizes differ")
    if out.shape != (a.shape[0], b.shape[1]):
        raise ValueError(f"matmul: the product is {(a.shape[0], b.shape[1])} but out is {out.shape}")
    cdef Py_ssize_t rows = a.shape[0], inner = a.shape[1], columns = b.shape[1], i, j, k
    for i in range(rows):
        for j in range(columns):
            total = 0.0
            for k in range(inner):
                total += a[i, k] * b[k, j]
            out[i, j] = total
