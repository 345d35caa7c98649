"""NumPy's own buffers and the strides in bytes, 0 where an axis repeats, without the GIL."""

cimport numpy as cnp


cdef Py_ssize_t stride(cnp.ndarray operand, cnp.ndarray out, int axis) except? -1:
    """How far to step along an axis of `out`."""
    if operand.shape[axis] == 1:
        return 0
    if operand.shape[axis] != out.shape[axis]:
        raise ValueError(f"normalize: axis {axis} is {operand.shape[axis]} long, but {out.shape[axis]} in out")
    return operand.strides[axis]


cdef void one_row(char* a, char* m, char* s, char* h, char* o, Py_ssize_t da, Py_ssize_t dm, Py_ssize_t ds,
                  Py_ssize_t dh, Py_ssize_t do_, Py_ssize_t columns) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(columns):
        (<float*> (o + j * do_))[0] = (
            ((<float*> (a + j * da))[0] - (<float*> (m + j * dm))[0]) * (<float*> (s + j * ds))[0]
            + (<float*> (h + j * dh))[0])


def normalize(cnp.ndarray x, cnp.ndarray mean, cnp.ndarray scale, cnp.ndarray shift, cnp.ndarray out):
    cdef Py_ssize_t a0 = stride(x, out, 0), a1 = stride(x, out, 1), m0 = stride(mean, out, 0), m1 = stride(mean, out, 1)
    cdef Py_ssize_t s0 = stride(scale, out, 0), s1 = stride(scale, out, 1)
    cdef Py_ssize_t h0 = stride(shift, out, 0), h1 = stride(shift, out, 1)
    cdef Py_ssize_t rows = out.shape[0], columns = out.shape[1], o0 = out.strides[0], o1 = out.strides[1], i
    cdef char* a = <char*> cnp.PyArray_DATA(x)
    cdef char* m = <char*> cnp.PyArray_DATA(mean)
    cdef char* s = <char*> cnp.PyArray_DATA(scale)
    cdef char* h = <char*> cnp.PyArray_DATA(shift)
    cdef char* o = <char*> cnp.PyArray_DATA(out)
    with nogil:
        for i in range(rows):
            one_row(a + i * a0, m + i * m0, s + i * s0, h + i * h0, o + i * o0, a1, m1, s1, h1, o1, columns)
