"""The gradient of every differentiable operation, checked numerically; generated from the list of cases."""

import numpy as np
import pytest

import kael
from kael.autograd import gradcheck
from kael.autograd.op import OUTPUT, registry
from tests.autograd.leaves import leaf
from tests.ops.cases import DIFFERENTIABLE, label, pairs

APPROXIMATE = {"to"}
"""Rounds to float32 on the way: a step of 1e-6 would measure the rounding."""


class TestAutogradFormulas:
    @pytest.mark.promise("S38")
    def test_every_differentiable_operation_has_a_case(self):
        wanted = sorted(name for name, op in registry.items() if op.gradient is not None)
        assert sorted({case.op for case in DIFFERENTIABLE}) == wanted

    @pytest.mark.promise("S38")
    @pytest.mark.parametrize(("case", "shapes"), pairs(DIFFERENTIABLE), ids=label)
    def test_agrees_with_finite_differences(self, case, shapes):
        leaves = [leaf(array) for array in case.arrays(shapes)]
        eps = 1e-2 if case.op in APPROXIMATE else 1e-6
        assert gradcheck(case.function, leaves, eps=eps)

    @pytest.mark.promise("S6")
    @pytest.mark.parametrize(("case", "shapes"), pairs(DIFFERENTIABLE), ids=label)
    def test_gradients_have_the_shapes_and_dtypes_of_the_inputs(self, case, shapes):
        leaves = [leaf(array) for array in case.arrays(shapes)]
        result = case.function(*leaves)
        result.backward(kael.ones_like(result))
        for tensor in leaves:
            assert tensor.grad.shape == tensor.shape
            assert tensor.grad.dtype is tensor.dtype
            assert tensor.grad.grad_fn is None

    @pytest.mark.parametrize("which", [0, 1])
    @pytest.mark.parametrize("case", [case for case in DIFFERENTIABLE if len(case.shapes[0]) == 2], ids=label)
    def test_each_operand_alone_gets_the_same_gradient(self, case, which):
        arrays = case.arrays(case.shapes[0])
        both = [leaf(array) for array in arrays]
        result = case.function(*both)
        result.backward(kael.ones_like(result))
        alone = [kael.tensor(array) for array in arrays]
        alone[which].requires_grad_()
        result = case.function(*alone)
        result.backward(kael.ones_like(result))
        np.testing.assert_array_equal(alone[which].grad.numpy(), both[which].grad.numpy())
        assert alone[1 - which].grad is None


class TestSavedValues:
    """What each row of the op table declares to save is what an in-place write disturbs."""

    @pytest.mark.parametrize(("case", "shapes"), [(case, case.shapes[0]) for case in DIFFERENTIABLE], ids=label)
    def test_an_operation_raises_exactly_when_what_it_saves_is_written(self, case, shapes):
        needs = registry[case.op].needs
        for written in [*range(len(shapes)), OUTPUT]:
            leaves = [leaf(array) for array in case.arrays(shapes)]
            through = [x + 0 for x in leaves]
            result = case.function(*through)
            node = result.grad_fn
            direct = node.op is registry[case.op] and len(node.inputs) == len(shapes)
            direct = direct and all(link.edge is x.grad_fn for link, x in zip(node.inputs, through, strict=True))
            if not direct:
                pytest.skip("a composition of several nodes")
            target = result if written == OUTPUT else through[written]
            if target.data_ptr() == (through[0] if written == OUTPUT else result).data_ptr():
                continue
            with kael.no_grad():
                target.mul_(1)
            if any(written in read for read in needs):
                with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                    result.backward(kael.ones_like(result))
            else:
                result.backward(kael.ones_like(result))

    def test_the_table_says_what_is_saved(self):
        saves = {name: op.saves for name, op in registry.items() if op.gradient is not None}
        assert {name for name, kind in saves.items() if kind == "nothing"} >= {
            "add", "sub", "neg", "sum", "mean", "reshape", "cat", "expand", "transpose", "permute", "stack", "clone",
        }  # fmt: skip
        assert {name for name, kind in saves.items() if kind == "output"} >= {"exp", "tanh", "sigmoid", "sqrt"}
        assert {name for name, kind in saves.items() if kind == "inputs"} >= {"mul", "div", "log", "matmul", "abs"}

    @pytest.mark.parametrize("name", sorted(registry))
    def test_every_row_is_complete(self, name):
        op = registry[name]
        assert op.formula
        assert op.dtypes
        assert bool(op.gradient) == bool(op.gradient_formula)


OWNERS = [case for case in DIFFERENTIABLE if not registry[case.op].passes]


class TestOwnership:
    """An operation that does not declare to pass its gradient on returns a buffer that nobody else holds."""

    @pytest.mark.parametrize(("case", "shapes"), pairs(OWNERS), ids=label)
    def test_what_is_returned_is_a_buffer_of_its_own(self, case, shapes):
        leaves = [leaf(array) for array in case.arrays(shapes)]
        node = case.function(*leaves).grad_fn
        if node.op is not registry[case.op]:
            pytest.skip("a composition of several nodes")
        cotangent = kael.ones_like(case.function(*leaves))
        results = [result for result in node.apply(cotangent) if result is not None]
        others = [cotangent, *leaves, *[saved.get() for saved in node.saved or () if saved is not None]]
        for number, result in enumerate(results):
            assert not any(np.shares_memory(result.array, other.array) for other in others + results[:number])
            assert result.array.flags.writeable
