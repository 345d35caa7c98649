"""Chapter 16: the rules, their registry, and the check in front of it."""

import pytest

from chapters.ch15_graph.graph import FORWARD, ComputationGraph, Forward, Tensor, same_shape
from chapters.ch16_rules.registry import RULES, chain_rule_step, gradient_check, register
from chapters.ch16_rules.rules import AddOp, ExpOp, MatMulOp, MulOp
from chapters.ch17_engine.engine import backward
from chapters.flat import Buffer


def scalar(value):
    return Buffer([value], ())


@pytest.mark.promise("S42")
def test_chain_rule_step_of_add_passes_the_gradient_to_both():
    gradients = chain_rule_step("add", scalar(1.0), [scalar(12.0), scalar(3.0)], scalar(15.0))
    assert [g.tolist() for g in gradients] == [1.0, 1.0]


@pytest.mark.promise("S42")
def test_chain_rule_step_of_mul_scales_by_the_other_operand():
    gradients = chain_rule_step("mul", scalar(1.0), [scalar(3.0), scalar(4.0)], scalar(12.0))
    assert [g.tolist() for g in gradients] == [4.0, 3.0]


def test_mul_uses_the_gradient_that_arrives():
    gradients = chain_rule_step("mul", scalar(10.0), [scalar(3.0), scalar(4.0)], None)
    assert [g.tolist() for g in gradients] == [40.0, 30.0]


def test_add_hands_one_buffer_to_both_inputs():
    grad = scalar(1.0)
    assert all(g is grad for g in AddOp.backward(grad, [None, None], None))


def test_exp_reads_the_result_alone():
    assert ExpOp.backward(scalar(2.0), [None], scalar(7.0))[0].tolist() == 14.0


def test_matmul_transposes_and_multiplies_again():
    a, b = Buffer([1, 2, 3, 4, 5, 6], (2, 3)), Buffer([1, 2, 3, 4, 5, 6], (3, 2))
    grad_a, grad_b = MatMulOp.backward(Buffer.full(1, (2, 2)), [a, b], None)
    assert grad_a.tolist() == [[3.0, 7.0, 11.0], [3.0, 7.0, 11.0]]
    assert grad_b.tolist() == [[5.0, 5.0], [7.0, 7.0], [9.0, 9.0]]


def test_the_four_rules_are_registered():
    assert RULES == {"add": AddOp, "mul": MulOp, "exp": ExpOp, "matmul": MatMulOp}


def test_an_unknown_rule_is_named():
    with pytest.raises(ValueError, match="no rule for 'cos'; registered are add, mul, exp, matmul"):
        chain_rule_step("cos", scalar(1.0), [scalar(1.0)], None)


def w(x, y):
    return x[0] * y[0] + x[0]


@pytest.mark.promise("S48")
def test_gradient_check_at_a_thousandth_confirms_the_running_example():
    slopes = gradient_check(w, [scalar(3.0), scalar(4.0)], [scalar(5.0), scalar(3.0)], step=0.001)
    assert slopes[0].tolist() == pytest.approx(5.0, abs=1e-9)
    assert slopes[1].tolist() == pytest.approx(3.0, abs=1e-9)
    assert [s.tolist() for s in slopes] == [4.999999999999556, 2.999999999999778]


@pytest.mark.promise("S48")
def test_gradient_check_refuses_the_value_that_an_overwrite_leaves():
    with pytest.raises(ValueError, match=r"element 0 of input 0 has gradient 4, but nudging it by 0.001 .* gives 5"):
        gradient_check(w, [scalar(3.0), scalar(4.0)], [scalar(4.0), scalar(3.0)], step=0.001)


def test_gradient_check_leaves_its_inputs_as_they_were():
    x, y = scalar(3.0), scalar(4.0)
    gradient_check(w, [x, y], [scalar(5.0), scalar(3.0)])
    assert (x.tolist(), y.tolist()) == (3.0, 4.0)


def test_gradient_check_compares_shapes():
    with pytest.raises(ValueError, match=r"input 0 is \(2,\) but its gradient is \(1,\)"):
        gradient_check(lambda x: x[0] + x[1], [Buffer([1, 2])], [Buffer([1])])


def test_gradient_check_wants_one_gradient_per_input():
    with pytest.raises(ValueError, match="2 inputs but 1 gradients"):
        gradient_check(w, [scalar(3.0), scalar(4.0)], [scalar(5.0)])


def test_gradient_check_wants_float64():
    with pytest.raises(TypeError, match="input 0 is not float64"):
        gradient_check(lambda x: x[0], [Buffer([1.0], (), "f")], [Buffer([1.0], (), "f")])


def test_gradient_check_refuses_nan():
    with pytest.raises(ValueError, match="has gradient nan"):
        gradient_check(w, [scalar(3.0), scalar(4.0)], [scalar(float("nan")), scalar(3.0)])


def forgets_the_gradient(grad, inputs, output):
    return [Buffer(list(inputs[1]), grad.shape), Buffer(list(inputs[0]), grad.shape)]


def swaps_the_operands(grad, inputs, output):
    return MulOp.backward(grad, inputs, output)[::-1]


def gives_one_for_two(grad, inputs, output):
    return MulOp.backward(grad, inputs, output)[:1]


def gives_another_shape(grad, inputs, output):
    return [Buffer.full(1.0, (7,)), Buffer.full(1.0, (7,))]


@pytest.mark.promise("S48")
@pytest.mark.parametrize("wrong", [forgets_the_gradient, swaps_the_operands, gives_one_for_two, gives_another_shape])
def test_the_registry_refuses_a_wrong_rule_and_keeps_the_right_one(wrong):
    rule = type("WrongMul", (MulOp,), {"backward": staticmethod(wrong)})
    with pytest.raises(ValueError, match="register: the rule for 'mul', which saves operands, is refused on operands"):
        register(rule)
    assert RULES["mul"] is MulOp


@pytest.mark.promise("S48")
@pytest.mark.parametrize("rule", [AddOp, MulOp, ExpOp, MatMulOp])
@pytest.mark.parametrize("step, tolerance", [(0.001, 1e-5), (1e-6, 1e-6)])
def test_every_rule_passes_at_both_steps(rule, step, tolerance):
    assert register(rule, step=step, tolerance=tolerance) is rule


def test_a_rule_that_reads_what_it_does_not_declare_is_refused():
    rule = type("Greedy", (MulOp,), {"saves": frozenset()})
    with pytest.raises(ValueError, match="the rule for 'mul', which saves nothing, is refused"):
        register(rule)
    assert RULES["mul"] is MulOp


def test_a_rule_without_an_operation_is_refused():
    rule = type("CosOp", (ExpOp,), {"name": "cos"})
    with pytest.raises(ValueError, match="no operation 'cos' to differentiate; there are add, mul, exp, matmul"):
        register(rule)


def test_a_new_operation_needs_a_forward_and_a_rule(monkeypatch):
    def double(x, out):
        for k, value in enumerate(x):
            out[k] = 2 * value

    class DoubleOp(ExpOp):
        name = "double"
        saves = frozenset()

        @staticmethod
        def backward(grad, inputs, output):
            return [Buffer([2 * g for g in grad], grad.shape)]

    monkeypatch.setitem(FORWARD, "double", Forward(double, same_shape))
    monkeypatch.setitem(RULES, "double", None)
    register(DoubleOp)
    graph = ComputationGraph()
    x = Tensor(5.0, requires_grad=True)
    backward(graph, graph.apply("double", x))
    assert x.grad.tolist() == 2.0
