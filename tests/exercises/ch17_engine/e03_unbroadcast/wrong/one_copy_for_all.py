# misconception: first_copy
# fails: test_bias_at_axis_1
import numpy as np

from chapters.flat import Buffer


def unbroadcast_at(grad, shape, axis):
    array = np.array(list(grad)).reshape(grad.shape)
    if axis < 0 or array.ndim < axis + len(shape):
        raise ValueError("it does not fit")
    axes = []
    for place in reversed(range(array.ndim)):
        own = shape[place - axis] if axis <= place < axis + len(shape) else None
        if own not in (None, 1, array.shape[place]):
            raise ValueError("it does not fit")
        if own is None:
            array = array.take(0, place)
            axes.append(place)
        elif own < array.shape[place]:
            array = array.take([0], place)
            axes.append(place)
    return Buffer(array.ravel().tolist(), shape, grad.typecode), tuple(axes[::-1])
