"""gradcheck itself: what it accepts, what it refuses, and that it finds faults."""

import warnings

import numpy
import pytest

import kael
from kael.autograd import gradcheck
from tests.autograd.leaves import leaf, plain, recorded


class TestGradcheck:
    @pytest.mark.promise("S38")
    @pytest.mark.promise("105")
    def test_passes_right_gradients(self):
        assert gradcheck(lambda x: x.exp() * x, leaf([0.5, -1.0])) is True
        assert gradcheck(lambda x, y: x @ y, [leaf([[1.0, 2.0]]), leaf([[3.0], [4.0]])])

    @pytest.mark.promise("S38")
    def test_compares_with_central_differences(self):
        places = []

        def function(x):
            places.append(x.item())
            return x * x

        gradcheck(function, leaf(2.0), eps=0.5)
        assert 1.5 in places
        assert 2.5 in places

    @pytest.mark.promise("S38")
    @pytest.mark.promise("105")
    @pytest.mark.parametrize(
        "gradient",
        [
            lambda node, g, position: g,
            lambda node, g, position: g * node.saved[1 - position].get() * 1.01,
            lambda node, g, position: g * 0,
        ],
    )
    def test_a_wrong_rule_is_found(self, gradient):
        def function(x, y):
            return recorded(gradient, x, y)

        x, y = leaf([2.0, 3.0]), leaf([5.0, 7.0])
        with pytest.raises(RuntimeError) as error:
            gradcheck(function, [x, y])
        text = str(error.value)
        assert text.startswith("Jacobian mismatch for output 0 with respect to input 0,\n")
        assert "numerical:[[5." in text
        assert "analytical:[[" in text
        assert gradcheck(function, [x, y], raise_exception=False) is False

    @pytest.mark.promise("S38")
    def test_a_rule_wrong_in_its_second_input_is_named(self):
        def gradient(node, g, position):
            return g * node.saved[1 - position].get() * (1.0 if position == 0 else 2.0)

        with pytest.raises(RuntimeError, match="^Jacobian mismatch for output 0 with respect to input 1"):
            gradcheck(lambda x, y: recorded(gradient, x, y), [leaf([2.0]), leaf([5.0])])

    @pytest.mark.promise("S38")
    def test_the_second_output_is_named(self):
        def gradient(node, g, position):
            return g * 3.0

        with pytest.raises(RuntimeError, match="^Jacobian mismatch for output 1 with respect to input 0"):
            gradcheck(lambda x: (x * 2, recorded(gradient, x, plain([2.0]))), [leaf([2.0])])

    @pytest.mark.promise("S38")
    def test_a_rule_that_reads_memory_in_contiguous_order_is_found_by_the_strided_inputs(self):
        def gradient(node, g, position):
            flat = numpy.lib.stride_tricks.as_strided(g.array, g.array.shape, (g.itemsize * g.shape[1], g.itemsize))
            return kael.tensor(flat.copy()) * node.saved[1 - position].get()

        x, y = leaf([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), plain([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        with pytest.raises(RuntimeError, match=r"random cotangent, strided inputs"):
            gradcheck(lambda x: recorded(gradient, x, y), [x])

    def test_a_function_that_returns_a_view_of_its_input_is_checked_rightly(self):
        assert gradcheck(lambda x: x[1:], leaf([1.0, 2.0, 3.0]))

    def test_an_identity_with_a_wrong_gradient_is_found(self):
        with pytest.raises(RuntimeError, match="^Jacobian mismatch"):
            gradcheck(lambda x: recorded(lambda node, g, position: g * 0, x, plain([1.0])), leaf([2.0]))

    @pytest.mark.promise("105")
    def test_a_float32_input_warns(self):
        with pytest.warns(UserWarning, match=r"input 0 is float32; finite differences need float64"):
            gradcheck(lambda x: x * 2, leaf([1.0], kael.float32), eps=1e-2)

    @pytest.mark.promise("105")
    def test_nothing_that_requires_grad_is_refused(self):
        with pytest.raises(ValueError, match="at least one input tensor to require gradient"):
            gradcheck(lambda x: x, plain([1.0]))

    def test_inputs_are_left_as_they_were(self):
        x = leaf([1.0, 2.0])
        gradcheck(lambda x: x * x, x)
        assert x.tolist() == [1.0, 2.0]
        assert x.grad is None
        assert x.version == 0

    def test_empty_inputs_and_integer_outputs_pass(self):
        assert gradcheck(lambda x: x * 2, leaf([]))
        assert gradcheck(lambda x: (x * 2, x.long()), leaf([1.5]))

    def test_default_tolerances(self):
        off = 1.0 + 0.9e-3
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert gradcheck(
                lambda x: recorded(lambda node, g, p: g * node.saved[1].get() * off, x, plain([2.0])), leaf([1.0])
            )
        with pytest.raises(RuntimeError, match="^Jacobian mismatch"):
            gradcheck(
                lambda x: recorded(lambda node, g, p: g * node.saved[1].get() * 1.002, x, plain([2.0])), leaf([1.0])
            )
