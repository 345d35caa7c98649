"""Passes that come twice, to roots that share a part, and passes that cannot be finished."""

import pytest

from chapters.ch18_define_by_run.engine import FunctionNode, NodeInput, Tensor, gradient_edge, no_grad
from chapters.flat import Buffer
from kael.testing import assert_equal, assert_tensor

REFUSED = "RuntimeError with MulBackward and retain_graph=True"


@pytest.fixture
def x(numbers):
    return Tensor(numbers.uniform(2.0, 3.0), requires_grad=True)


@pytest.fixture
def y(numbers):
    return Tensor(numbers.uniform(4.0, 5.0), requires_grad=True)


def outcome(action, *arguments, **named):
    """How a pass ended, in words."""
    try:
        action(*arguments, **named)
    except (RuntimeError, ArithmeticError, AttributeError) as error:
        if "written in place" in str(error):
            return "RuntimeError about a write in place"
        if isinstance(error, RuntimeError) and "MulBackward" in str(error) and "retain_graph=True" in str(error):
            return REFUSED
        text = str(error)
        return f"{type(error).__name__}({text if len(text) < 45 else text[:40] + '...'!r})"
    return "done"


def grad_of(leaf):
    """A leaf's gradient as a number; None where there is none."""
    return None if leaf.grad is None else leaf.grad.tolist()


def holds(tensor):
    """Whether the node of a tensor still has its values."""
    return tensor.grad_fn.saved is not None


class Own(FunctionNode):
    """A node with a rule of its own on one input; it saved nothing."""

    __slots__ = ("rule",)

    def __init__(self, x, rule):
        self.name, self.rule, self.saved, self.op_name = "OwnBackward", rule, [None, None], "own"
        self.inputs = (NodeInput(gradient_edge(x), x.shape),)

    def apply(self, gradient):
        return [self.rule(gradient)]


def with_rule(x, rule):
    """A tensor like `x` whose node runs `rule`."""
    result = Tensor(x.tolist(), requires_grad=True)
    result.grad_fn = Own(x, rule)
    return result


def test_second_pass_is_refused(answer, x, y, because):
    w = x * y
    x.grad = Buffer([7.0], ())
    assert_equal(outcome(answer.backward, w), "done", because=because("w = x*y, backward(w)"))
    once = 7.0 + y.tolist()
    reason = because("x.grad was 7, w = x*y, backward(w): x.grad", replaced=y.tolist(), twice=7 + 2 * y.tolist())
    assert_tensor(grad_of(x), once, because=reason)
    reason = because("w = x*y, backward(w) twice: the second", "says_too_little", never_released="done")
    assert_equal(outcome(answer.backward, w), REFUSED, because=reason)
    assert_tensor(grad_of(x), once, because=because("w = x*y, backward(w) twice: x.grad", "half_run"))


def test_sum_goes_twice(answer, x, y, because):
    w = x + y + x
    for number in (1, 2):
        reason = because(f"w = x + y + x, backward(w): pass {number}", "sum_refused")
        assert_equal(outcome(answer.backward, w), "done", because=reason)
        reason = because(f"w = x + y + x, x.grad after pass {number}", twice=4.0 * number, replaced=2.0)
        assert_tensor(grad_of(x), 2.0 * number, because=reason)


def test_retained_graph(answer, x, y, because):
    w = x * y
    for number in (1, 2, 3):
        reason = because(f"w = x*y, backward(w, retain_graph=True), and again: pass {number}", "retain_ignored")
        assert_equal(outcome(answer.backward, w, retain_graph=True), "done", because=reason)
        reason = because(f"w = x*y, backward(w, retain_graph=True): x.grad after pass {number}", replaced=y.tolist())
        assert_tensor(grad_of(x), number * y.tolist(), because=reason)
    answer.backward(w)
    reason = because("the same graph, backward(w), and once more", "says_too_little", never_released="done")
    assert_equal(outcome(answer.backward, w, retain_graph=True), REFUSED, because=reason)


def test_two_roots_share_a_product(answer, x, y, because):
    shared = x * y
    first, second = shared * y, (shared + y) * x
    answer.backward(first)
    before = grad_of(x), grad_of(y)
    reason = because("s = x*y, a = s*y, b = (s + y)*x: backward(a), then backward(b)", remembers_the_root="done")
    assert_equal(outcome(answer.backward, second), REFUSED, because=reason)
    reason = because("x.grad and y.grad after backward(b) was refused", "half_run")
    assert_equal((grad_of(x), grad_of(y)), before, because=reason)
    reason = because("whether the node of b still has its values after backward(b) was refused", "half_run")
    assert_equal(holds(second), True, because=reason)


def test_two_roots_share_a_sum(answer, x, y, because):
    shared = x + y
    first, second = shared * 2.0, shared * x
    answer.backward(first)
    reason = because("s = x + y, a = s*2, b = s*x: backward(a), then backward(b)", "sum_refused")
    assert_equal(outcome(answer.backward, second), "done", because=reason)
    expected = 2 + 2 * x.tolist() + y.tolist()
    reason = because("x.grad after both passes", replaced=expected - 2, passed_over=2 + x.tolist() + y.tolist())
    assert_tensor(grad_of(x), expected, because=reason)


def test_refusal_leaves_everything_as_it_was(answer, x, y, because):
    used = x * x
    answer.backward(used)
    x.grad = None
    for side in ("left", "right"):
        fresh = y * y
        w = used + fresh if side == "left" else fresh + used
        called = f"x*x was asked before; backward of it plus y*y, where it stands at the {side}"
        reason = because(called, "only_the_root", passed_over="done")
        assert_equal(outcome(answer.backward, w), REFUSED, because=reason)
        assert_equal((grad_of(x), grad_of(y)), (None, None), because=because(f"{called}: x.grad, y.grad", "half_run"))
        reason = because(f"{called}: whether the node of y*y still has its values", "half_run")
        assert_equal(holds(fresh), True, because=reason)


def test_value_written_in_place(answer, x, y, because):
    for side in ("left", "right"):
        product, fresh = x * y, x * x
        with no_grad():
            y.add_(1.0)
        w = product + fresh if side == "left" else fresh + product
        called = f"x*y, y written in place; backward of x*y plus x*x, where x*y stands at the {side}"
        assert_equal(outcome(answer.backward, w), "RuntimeError about a write in place", because=because(called))
        reason = because(f"{called}: x.grad, y.grad", "written_half_way")
        assert_equal((grad_of(x), grad_of(y)), (None, None), because=reason)
        reason = because(f"{called}: whether the node of x*x still has its values", "written_half_way")
        assert_equal(holds(fresh), True, because=reason)


def test_rule_that_raises_in_the_middle(answer, x, y, because):
    def fails(gradient):
        raise ArithmeticError("this rule fails")

    for side in ("left", "right"):
        faulty, fresh = with_rule(x, fails), y + y
        w = faulty + fresh if side == "left" else fresh + faulty
        called = f"f(x) plus y + y, where f's rule raises and f(x) stands at the {side}; backward"
        reason = because(called, swallowed="done")
        assert_equal(outcome(answer.backward, w), "ArithmeticError('this rule fails')", because=reason)
        reason = because(f"{called}: x.grad, y.grad", "leaves_too_early")
        assert_equal((grad_of(x), grad_of(y)), (None, None), because=reason)


def test_values_go_while_the_pass_runs(answer, x, because):
    seen = []

    def looks(gradient):
        seen.append([holds(tensor) for tensor in (first, second)])
        return gradient

    for retain in (True, False):
        bottom = with_rule(x, looks)
        first = bottom.exp()
        second = first * first
        answer.backward(second, retain_graph=retain)
        called = "y = f(x).exp(), z = y*y; whether the nodes of y and z have their values when the rule of f runs"
        if retain:
            reason = because(f"{called}, retain_graph=True", "retain_ignored")
            assert_equal(seen.pop(), [True, True], because=reason)
        else:
            after = [holds(tensor) for tensor in (first, second)]
            key = "released_late" if after == [False, False] else "never_released"
            assert_equal(seen.pop(), [False, False], because=because(called, key))


def test_value_that_many_paths_lead_to(answer, x, because):
    y = x * 1.0
    for _ in range(40):
        y = y + y
    for number in (1, 2):
        called = f"x*1, doubled 40 times: backward, pass {number}"
        expected = "done" if number == 1 else REFUSED
        assert_equal(outcome(answer.backward, y), expected, because=because(called, "half_run"))
        reason = because(f"{called}: x.grad", twice=2.0**41)
        assert_tensor(grad_of(x), 2.0**40, because=reason)
