"""Shapes drawn at random, axes of size 1 among them."""

import numpy as np

from kael.testing import assert_tensor


def test_shapes_drawn_at_random(answer, numbers, because):
    for _ in range(10):
        m, k, n = (int(size) for size in numbers.integers(1, 6, 3))
        grad, x, w, scale = (numbers.normal(size=shape) for shape in ((m, n), (m, k), (k, n), (n,)))
        found = answer.layer_vjp(grad.copy(), x.copy(), w.copy(), scale.copy())
        expected = (
            np.einsum("ij,j,pj->ip", grad, scale, w),
            np.einsum("ip,ij,j->pj", x, grad, scale),
            np.einsum("ij,ip,pj->j", grad, x, w),
            np.einsum("ij->j", grad),
        )
        for name, mine, wanted in zip(("x", "w", "scale", "bias"), found, expected, strict=True):
            reason = because(f"layer_vjp with x of shape {(m, k)}, w of shape {(k, n)}: the gradient of {name}")
            assert_tensor(mine, wanted, because=reason)
