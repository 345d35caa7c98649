"""The simplest compiled sum, to be beaten in speed and in accuracy. Leave this file as it is."""


def total(x):
    """The sum of a float64 array with one axis, added in turn."""
    cdef const double[:] numbers = x
    cdef double so_far = 0
    cdef Py_ssize_t k
    for k in range(numbers.shape[0]):
        so_far += numbers[k]
    return so_far
