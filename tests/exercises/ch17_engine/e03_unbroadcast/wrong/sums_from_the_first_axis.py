# misconception: axes_moved
# fails: test_bias_at_axis_1
from chapters.ch17_engine.engine import reduce_sum_axis
from chapters.flat import Buffer


def unbroadcast_at(grad, shape, axis):
    end = axis + len(shape)
    inside = dict(zip(range(axis, end), shape, strict=True))
    summed = [place for place, size in enumerate(grad.shape) if inside.get(place, 0) != size]
    if axis < 0 or end > len(grad.shape) or any(inside.get(place, 1) != 1 for place in summed):
        raise ValueError("the operand does not fit")
    result = Buffer(list(grad), grad.shape, grad.typecode)
    for place in summed:
        result = reduce_sum_axis(result, place, keepdims=place in inside)
    return result, tuple(summed)
