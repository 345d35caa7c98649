"""Tiles of four rows and four columns, read where the factors lie, in a small array; smaller ones at the edges."""

cimport cython


@cython.boundscheck(False)
@cython.wraparound(False)
def matmul(a, b, out):
    if a.shape[1] != b.shape[0] or out.shape != (a.shape[0], b.shape[1]):
        raise ValueError(f"matmul: {a.shape} times {b.shape} does not go into {out.shape}")
    cdef const double[:, :] left = a, right = b
    cdef double[:, :] product = out
    cdef Py_ssize_t rows = a.shape[0], inner = a.shape[1], columns = b.shape[1], i, j, k, m, n, height, width
    cdef double tile[4][4]
    for i in range(0, rows, 4):
        height = min(4, rows - i)
        for j in range(0, columns, 4):
            width = min(4, columns - j)
            for m in range(4):
                for n in range(4):
                    tile[m][n] = 0
            if height == 4 and width == 4:
                for k in range(inner):
                    for m in range(4):
                        for n in range(4):
                            tile[m][n] += left[i + m, k] * right[k, j + n]
            else:
                for k in range(inner):
                    for m in range(height):
                        for n in range(width):
                            tile[m][n] += left[i + m, k] * right[k, j + n]
            for m in range(height):
                for n in range(width):
                    product[i + m, j + n] = tile[m][n]
