# misconception: aligned_right
# fails: test_bias_at_axis_1
from chapters.ch17_engine.engine import reduce_sum_axis


def unbroadcast_at(grad, shape, axis):
    result = grad
    while len(result.shape) > len(shape):
        result = reduce_sum_axis(result, 0)
    for place, size in enumerate(shape):
        if size == 1 and result.shape[place] != 1:
            result = reduce_sum_axis(result, place, keepdims=True)
    return result, tuple(range(len(grad.shape) - len(shape)))
