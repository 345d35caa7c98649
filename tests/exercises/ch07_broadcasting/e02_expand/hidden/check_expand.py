"""Views and targets drawn at random, checked by reading memory."""

import numpy as np

from kael.testing import assert_equal


def test_views_drawn_at_random(answer, numbers, because):
    for _ in range(12):
        sizes = tuple(int(n) for n in numbers.integers(1, 4, numbers.integers(1, 4)))
        memory = np.arange(int(np.prod(sizes)) * 2)
        view = memory[::2].reshape(sizes).transpose(numbers.permutation(len(sizes)))
        view = view[tuple(slice(None, None, int(numbers.choice([1, -1]))) for _ in sizes)]
        strides = tuple(step // view.itemsize for step in view.strides)
        lead = tuple(int(n) for n in numbers.integers(0, 3, numbers.integers(0, 3)))
        filled = tuple(int(numbers.integers(1, 4)) if size == 1 else size for size in view.shape)
        asked = tuple(-1 if size == own and numbers.random() < 0.4 else size for size, own in
                      zip(filled, view.shape, strict=True))  # fmt: skip
        kept = (own == size for own, size in zip(view.shape, filled, strict=True))
        steps = tuple(step if keep else 0 for step, keep in zip(strides, kept, strict=True))
        expected = lead + filled, (0,) * len(lead) + steps
        reason = because(f"expanded({view.shape}, {strides}, {lead + asked})")
        assert_equal(answer.expanded(view.shape, strides, lead + asked), expected, because=reason)
