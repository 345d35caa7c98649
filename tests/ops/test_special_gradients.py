"""Values and gradients at nan, the infinities and both zeros, of each operation of one or two operands, beside PyTorch.

Each case of the op table runs with numbers of which one is special. What differs on purpose has its reason here, or as
the `differs` of the case, and every reason given here must still be needed.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import kael
from tests.compare_torch import difference, run
from tests.ops.cases import CASES
from tests.ops.cases.case import Case

torch = pytest.importorskip("torch")

SPECIAL = (math.nan, math.inf, -math.inf, 0.0, -0.0)
EXTREME = "among what is nan kael gives the gradient to nan; PyTorch divides by the number of elements that equal it, 0"
PRODUCT = "the gradient is the product of the others, finite beside a nan; PyTorch divides the product by the factor"
PADDED = "whether a zero of the padding is multiplied by nan or left out"
SORTED = "nan is the largest number of a sorted row, as in NumPy and in sort"
IGNORED = "a row that is ignored gets 0; PyTorch multiplies that 0 by its softmax, nan"
REASONS = {
    "gelu": "PyTorch's float32 gelu is nan at inf; it is inf",
    "conv2d-each": PADDED,
    "prod-all": PRODUCT,
    "prod-last": PRODUCT,
    "prod-first": PRODUCT,
    "amax-all": EXTREME,
    "amax-aminmax": EXTREME,
    "amax-first": EXTREME,
    "amax-two": EXTREME,
    "amin-all": EXTREME,
    "amin-last": EXTREME,
    "group_norm-weight": "PyTorch folds mean, scale and weight into one factor, and inf - inf is nan",
    "searchsorted": SORTED,
    "searchsorted-right": SORTED,
    "searchsorted-rows": SORTED,
    "cumprod-last": PRODUCT,
    "cumprod-first": PRODUCT,
    "cross_entropy-ignored": IGNORED,
    "cross_entropy-ignored none": IGNORED,
    "cross_entropy-weight ignored": IGNORED,
}


def shapes_of(case: Case) -> tuple[tuple[int, ...], ...] | None:
    """The first shapes of a case whose operands have several elements each; None where there are no such."""
    return next((shapes for shapes in case.shapes if all(math.prod(shape) > 1 for shape in shapes)), None)


COVERED = [case for case in CASES if len(case.shapes[0]) < 3 and not case.differs and shapes_of(case)]


def outcomes(case: Case) -> Iterator[tuple[str, str]]:
    """For each dtype, operand and special number: what was run, and how the libraries differ, empty where not."""
    shapes = shapes_of(case)
    assert shapes
    for dtype in ("float32", "float64"):
        for which in range(len(shapes)):
            for number in SPECIAL:
                arrays = [np.asarray(array, dtype) for array in case.arrays(shapes)]
                arrays[which].flat[-1] = number
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    found = difference(*[run(k, case, tuple(arrays)) for k in (kael, torch)], {dtype})
                yield f"{dtype}, {number} in operand {which}", found


@pytest.mark.parametrize("case", COVERED, ids=lambda case: case.name)
def test_a_special_number_gives_what_pytorch_gives(case: Case) -> None:
    found = [f"{what}: {how}" for what, how in outcomes(case) if how]
    if case.name in REASONS:
        assert found, f"{case.name} agrees with PyTorch now: take its reason away"
    else:
        assert not found


def test_every_reason_has_its_case() -> None:
    assert not REASONS.keys() - {case.name for case in COVERED}


@pytest.mark.parametrize("name", ["elu", "celu", "selu", "hardswish"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_smooth_activation_is_steep_as_nan_at_nan(name: str, dtype: str) -> None:
    x: Any = kael.full((101,), math.nan, dtype=getattr(kael, dtype), requires_grad=True)
    getattr(kael.nn.functional, name)(x).sum().backward()
    assert np.isnan(x.grad.numpy()).all()
