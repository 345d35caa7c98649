# misconception: one_total
# fails: test_error_stays_below_the_bound
def total(x):
    """The sum of a float64 array with one axis: lanes in a block, pairs of blocks."""
    cdef const double[:] numbers = x
    cdef double so_far = -0.0
    cdef Py_ssize_t k
    for k in range(numbers.shape[0]):
        so_far += numbers[k]
    return so_far if len(x) else 0.0
