"""Rung 3, the twin of the vector-Jacobian products: the reference's loops over C numbers.

Operands come in any layout; each is packed into row-major order first (no copy where it is so already), so that every
loop below is over plain pointers. A result that is not packed itself is computed beside and copied over at the end.
"""

cimport numpy as cnp

import numpy as np

from chapters.ch16_rules.checks import check_exp, check_matmul, check_mul

cnp.import_array()

__all__ = ["exp_vjp", "matmul_vjp", "mul_vjp"]

ctypedef fused real:
    float
    double


cdef cnp.ndarray room(cnp.ndarray out):
    """Packed room for a result: `out` itself where that is packed."""
    return out if cnp.PyArray_IS_C_CONTIGUOUS(out) else np.empty_like(out, order="C")


cdef int deliver(cnp.ndarray made, cnp.ndarray out) except -1:
    """Copy a result to where it was asked for, unless it was made there."""
    if made is not out:
        out[...] = made
    return 0


# [mul-vjp]
def mul_vjp(cnp.ndarray grad, cnp.ndarray x, cnp.ndarray y, cnp.ndarray grad_x, cnp.ndarray grad_y):
    """grad_x = grad * y and grad_y = grad * x, operands broadcast to the shape of grad."""
    check_mul(grad, x, y, grad_x, grad_y)
    full = (<object> grad).shape
    cdef cnp.ndarray upstream = np.ascontiguousarray(grad)
    cdef cnp.ndarray left = np.ascontiguousarray(np.broadcast_to(x, full))
    cdef cnp.ndarray right = np.ascontiguousarray(np.broadcast_to(y, full))
    cdef cnp.ndarray for_x = room(grad_x), for_y = room(grad_y)
    cdef Py_ssize_t size = upstream.size
    if cnp.PyArray_TYPE(upstream) == cnp.NPY_FLOAT:
        multiply(size, <float*> upstream.data, <float*> right.data, <float*> for_x.data)
        multiply(size, <float*> upstream.data, <float*> left.data, <float*> for_y.data)
    else:
        multiply(size, <double*> upstream.data, <double*> right.data, <double*> for_x.data)
        multiply(size, <double*> upstream.data, <double*> left.data, <double*> for_y.data)
    deliver(for_x, grad_x)
    deliver(for_y, grad_y)
# [/mul-vjp]


def exp_vjp(cnp.ndarray grad, cnp.ndarray y, cnp.ndarray grad_x):
    """grad_x = grad * y, where y = exp(x) is the saved result."""
    check_exp(grad, y, grad_x)
    cdef cnp.ndarray upstream = np.ascontiguousarray(grad), result = np.ascontiguousarray(y), for_x = room(grad_x)
    if cnp.PyArray_TYPE(upstream) == cnp.NPY_FLOAT:
        multiply(upstream.size, <float*> upstream.data, <float*> result.data, <float*> for_x.data)
    else:
        multiply(upstream.size, <double*> upstream.data, <double*> result.data, <double*> for_x.data)
    deliver(for_x, grad_x)


# [multiply]
cdef void multiply(Py_ssize_t size, const real* grad, const real* other, real* out) noexcept nogil:
    """out = grad * other."""
    cdef Py_ssize_t k
    for k in range(size):
        out[k] = grad[k] * other[k]
# [/multiply]


# [matmul-vjp]
def matmul_vjp(cnp.ndarray grad, cnp.ndarray a, cnp.ndarray b, cnp.ndarray grad_a, cnp.ndarray grad_b):
    """grad_a = grad @ b.T and grad_b = a.T @ grad for c = a @ b."""
    check_matmul(grad, a, b, grad_a, grad_b)
    cdef cnp.ndarray upstream = np.ascontiguousarray(grad), left = np.ascontiguousarray(a)
    cdef cnp.ndarray right = np.ascontiguousarray(b.T)  # b by columns: the innermost loop then reads neighbours
    cdef cnp.ndarray for_a = room(grad_a), for_b = room(grad_b)
    cdef Py_ssize_t m = a.shape[0], k = a.shape[1], n = b.shape[1]
    if cnp.PyArray_TYPE(upstream) == cnp.NPY_FLOAT:
        matmul_loops(m, n, k, <float*> upstream.data, <float*> left.data, <float*> right.data,
                     <float*> for_a.data, <float*> for_b.data)
    else:
        matmul_loops(m, n, k, <double*> upstream.data, <double*> left.data, <double*> right.data,
                     <double*> for_a.data, <double*> for_b.data)
    deliver(for_a, grad_a)
    deliver(for_b, grad_b)


cdef void matmul_loops(
    Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, const real* upstream, const real* left, const real* right,
    real* for_a, real* for_b,
) noexcept nogil:
    """The reference's loops; `right` is b transposed."""
    cdef Py_ssize_t i, j, p
    cdef real factor
    for i in range(m * k):
        for_a[i] = 0
    for i in range(k * n):
        for_b[i] = 0
    # [matmul-vjp-loop]
    for i in range(m):
        for j in range(n):
            factor = upstream[i * n + j]
            for p in range(k):
                for_a[i * k + p] += factor * right[j * k + p]
        for p in range(k):
            factor = left[i * k + p]
            for j in range(n):
                for_b[p * n + j] += factor * upstream[i * n + j]
    # [/matmul-vjp-loop]
# [/matmul-vjp]
