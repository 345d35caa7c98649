"""Put axes of size 1 behind the operand, so that it stands at the right; section 17.2's function does the rest."""

from chapters.ch07_broadcasting.reference import BroadcastSpec
from chapters.ch17_engine.engine import unbroadcast_gradient
from chapters.flat import Buffer


def unbroadcast_at(grad, shape, axis):
    behind = len(grad.shape) - axis - len(shape)
    if axis < 0 or behind < 0:
        raise ValueError(f"{shape} at axis {axis} does not fit into {grad.shape}")
    padded = shape + (1,) * behind
    axes = BroadcastSpec(padded, grad.shape).reduce_axes
    outside = tuple(place for place in range(len(grad.shape)) if not axis <= place < axis + len(shape))
    total = unbroadcast_gradient(grad, padded)
    return Buffer(list(total), shape, grad.typecode), tuple(sorted({*axes, *outside}))
