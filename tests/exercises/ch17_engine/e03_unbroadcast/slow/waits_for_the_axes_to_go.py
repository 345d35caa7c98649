"""Sums the first axis until the number of axes is right, which it never is."""

from chapters.ch17_engine.engine import reduce_sum_axis


def unbroadcast_at(grad, shape, axis):
    result = grad
    while len(result.shape) != len(shape):
        result = reduce_sum_axis(result, 0, keepdims=True)
    return result, ()
