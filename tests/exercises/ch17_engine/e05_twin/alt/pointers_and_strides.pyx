"""NumPy's own buffers, raw pointers and the strides in bytes, without the GIL."""

cimport numpy as cnp


cdef void add_all(char* g, char* where, char* o, Py_ssize_t n, Py_ssize_t width, Py_ssize_t g0, Py_ssize_t g1,
                  Py_ssize_t w0, Py_ssize_t o0, Py_ssize_t o1) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef char* row
    for i in range(n):
        row = o + (<cnp.int64_t*> (where + i * w0))[0] * o0
        for j in range(width):
            (<double*> (row + j * o1))[0] += (<double*> (g + i * g0 + j * g1))[0]


def add_rows(cnp.ndarray grad, cnp.ndarray index, cnp.ndarray out):
    cdef Py_ssize_t n = index.shape[0], rows = out.shape[0], width = out.shape[1], i
    if grad.shape[0] != n or grad.shape[1] != width:
        shape = grad.shape[0], grad.shape[1]
        raise ValueError(f"add_rows: grad is {shape}, but index and out ask for {(n, width)}")
    cdef char* where = <char*> cnp.PyArray_DATA(index)
    cdef cnp.int64_t row
    for i in range(n):
        row = (<cnp.int64_t*> (where + i * index.strides[0]))[0]
        if not 0 <= row < rows:
            raise IndexError(f"add_rows: index[{i}] is {row}, but out has {rows} rows")
    with nogil:
        add_all(<char*> cnp.PyArray_DATA(grad), where, <char*> cnp.PyArray_DATA(out), n, width, grad.strides[0],
                grad.strides[1], index.strides[0], out.strides[0], out.strides[1])
