"""Every operation against NumPy, over shapes, layouts and dtypes; generated from the list of cases."""

import numpy as np
import pytest

import kael
from kael.autograd.op import registry
from tests.ops.cases import CASES, label, pairs


def test_every_operation_has_a_case():
    assert sorted({case.op for case in CASES}) == sorted(registry)


def largest(values):
    """The largest size among the values, at least 1: a sum that cancels is as exact as its neighbours are."""
    return np.abs(values, where=np.isfinite(values), out=np.ones(values.shape)).max(initial=1)


@pytest.mark.parametrize(("case", "shapes"), pairs(CASES), ids=label)
class TestForward:
    def test_equals_numpy_in_float64(self, case, shapes):
        arrays = case.arrays(shapes)
        result = case.function(*[kael.tensor(array) for array in arrays])
        expected = case.expected(*arrays)
        assert result.shape == expected.shape
        assert np.dtype(result.dtype.name) == expected.dtype
        np.testing.assert_allclose(result.numpy(), expected, rtol=1e-14, atol=1e-15 * largest(expected))

    def test_keeps_float32(self, case, shapes):
        arrays = [array.astype(np.float32) for array in case.arrays(shapes)]
        result = case.function(*[kael.tensor(array) for array in arrays])
        expected = case.expected(*arrays)
        if case.op != "to":
            assert np.dtype(result.dtype.name) == expected.dtype
        np.testing.assert_allclose(result.numpy(), expected, rtol=1e-5, atol=1e-6 * largest(expected))

    def test_leaves_its_operands_alone(self, case, shapes):
        tensors = [kael.tensor(array) for array in case.arrays(shapes)]
        case.function(*tensors)
        for tensor, array in zip(tensors, case.arrays(shapes), strict=True):
            assert tensor.version == 0
            np.testing.assert_array_equal(tensor.numpy(), array)


def spread(array):
    """The same elements at every other place of a wider array, backwards in memory."""
    wide = np.full(tuple(2 * size for size in array.shape), np.nan, array.dtype)
    view = wide[(*[slice(None, None, -2)] * array.ndim, ...)]
    view[...] = array
    return view


LAYOUTS = {"column-major": lambda array: np.array(array, order="F"), "strided": spread}


@pytest.mark.promise("177")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("case", "shapes"), pairs(CASES), ids=label)
def test_every_layout_gives_the_same_result_and_gradient(case, shapes, layout):
    arrays = case.arrays(shapes)

    def run(operands, turn):
        leaves = [kael.from_numpy(array).requires_grad_() for array in operands]
        result = case.function(*leaves)
        if not result.requires_grad:
            return [result.numpy()]
        cotangent = np.random.default_rng(1).standard_normal(result.shape)
        result.backward(kael.from_numpy(turn(cotangent)))
        return [result.detach().numpy(), *[leaf.grad.numpy() for leaf in leaves]]

    expected = run([array.copy() for array in arrays], np.copy)
    for got, wanted in zip(run([LAYOUTS[layout](a) for a in arrays], LAYOUTS[layout]), expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-13, atol=1e-15)


@pytest.mark.promise("177")
@pytest.mark.parametrize(("case", "shapes"), pairs(CASES), ids=label)
def test_expanded_operands_give_the_same_result_and_gradient(case, shapes):
    arrays = [np.full_like(array, array.ravel()[0] if array.size else 0) for array in case.arrays(shapes)]

    def run(make):
        leaves = [make(array).requires_grad_() for array in arrays]
        result = case.function(*leaves)
        if not result.requires_grad:
            return [result.numpy()]
        result.backward(kael.tensor(0.5, dtype=kael.float64).expand(result.shape))
        return [result.detach().numpy(), *[leaf.grad.numpy() for leaf in leaves]]

    expanded = run(lambda array: kael.tensor(array.max(initial=-np.inf), dtype=kael.float64).expand(array.shape))
    for got, wanted in zip(expanded, run(kael.tensor), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-13, atol=1e-15)
