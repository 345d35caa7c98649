"""Shapes drawn at random, with axes of size 1 among them."""

from chapters.flat import Buffer
from kael.testing import Inputs, assert_equal, assert_tensor


def test_shapes_drawn_at_random(answer, numbers, because):
    for _ in range(10):
        sizes = tuple(int(n) for n in numbers.integers(1, 4, numbers.integers(1, 5)))
        axis = int(numbers.integers(0, len(sizes) + 1))
        length = int(numbers.integers(0, len(sizes) - axis + 1))
        shape = tuple(1 if numbers.random() < 0.4 else size for size in sizes[axis : axis + length])
        array = numbers.normal(size=sizes)
        padded = (None,) * axis + shape + (None,) * (len(sizes) - axis - length)
        axes = tuple(place for place, own in enumerate(padded) if own != sizes[place])
        total = array.sum(axes).reshape(shape)
        given = Buffer(array.ravel().tolist(), sizes)
        before = Inputs(given)
        gradient, reported = answer.unbroadcast_at(given, shape, axis)
        reason = because(f"unbroadcast_at(grad of shape {sizes}, {shape}, axis={axis})", source=given)
        assert_tensor(gradient, Buffer(total.ravel().tolist(), shape), because=reason, inputs=before)
        assert_equal(reported, axes, because=reason)
