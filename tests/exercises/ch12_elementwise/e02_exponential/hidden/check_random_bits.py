"""Arguments drawn from all bit patterns whose exponential is neither 0 nor infinite."""

import math
from decimal import Decimal, localcontext

import numpy as np

from kael.testing import assert_equal


def test_arguments_drawn_by_their_bits(answer, numbers, because):
    magnitudes = np.ldexp(numbers.uniform(1, 2, 300), numbers.integers(-40, 9, 300))
    x = np.where(numbers.random(300) < 0.5, 1, -1) * magnitudes
    out = np.empty_like(x)
    answer.exp(x, out)
    with localcontext() as context:
        context.prec = 50
        for value, got in zip(x.tolist(), out.tolist(), strict=True):
            exact = Decimal(value).exp()
            spacing = Decimal(math.ulp(float(exact)))
            error = float(abs(Decimal(got) - exact) / spacing) if math.isfinite(got) else math.inf
            found = "within 1 ulp" if error <= 1 else f"{got}, {error:.3g} ulp off"
            assert_equal(found, "within 1 ulp", because=because(f"exp({value!r})"))
