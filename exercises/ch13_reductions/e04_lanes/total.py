"""A sum defined by its order, to be given a twin. Leave this file as it is."""

LANES, BLOCK = 8, 4096


def total(x):
    """The sum of a float64 array with one axis: lanes in a block, pairs of blocks.

    Examples
    --------
    >>> import numpy as np
    >>> total(np.array([1.0, 2.0, 3.5]))
    6.5
    """
    count = len(x)
    if count == 0:
        return 0.0
    if count > BLOCK:
        half = count // 2 // LANES * LANES
        return total(x[:half]) + total(x[half:])
    lanes = [-0.0] * LANES
    for k in range(count):
        lanes[k % LANES] += float(x[k])
    half = LANES // 2
    while half:
        for lane in range(half):
            lanes[lane] += lanes[lane + half]
        half //= 2
    return lanes[0]
