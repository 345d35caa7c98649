"""No sums over axes at all: each element of grad is added to the element of the operand that it came from."""

from itertools import product

from chapters.flat import Buffer


def unbroadcast_at(grad, shape, axis):
    sizes = grad.shape[axis : axis + len(shape)]
    if axis < 0 or axis + len(shape) > len(grad.shape):
        raise ValueError("the operand reaches beyond the gradient")
    if any(own not in (1, size) for own, size in zip(shape, sizes, strict=True)):
        raise ValueError(f"{shape} cannot have been repeated to {sizes}")
    result = Buffer.full(0.0, shape, grad.typecode)
    for index, value in zip(product(*map(range, grad.shape)), grad, strict=True):
        slot = 0
        for own, place in zip(shape, index[axis:], strict=False):
            slot = slot * own + (place if own > 1 else 0)
        result[slot] += value
    inside = {axis + k for k, (own, size) in enumerate(zip(shape, sizes, strict=True)) if own == size}
    return result, tuple(place for place in range(len(grad.shape)) if place not in inside)
