"""Chapter 18's engine against kael's, what it owns and counts and refuses, and the two designs beside it."""

import ast
import gc
import threading
import weakref
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings

import chapters.ch18_define_by_run.engine as small
from chapters.ch18_define_by_run import global_tape as tape
from chapters.ch18_define_by_run.engine import Tensor, apply, backward, count_dependencies, no_grad
from chapters.ch18_define_by_run.static_graph import Plan, Symbol, constant, placeholder, where
from chapters.flat import Buffer
from tests.chapters.test_random_graphs import ONE_ROW, SCALAR_TIMES_MATRIX, SQUARE, Kael, programs
from tests.fuzzing import examples


class Small:
    """The engine of the chapter behind the two words that a random program knows."""

    apply = staticmethod(apply)
    constant = staticmethod(Tensor)


class Taped:
    """The global tape behind the same two words."""

    apply = staticmethod(tape.record)
    constant = staticmethod(tape.Value)


def leaves_of(program):
    return [Tensor(data, requires_grad=want) for data, want in zip(program.leaves, program.wanted, strict=True)]


def run(program):
    leaves = leaves_of(program)
    entries = program.run(Small, leaves)
    assume(all(abs(value) < 50 for entry in entries for value in entry.storage.buffer))
    assume(entries[-1].requires_grad)
    return leaves, entries[-1]


@settings(max_examples=examples(60), deadline=None)
@given(programs())
@example(SQUARE)
@example(SCALAR_TIMES_MATRIX)
@example(ONE_ROW)
def test_gradients_equal_those_of_kaels_engine(program):
    leaves, loss = run(program)
    backward(loss)
    theirs = [Kael.constant(data, want) for data, want in zip(program.leaves, program.wanted, strict=True)]
    result = program.run(Kael, theirs)[-1]
    result.backward()
    for leaf, other in zip(leaves, theirs, strict=True):
        assert (leaf.grad is None) == (other.grad is None)
        if leaf.grad is not None:
            assert leaf.grad.shape == tuple(other.grad.shape)
            assert list(leaf.grad) == pytest.approx(other.grad.reshape(-1).tolist(), rel=1e-10, abs=1e-10)


@settings(max_examples=examples(60), deadline=None)
@given(programs())
@example(SQUARE)
def test_counts_equal_those_of_kaels_engine(program):
    import kael.autograd

    _, loss = run(program)
    theirs = [Kael.constant(data, want) for data, want in zip(program.leaves, program.wanted, strict=True)]
    result = program.run(Kael, theirs)[-1]
    ours = count_dependencies(loss.grad_fn)
    assert list(ours.values()) == list(kael.autograd.count_dependencies([result.grad_fn]).values())


@settings(max_examples=examples(60), deadline=None)
@given(programs())
@example(SQUARE)
def test_the_tape_gives_the_same_gradients(program):
    leaves, loss = run(program)
    backward(loss)
    tape.clear()
    values = [tape.Value(data) for data in program.leaves]
    root = program.run(Taped, values)[-1]
    for leaf, gradient in zip(leaves, tape.gradients(root, values), strict=True):
        if leaf.grad is not None:
            assert list(leaf.grad) == pytest.approx(list(gradient), rel=1e-12, abs=1e-12)
    tape.clear()


def lopsided():
    x, y = Tensor(1.0, requires_grad=True), Tensor(2.0, requires_grad=True)
    s = x * y
    return x, y, s, s * s + s


def test_what_is_not_reached_from_the_root_does_not_count():
    _, _, s, u = lopsided()
    aside = s.exp()
    assert count_dependencies(u.grad_fn)[s.grad_fn] == 3
    assert aside.grad_fn not in count_dependencies(u.grad_fn)


def test_a_node_runs_once_with_its_complete_gradient():
    _, _, s, u = lopsided()
    seen = []

    class Listener:
        def visit(self, node, gradient, ready):
            seen.append((node, gradient.tolist()))

        def seed(self, *event):
            pass

        dependency = contribution = done = seed

    backward(u, trace=Listener())
    assert [gradient for node, gradient in seen if node is s.grad_fn] == [5.0]


def test_the_record_goes_with_its_last_tensor():
    gc.collect()
    gc.disable()
    try:
        x, _, s, u = lopsided()
        node, accumulator = weakref.ref(s.grad_fn), x.accumulator
        del s
        assert node() is not None
        del u
        assert node() is None and accumulator() is None
    finally:
        gc.enable()


def test_a_saved_output_makes_no_cycle():
    gc.collect()
    gc.disable()
    try:
        y = Tensor(1.0, requires_grad=True).exp()
        node = weakref.ref(y.grad_fn)
        del y
        assert node() is None
    finally:
        gc.enable()


def test_nothing_is_recorded_without_need():
    x, plain = Tensor(1.0, requires_grad=True), Tensor(2.0)
    assert (plain * plain).grad_fn is None
    with no_grad():
        assert (x * x).grad_fn is None
    (link, other) = (x * plain).grad_fn.inputs
    assert link.edge is x.accumulator() and other.edge is None


def test_the_flag_is_put_back_to_what_it_was():
    with pytest.raises(KeyError), no_grad():
        with no_grad():
            pass
        assert not small.mode.recording
        raise KeyError
    assert small.mode.recording


def test_another_thread_has_a_flag_of_its_own():
    seen = []
    with no_grad():
        thread = threading.Thread(target=lambda: seen.append(small.mode.recording))
        thread.start()
        thread.join()
    assert seen == [True]


@pytest.mark.parametrize("through", ["itself", "a detached tensor"])
def test_a_saved_value_that_was_written_is_refused(through):
    x = Tensor(3.0, requires_grad=True)
    loss = x * x
    with no_grad():
        (x if through == "itself" else x.detach()).add_(1.0)
    with pytest.raises(RuntimeError, match="it was at version 0, now at 1"):
        backward(loss)
    assert x.grad is None


def test_a_write_to_what_no_rule_reads_is_let_through():
    x = Tensor(3.0, requires_grad=True)
    total, power = x + x, x.exp()
    with no_grad():
        x.add_(1.0)
    backward(total)
    assert x.grad.tolist() == 2.0
    backward(power)


@pytest.mark.parametrize(
    ("target", "source", "text"),
    [
        (lambda x: x, 1.0, "the tensor is a leaf that requires grad"),
        (lambda x: x.exp(), 1.0, "the tensor has history"),
        (lambda x: Tensor(0.0), Tensor(1.0, requires_grad=True), "the source requires grad"),
    ],
)
def test_writes_that_would_change_a_node_are_refused(target, source, text):
    tensor = target(Tensor(2.0, requires_grad=True))
    before = tensor.tolist()
    with pytest.raises(RuntimeError, match=text):
        tensor.add_(source)
    assert tensor.tolist() == before and tensor.storage.version == 0


def test_a_second_pass_needs_the_graph_kept():
    x = Tensor(3.0, requires_grad=True)
    loss = x * x
    backward(loss, retain_graph=True)
    backward(loss)
    assert x.grad.tolist() == 12.0
    with pytest.raises(RuntimeError, match="MulBackward was released by an earlier pass"):
        backward(loss)


def test_a_root_of_several_elements_needs_a_gradient():
    x = Tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match=r"the root has shape \(2,\)"):
        backward(x * x)
    backward(x * x, [1.0, 10.0])
    assert x.grad.tolist() == [2.0, 40.0]


@pytest.mark.parametrize("seed", [1.0, [1.0], [1.0, 2.0, 3.0], [[1.0, 2.0], [3.0, 4.0]]])
def test_a_gradient_of_another_shape_is_refused(seed):
    x = Tensor([1.0, 2.0], requires_grad=True)
    for root in (x, x * x):
        with pytest.raises(RuntimeError, match=r"^backward: gradient has shape .*, the root \(2,\)$"):
            backward(root, seed)
    assert x.grad is None


def test_a_root_without_history_is_refused():
    with pytest.raises(RuntimeError, match="does not require grad"):
        backward(Tensor(1.0))


def test_a_leaf_can_be_the_root():
    x = Tensor(3.0, requires_grad=True)
    backward(x)
    assert x.grad.tolist() == 1.0


def test_a_long_chain_needs_no_deep_stack():
    outcome = []

    def work():
        x = y = Tensor(0.0, requires_grad=True)
        for _ in range(5_000):
            y = y + 1.0
        backward(y)
        node = weakref.ref(y.grad_fn)
        del y
        outcome.append((x.grad.tolist(), node() is None))

    usual = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(usual)
    assert outcome == [(1.0, True)]


def test_the_engine_imports_nothing_of_kael():
    tree = ast.parse(Path(small.__file__).read_text(encoding="utf-8"))
    modules = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    modules += [name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names]
    assert not [module for module in modules if module.split(".")[0] in ("kael", "numpy")]


def test_a_plan_runs_on_other_numbers():
    x, y = placeholder("x"), placeholder("y")
    plan = Plan(x * y + x)
    assert plan.run(x=3.0, y=4.0) == 15.0 and plan.run(x=5.0, y=2.0) == 15.0
    assert plan.gradients([x, y], x=3.0, y=4.0) == [5.0, 3.0]


def test_a_plan_leaves_out_what_leads_nowhere():
    x = placeholder("x")
    aside = x.exp()
    assert aside not in Plan(x * x).order


def test_every_operation_of_a_plan_agrees_with_differences():
    x, y = placeholder("x"), placeholder("y")
    root: Symbol = where(x > y, x / y, x * y).exp() + x * constant(2.0)
    plan = Plan(root)
    for at in ({"x": 0.7, "y": 0.4}, {"x": 0.4, "y": 0.7}):
        for symbol, name in ((x, "x"), (y, "y")):
            above, below = (plan.run(**at | {name: at[name] + step}) for step in (1e-6, -1e-6))
            assert plan.gradients([symbol], **at)[0] == pytest.approx((above - below) / 2e-6, rel=1e-6)


def test_a_symbol_has_no_truth_value():
    with pytest.raises(TypeError, match="it has no value before run"):
        bool(placeholder("x") > constant(1.0))


def test_a_cleared_tape_knows_nothing():
    tape.clear()
    x = tape.Value(Buffer([3.0], ()))
    kept = x * x
    assert tape.gradients(kept, [x])[0].tolist() == 6.0
    tape.clear()
    assert tape.gradients(kept, [x]) == [None]
