"""Chapter 16's rule for the larger of two numbers: its shares, its ties, and the check that it passes."""

import pytest

import kael
from chapters.ch07_broadcasting.spec import broadcast_shapes
from chapters.ch12_elementwise.reference import maximum
from chapters.ch15_graph.graph import FORWARD, Forward
from chapters.ch16_rules.kinks import MaximumOp
from chapters.ch16_rules.registry import RULES, gradient_check, register
from chapters.flat import Buffer

X, Y, G = [5.0, 2.0, 4.0, float("nan")], [1.0, 6.0, 4.0, 1.0], [10.0, 20.0, 30.0, 40.0]


def test_the_larger_takes_all_and_a_tie_is_shared():
    for_x, for_y = MaximumOp.backward(Buffer(G[:3]), [Buffer(X[:3]), Buffer(Y[:3])], None)
    assert (for_x.tolist(), for_y.tolist()) == ([10.0, 0.0, 15.0], [0.0, 20.0, 15.0])


def test_shape_and_type_are_those_of_the_gradient():
    grad = Buffer([1, 2], (2, 1), "f")
    for gradient in MaximumOp.backward(grad, [Buffer([1, 2], (2, 1), "f"), Buffer([2, 1], (2, 1), "f")], None):
        assert (gradient.shape, gradient.typecode) == ((2, 1), "f")


def test_the_library_shares_in_the_same_way():
    x, y = (kael.tensor(v, dtype=kael.float64, requires_grad=True) for v in (X, Y))
    kael.maximum(x, y).backward(kael.tensor(G, dtype=kael.float64))
    mine = MaximumOp.backward(Buffer(G), [Buffer(X), Buffer(Y)], None)
    assert [gradient.tolist() for gradient in mine] == [x.grad.tolist(), y.grad.tolist()]


def test_the_registry_takes_the_rule_once_there_is_a_way_forward(monkeypatch):
    with pytest.raises(ValueError, match="no operation 'maximum' to differentiate"):
        register(MaximumOp)
    monkeypatch.setitem(FORWARD, "maximum", Forward(maximum, broadcast_shapes))
    monkeypatch.setitem(RULES, "maximum", None)
    assert register(MaximumOp) is MaximumOp


def test_a_central_difference_agrees_with_halves_at_a_tie_of_two():
    x, y = Buffer([4.0], ()), Buffer([4.0], ())
    gradient_check(lambda x, y: max(x[0], y[0]), [x, y], MaximumOp.backward(Buffer([1.0], ()), [x, y], None))
