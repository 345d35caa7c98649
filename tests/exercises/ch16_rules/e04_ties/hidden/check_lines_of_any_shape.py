"""Random shapes, axes, element types and layouts, few distinct values, now and then a nan or an infinity."""

import math

import numpy as np

from kael.testing import assert_tensor


def shared(grad, x, axis):
    """Line by line, from the definition."""
    result = np.zeros(x.shape, grad.dtype)
    for index in np.ndindex(*(size for k, size in enumerate(x.shape) if k != axis)):
        line = [(*index[:axis], k, *index[axis:]) for k in range(x.shape[axis])]
        values = [x[place] for place in line]
        nans = [place for place in line if math.isnan(x[place])]
        for place in nans or [place for place in line if x[place] == max(values)]:
            result[place] = grad[index] / len(nans or [v for v in values if v == max(values)])
    return result


def test_any_shape_axis_and_layout(answer, numbers, because):
    for _ in range(6):
        shape = tuple(int(n) for n in numbers.integers(1, 5, numbers.integers(1, 4)))
        x = numbers.choice([-np.inf, -1.0, 0.0, 2.0, 3.0, np.nan], shape, p=[0.2, 0.2, 0.2, 0.2, 0.1, 0.1])
        x = x.astype(numbers.choice(["f", "d"]))
        if numbers.integers(2):
            x = np.asfortranarray(x)
        axis, keepdims = int(numbers.integers(len(shape))), bool(numbers.integers(2))
        y = x.max(axis=axis, keepdims=keepdims)
        grad = numbers.uniform(1.0, 2.0, y.shape).astype(x.dtype)
        expected = shared(grad.reshape([n for k, n in enumerate(shape) if k != axis]), x, axis)
        said = axis - len(shape) if numbers.integers(2) else axis
        reason = because(
            f"amax_vjp(grad, x, y, {said}, {keepdims}) for x = {x.tolist()}",
            "nan_is_not_equal",
            whole_to_each=expected * (expected != 0).sum(axis=axis, keepdims=True),
        )
        with np.errstate(all="ignore"):
            result = answer.amax_vjp(grad, x, y, said, keepdims)
        assert_tensor(result, expected, because=reason)
