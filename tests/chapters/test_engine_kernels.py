"""Chapters 16 and 17 as kernels: every rung gives the bits of the plain loops, or stays within the stated bound."""

import numpy as np
import pytest

from chapters.ch15_graph.graph import ComputationGraph, Tensor
from chapters.ch17_engine.engine import backward
from tests.kernels.rungs import load_rungs

RULES = load_rungs("ch16_rules")
ENGINE = load_rungs("ch17_engine")


@pytest.fixture(params=RULES)
def rules(request):
    return RULES[request.param]


@pytest.fixture(params=ENGINE)
def engine(request):
    return ENGINE[request.param]


@pytest.fixture(params=[np.float32, np.float64])
def dtype(request):
    return request.param


def numbers(shape, dtype, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def same_bits(a, b):
    return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a), np.signbit(b))


def layouts(x):
    """The same numbers packed, transposed in memory, with gaps, and backwards."""
    yield x
    yield np.asfortranarray(x)
    wide = np.empty((*x.shape[:-1], 2 * x.shape[-1]) if x.ndim else (), x.dtype)
    if x.ndim:
        wide[..., ::2] = x
        yield wide[..., ::2]
        yield x[..., ::-1].copy()[..., ::-1]


SPREADS = [
    ((2, 3), (1, 3)),
    ((2, 3), (3,)),
    ((2, 3), ()),
    ((2, 3), (2, 1)),
    ((4, 3, 5), (3, 1)),
    ((4, 3, 5), (4, 1, 5)),
    ((3, 1, 2), (1, 1, 2)),
    ((4, 0), (4, 1)),
    ((0, 3), (1, 3)),
    ((), ()),
    ((7,), (7,)),
    ((33, 17), (1, 17)),
]


class TestMulVjp:
    @pytest.mark.parametrize("shape, other", SPREADS)
    def test_bits(self, rules, dtype, shape, other):
        g, x, y = numbers(shape, dtype), numbers(shape, dtype, 1), numbers(other, dtype, 2)
        grad_x, grad_y = np.empty(shape, dtype), np.empty(shape, dtype)
        rules.mul_vjp(g, x, y, grad_x, grad_y)
        assert same_bits(grad_x, g * y) and same_bits(grad_y, g * x)

    def test_layouts(self, rules, dtype):
        g, x, y = (numbers((3, 4), dtype, k) for k in range(3))
        for a, b, c, out_x, out_y in zip(*map(list, map(layouts, (g, x, y, 0 * g, 0 * g))), strict=True):
            rules.mul_vjp(a, b, c, out_x, out_y)
            assert same_bits(np.array(out_x), g * y) and same_bits(np.array(out_y), g * x)

    def test_inf_nan_and_signed_zero(self, rules, dtype):
        special = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1.0], dtype)
        g, x = (a.copy() for a in np.meshgrid(special, special))
        out_x, out_y = np.empty_like(g), np.empty_like(g)
        rules.mul_vjp(g, x, x, out_x, out_y)
        with np.errstate(invalid="ignore"):
            assert np.array_equal(out_x, g * x, equal_nan=True)
            finite = ~np.isnan(out_x)
            assert np.array_equal(np.signbit(out_x)[finite], np.signbit(g * x)[finite])

    def test_operands_stay_as_they_were(self, rules, dtype):
        operands = [numbers((2, 3), dtype, k) for k in range(3)]
        before = [x.copy() for x in operands]
        rules.mul_vjp(*operands, np.empty((2, 3), dtype), np.empty((2, 3), dtype))
        assert all(map(np.array_equal, operands, before))


def test_exp_vjp_bits(rules, dtype):
    for g, y in zip(layouts(numbers((5, 7), dtype)), layouts(numbers((5, 7), dtype, 1)), strict=True):
        out = np.empty((5, 7), dtype)
        rules.exp_vjp(g, y, out)
        assert same_bits(out, np.array(g * y))


class TestMatmulVjp:
    SIZES = ((2, 3, 4), (1, 1, 1), (5, 1, 3), (1, 6, 1), (0, 3, 2), (3, 0, 2), (3, 2, 0), (9, 17, 13))

    @pytest.mark.parametrize("m, k, n", SIZES)
    def test_within_the_stated_bound(self, rules, dtype, m, k, n):
        g, a, b = numbers((m, n), dtype), numbers((m, k), dtype, 1), numbers((k, n), dtype, 2)
        grad_a, grad_b = np.empty((m, k), dtype), np.empty((k, n), dtype)
        rules.matmul_vjp(g, a, b, grad_a, grad_b)
        eps = np.finfo(dtype).eps
        wide_g, wide_a, wide_b = (x.astype(np.float64) for x in (g, a, b))
        bound_a = (n + 2) * eps * (abs(wide_g) @ abs(wide_b.T))
        bound_b = (m + 2) * eps * (abs(wide_a.T) @ abs(wide_g))
        assert np.all(abs(grad_a - wide_g @ wide_b.T) <= bound_a)
        assert np.all(abs(grad_b - wide_a.T @ wide_g) <= bound_b)

    @pytest.mark.parametrize("rung", [rung for rung in RULES if rung.startswith("cython")])
    @pytest.mark.parametrize("m, k, n", SIZES)
    def test_the_twin_has_the_references_bits(self, rung, dtype, m, k, n):
        g, a, b = numbers((m, n), dtype), numbers((m, k), dtype, 1), numbers((k, n), dtype, 2)
        results = []
        for module in (RULES[rung], RULES["python"]):
            out = np.empty((m, k), dtype), np.empty((k, n), dtype)
            module.matmul_vjp(g, a, b, *out)
            results.append(out)
        assert same_bits(results[0][0], results[1][0]) and same_bits(results[0][1], results[1][1])

    def test_layouts(self, rules, dtype):
        g, a, b = numbers((3, 5), dtype), numbers((3, 4), dtype, 1), numbers((4, 5), dtype, 2)
        for operands in zip(*map(list, map(layouts, (g, a, b, 0 * a, 0 * b))), strict=True):
            rules.matmul_vjp(*operands)
            assert np.allclose(operands[3], g @ b.T, rtol=1e-5) and np.allclose(operands[4], a.T @ g, rtol=1e-5)


def arrays(*shapes, dtype=np.float64):
    return [np.zeros(shape, dtype) for shape in shapes]


REFUSED = {
    "mul_vjp": [
        arrays((2, 3), (2, 2), (2, 3), (2, 3), (2, 3)),
        arrays((2, 3), (2, 3), (1, 2, 3), (2, 3), (2, 3)),
        arrays((2, 3), (2, 3), (3,), (2, 3), (3,)),
        [*arrays((2,), (2,), (2,), (2,)), np.zeros(2, np.float32)],
        arrays((2,), (2,), (2,), (2,), (2,), dtype=np.int64),
    ],
    "exp_vjp": [
        arrays((2, 3), (3,), (2, 3)),
        arrays((2, 3), (2, 3), (3,)),
        [*arrays((2,), (2,)), np.zeros(2, np.float32)],
    ],
    "matmul_vjp": [
        arrays((2, 4), (2, 3), (3, 5), (2, 3), (3, 4)),
        arrays((2, 4), (3, 3), (3, 4), (2, 3), (3, 4)),
        arrays((2, 4), (2, 3), (3, 4), (2, 4), (3, 4)),
        arrays((2, 4), (2, 3), (3, 4), (2, 3), (4, 3)),
        arrays((2,), (2, 3), (3, 4), (2, 3), (3, 4)),
        [*arrays((2, 4), (2, 3), (3, 4), (2, 3)), np.zeros((3, 4), np.float32)],
    ],
}
REFUSED_BY_ENGINE = {
    "unbroadcast_gradient": [
        arrays((3, 5), (2, 1)),
        arrays((3,), (1, 3)),
        arrays((1,), (3,)),
        [np.zeros(3), np.zeros(1, np.float32)],
        arrays((3,), (1,), dtype=np.int64),
    ],
    "accumulate_gradient": [
        arrays((1, 3), (2, 3), (2, 3)),
        arrays((3,), (3,), (1, 3)),
        [np.zeros(3), np.zeros(3, np.float32), np.zeros(3)],
    ],
    "traverse": [
        [np.array(op), np.array(left), np.array(right), np.array(value), root, np.zeros(size)]
        for op, left, right, value, root, size in [
            ([0, 9], [0, 0], [0, 0], [1.0, 1.0], 1, 2),
            ([0, 1], [0, 1], [0, 0], [1.0, 1.0], 1, 2),
            ([0, 1], [0, 0], [0, -1], [1.0, 1.0], 1, 2),
            ([0, 1], [0, 0], [0, 0], [1.0, 1.0], 2, 2),
            ([0, 1], [0, 0], [0, 0], [1.0, 1.0], -1, 2),
            ([0, 1], [0, 0], [0], [1.0, 1.0], 1, 2),
            ([0, 1], [0, 0], [0, 0], [1, 1], 1, 2),
            ([0, 1], [0, 0], [0, 0], [1.0, 1.0], 1, 3),
            ([0.0, 1.0], [0, 0], [0, 0], [1.0, 1.0], 1, 2),
        ]
    ],
}


def refusal(function, arguments):
    with pytest.raises((TypeError, ValueError)) as caught:
        function(*arguments)
    return f"{type(caught.value).__name__}: {caught.value}"


@pytest.mark.parametrize("name, k", [(name, k) for name, cases in REFUSED.items() for k in range(len(cases))])
def test_the_rules_refuse_alike(rules, name, k):
    said = [refusal(getattr(module, name), REFUSED[name][k]) for module in (rules, RULES["python"])]
    assert said[0] == said[1] and f": {name}: " in said[0]


@pytest.mark.parametrize("name, k", [(name, k) for name, cases in REFUSED_BY_ENGINE.items() for k in range(len(cases))])
def test_the_engine_refuses_alike(engine, name, k):
    said = [refusal(getattr(module, name), REFUSED_BY_ENGINE[name][k]) for module in (engine, ENGINE["python"])]
    assert said[0] == said[1] and f": {name}: " in said[0]


class TestUnbroadcast:
    @pytest.mark.promise("S49")
    @pytest.mark.promise("S50")
    def test_the_books_numbers(self, engine):
        out = np.empty((1, 3))
        engine.unbroadcast_gradient(np.ones((2, 3)), out)
        assert out.tolist() == [[2.0, 2.0, 2.0]]
        out = np.empty((3, 1))
        engine.unbroadcast_gradient(np.ones((4, 3, 5)), out)
        assert out.tolist() == [[20.0], [20.0], [20.0]]

    @pytest.mark.parametrize("shape, target", SPREADS)
    def test_within_the_stated_bound(self, engine, dtype, shape, target):
        grad, out = numbers(shape, dtype), np.full(target, 7, dtype)
        engine.unbroadcast_gradient(grad, out)
        exact, sizes = grad.astype(np.float64), grad.astype(np.float64)
        lead = len(shape) - len(target)
        axes = (*range(lead), *(lead + k for k, size in enumerate(target) if size == 1))
        exact = exact.sum(axis=axes, keepdims=True).reshape(target)
        bound = grad.size * np.finfo(dtype).eps * abs(sizes).sum(axis=axes, keepdims=True).reshape(target)
        assert np.all(abs(out - exact) <= bound)

    @pytest.mark.parametrize("rung", [rung for rung in ENGINE if rung.startswith("cython")])
    @pytest.mark.parametrize("shape, target", SPREADS)
    def test_the_twin_has_the_references_bits(self, rung, dtype, shape, target):
        results = []
        for module in (ENGINE[rung], ENGINE["python"]):
            for grad in layouts(numbers(shape, dtype)):
                out = np.empty(target, dtype)
                module.unbroadcast_gradient(grad, out)
                results.append(out)
        assert all(same_bits(results[0], result) for result in results)

    def test_a_strided_result(self, engine, dtype):
        grad, wide = numbers((4, 6), dtype), np.zeros((1, 12), dtype)
        engine.unbroadcast_gradient(grad, wide[:, ::2])
        assert np.allclose(wide[:, ::2], grad.sum(0), rtol=1e-5) and not wide[:, 1::2].any()

    def test_a_spread_gradient_is_read_where_it_lies(self, engine, dtype):
        grad, out = np.broadcast_to(np.array([[1], [2]], dtype), (2, 5)), np.empty((2, 1), dtype)
        engine.unbroadcast_gradient(grad, out)
        assert out.tolist() == [[5.0], [10.0]]


def test_accumulate_gradient_writes_beside_its_operands(engine, dtype):
    for total, incoming in zip(layouts(numbers((3, 4), dtype)), layouts(numbers((3, 4), dtype, 1)), strict=True):
        before, out = (total.copy(), incoming.copy()), np.empty((3, 4), dtype)
        engine.accumulate_gradient(total, incoming, out)
        assert same_bits(out, before[0] + before[1])
        assert np.array_equal(total, before[0]) and np.array_equal(incoming, before[1])


def random_tape(seed, size=40, leaves=4):
    rng = np.random.default_rng(seed)
    op = np.zeros(size, np.int64)
    op[leaves:] = rng.choice([1, 2, 3], size - leaves, p=[0.5, 0.4, 0.1])
    left = np.array([0] * leaves + [int(rng.integers(0, k)) for k in range(leaves, size)])
    right = np.array([0] * leaves + [int(rng.integers(0, k)) for k in range(leaves, size)])
    value = rng.uniform(-0.9, 0.9, size)
    for k in range(leaves, size):
        a, b = value[left[k]], value[right[k]]
        value[k] = np.clip([a + b, a * b, np.exp(a)][op[k] - 1], -3, 3)
    return op, left, right, value


class TestTraverse:
    @pytest.mark.promise("S40")
    def test_the_running_example(self, engine):
        op, left, right = np.array([0, 0, 2, 1]), np.array([0, 0, 0, 2]), np.array([0, 0, 1, 0])
        grad = np.empty(4)
        engine.traverse(op, left, right, np.array([3.0, 4.0, 12.0, 15.0]), 3, grad)
        assert grad.tolist() == [5.0, 3.0, 1.0, 1.0]

    @pytest.mark.parametrize("seed", range(5))
    def test_every_rung_gives_the_same_bits(self, engine, seed):
        tape, size = random_tape(seed), 40
        results = []
        for module in (engine, ENGINE["python"]):
            grad = np.empty(size)
            module.traverse(*tape, size - 1, grad)
            results.append(grad)
        assert same_bits(*results)

    def test_it_agrees_with_the_engine_on_objects(self, engine):
        graph, entries = ComputationGraph(), [Tensor(v, requires_grad=True) for v in (0.5, -0.3)]
        op, left, right = [0, 0], [0, 0], [0, 0]
        for name, a, b in [("mul", 0, 1), ("add", 2, 0), ("exp", 3, 0), ("mul", 4, 4), ("add", 5, 1)]:
            inputs = [entries[a]] if name == "exp" else [entries[a], entries[b]]
            entries.append(graph.apply(name, *inputs))
            op.append({"add": 1, "mul": 2, "exp": 3}[name])
            left.append(a)
            right.append(b)
        backward(graph, entries[-1])
        grad = np.empty(len(op))
        value = np.array([entry.item() for entry in entries])
        engine.traverse(np.array(op), np.array(left), np.array(right), value, len(op) - 1, grad)
        assert grad.tolist() == [entry.grad.tolist() for entry in entries]

    def test_zero_times_infinity_is_not_skipped(self, engine):
        op, left, right = np.array([0, 0, 2, 0, 2]), np.array([0, 0, 0, 0, 2]), np.array([0, 0, 1, 0, 3])
        grad = np.empty(5)
        engine.traverse(op, left, right, np.array([0.0, np.inf, np.nan, 0.0, np.nan]), 4, grad)
        assert np.isnan(grad[0])

    def test_entries_off_the_path_get_zero(self, engine):
        op, left, right = np.array([0, 0, 2, 1]), np.array([0, 0, 0, 0]), np.array([0, 0, 1, 0])
        grad = np.full(4, 9.0)
        engine.traverse(op, left, right, np.array([3.0, 4.0, 12.0, 6.0]), 3, grad)
        assert grad.tolist() == [2.0, 0.0, 0.0, 1.0]

    def test_strided_arrays(self, engine):
        op, left, right, value = (np.repeat(x, 2)[::2] for x in random_tape(1))
        wide, packed = np.full(80, 5.0), np.empty(40)
        engine.traverse(op, left, right, value, 39, wide[::2])
        ENGINE["python"].traverse(*random_tape(1), 39, packed)
        assert same_bits(wide[::2].copy(), packed) and (wide[1::2] == 5).all()
