# misconception: no_check
# fails: test_operand_that_does_not_fit
from chapters.ch17_engine.engine import reduce_sum_axis
from chapters.flat import Buffer


def unbroadcast_at(grad, shape, axis):
    """Sum `grad` over every axis along which an operand of `shape`, standing at `axis`, was repeated."""
    end = axis + len(shape)
    if axis < 0 or end > len(grad.shape):
        raise ValueError(f"unbroadcast_at: {shape} at axis {axis} reaches beyond the axes of {grad.shape}")
    summed = []
    for place, size in enumerate(grad.shape):
        own = shape[place - axis] if axis <= place < end else None
        if own != size:
            summed.append(place)
    result = Buffer(list(grad), grad.shape, grad.typecode)
    for place in reversed(summed):
        result = reduce_sum_axis(result, place, keepdims=axis <= place < end)
    return result, tuple(summed)
