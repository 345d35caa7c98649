"""The teaching engine against finite differences and against kael's engine, on random graphs."""

from dataclasses import dataclass

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import kael
from chapters.ch15_graph.graph import ComputationGraph, NodeList, Tensor
from chapters.ch16_rules.registry import gradient_check
from chapters.ch17_engine.arena import ArenaStore
from chapters.ch17_engine.engine import backward, keep_for_backward
from chapters.flat import Buffer
from tests.fuzzing import examples

SHAPES = [(), (1,), (3,), (1, 1), (1, 3), (2, 1), (2, 3), (3, 2)]


@dataclass
class Program:
    """Leaves, then operations on earlier entries by number."""

    leaves: list
    operations: list
    wanted: list

    def run(self, engine, leaves):
        """All entries, the last of them a scalar that every element of the entry before has its own weight in."""
        entries = list(leaves)
        for name, *inputs in self.operations:
            entries.append(engine.apply(name, *(entries[i] for i in inputs)))
        matrix = engine.apply("add", entries[-1], engine.constant(Buffer([0.0], (1, 1))))
        rows, columns = matrix.shape
        left = engine.constant(Buffer([1.0 + 0.5 * i for i in range(rows)], (1, rows)))
        right = engine.constant(Buffer([1.0 - 0.3 * j for j in range(columns)], (columns, 1)))
        return [*entries, engine.apply("matmul", engine.apply("matmul", left, matrix), right)]


class Teaching(ComputationGraph):
    constant = staticmethod(Tensor)


class Kael:
    """The library's engine behind the same two words."""

    @staticmethod
    def apply(name, *inputs):
        return getattr(kael, name)(*inputs)

    @staticmethod
    def constant(data, requires_grad=False):
        return kael.tensor(data.tolist(), dtype=kael.float64, requires_grad=requires_grad)


def fits(name, shapes, i, j):
    a, b = shapes[i], shapes[j]
    if name == "matmul":
        return len(a) == len(b) == 2 and a[1] == b[0]
    return all(m == n or 1 in (m, n) for m, n in zip(reversed(a), reversed(b), strict=False))


def result_shape(name, shapes, i, j):
    a, b = shapes[i], shapes[j]
    if name == "matmul":
        return (a[0], b[1])
    wide = max(len(a), len(b))
    a, b = (1,) * (wide - len(a)) + a, (1,) * (wide - len(b)) + b
    return tuple(n if m == 1 else m for m, n in zip(a, b, strict=True))


@st.composite
def programs(draw):
    shapes = draw(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=4))
    number = st.floats(-1.2, 1.2, allow_subnormal=False).map(lambda v: round(v, 3))
    leaves = []
    for shape in shapes:
        size = 1
        for axis in shape:
            size *= axis
        leaves.append(Buffer(draw(st.lists(number, min_size=size, max_size=size)), shape))
    wanted = draw(st.lists(st.booleans(), min_size=len(leaves), max_size=len(leaves)))
    operations, known = [], list(shapes)
    for _ in range(draw(st.integers(1, 7))):
        name = draw(st.sampled_from(["add", "mul", "exp", "matmul"]))
        pairs = [(i, j) for i in range(len(known)) for j in range(len(known)) if fits(name, known, i, j)]
        if name == "exp" or not pairs:
            i = draw(st.integers(0, len(known) - 1))
            operations.append(("exp", i))
            known.append(known[i])
        else:
            i, j = draw(st.sampled_from(pairs))
            operations.append((name, i, j))
            known.append(result_shape(name, known, i, j))
    return Program(leaves, operations, wanted)


def teach(program, store=NodeList, **options):
    graph = Teaching(store(), **options)
    leaves = [Tensor(data, requires_grad=want) for data, want in zip(program.leaves, program.wanted, strict=True)]
    entries = program.run(graph, leaves)
    assume(all(abs(value) < 50 for entry in entries for value in entry.data))
    loss = entries[-1]
    assume(loss.requires_grad)
    backward(graph, loss)
    return leaves, loss


SQUARE = Program([Buffer([0.5, -1.0, 0.25], (3,))], [("mul", 0, 0)], [True])
SCALAR_TIMES_MATRIX = Program([Buffer([0.5], ()), Buffer([1, 2, 3, 4, 5, 6], (2, 3))], [("mul", 0, 1)], [True, True])
ONE_ROW = Program([Buffer([1, 2, 3, 4, 5, 6], (2, 3)), Buffer([1, 2, 3], (1, 3))], [("add", 0, 1)], [False, True])


@settings(max_examples=examples(60), deadline=None)
@given(programs())
@example(SQUARE)
@example(SCALAR_TIMES_MATRIX)
@example(ONE_ROW)
def test_gradients_agree_with_finite_differences(program):
    leaves, _ = teach(program)
    chosen = [k for k, leaf in enumerate(leaves) if leaf.grad is not None]

    def value(*moved):
        data = list(program.leaves)
        for k, buffer in zip(chosen, moved, strict=True):
            data[k] = buffer
        return program.run(Teaching(), [Tensor(buffer) for buffer in data])[-1].item()

    gradient_check(
        value, [program.leaves[k] for k in chosen], [leaves[k].grad for k in chosen], step=1e-5, tolerance=1e-4
    )


@settings(max_examples=examples(60), deadline=None)
@given(programs())
@example(SQUARE)
@example(SCALAR_TIMES_MATRIX)
@example(ONE_ROW)
def test_gradients_equal_those_of_kaels_engine(program):
    leaves, loss = teach(program)
    theirs = [Kael.constant(data, want) for data, want in zip(program.leaves, program.wanted, strict=True)]
    result = program.run(Kael, theirs)[-1]
    result.backward()
    assert loss.item() == pytest.approx(result.item(), rel=1e-12, abs=1e-12)
    for leaf, other in zip(leaves, theirs, strict=True):
        assert (leaf.grad is None) == (other.grad is None)
        if leaf.grad is not None:
            assert leaf.grad.shape == tuple(other.grad.shape)
            assert list(leaf.grad) == pytest.approx(other.grad.reshape(-1).tolist(), rel=1e-10, abs=1e-10)


@settings(max_examples=examples(60), deadline=None)
@given(programs())
@example(SQUARE)
def test_both_stores_and_pruning_give_the_same_bits(program):
    results = []
    for store, options in [(NodeList, {}), (ArenaStore, {}), (NodeList, {"keep": keep_for_backward})]:
        leaves, loss = teach(program, store, **options)
        gradients = [None if leaf.grad is None else leaf.grad.tolist() for leaf in leaves]
        results.append((loss.item(), gradients))
    assert results[0] == results[1] == results[2]


@settings(max_examples=examples(30), deadline=None)
@given(programs())
@example(SQUARE)
def test_every_gradient_has_the_shape_of_its_tensor(program):
    leaves, _ = teach(program)
    assert all(leaf.grad is None or leaf.grad.shape == leaf.shape for leaf in leaves)
    assert all(leaf.grad is None for leaf in leaves if not leaf.requires_grad)


def test_the_generator_reaches_repeats_broadcasts_and_scalars():
    seen = set()

    @settings(max_examples=200, deadline=None, database=None, derandomize=True)
    @given(programs())
    def look(program):
        for name, *inputs in program.operations:
            seen.add(name)
            if len(inputs) == 2 and inputs[0] == inputs[1]:
                seen.add("repeated input")
        shapes = [leaf.shape for leaf in program.leaves]
        for name, *inputs in program.operations:
            if all(i < len(shapes) for i in inputs) and name != "exp":
                a, b = (shapes[i] for i in inputs)
                seen.add("broadcast" if a != b and name != "matmul" else "same")
        if () in shapes:
            seen.add("0-d")

    look()
    assert seen >= {"add", "mul", "exp", "matmul", "repeated input", "broadcast", "0-d"}


def test_gradient_check_would_notice_a_lost_contribution():
    graph = Teaching()
    x = Tensor(SQUARE.leaves[0], requires_grad=True)
    backward(graph, SQUARE.run(graph, [x])[-1], accumulate="overwrite")
    with pytest.raises(ValueError, match="has gradient"):
        gradient_check(
            lambda moved: SQUARE.run(Teaching(), [Tensor(moved)])[-1].item(), [SQUARE.leaves[0]], [x.grad], step=1e-5
        )
