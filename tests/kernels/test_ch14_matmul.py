"""Matrix products agree over all rungs within the stated bound, through every layout and at every edge of a tile."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from chapters.ch14_matmul.checks import ORDERS
from tests.kernels.parity import FLOATS, draw, layouts, outcome, parameters, same_bits
from tests.kernels.rungs import load_rungs

RUNGS = load_rungs("ch14_matmul")
REFERENCE = RUNGS["python"]
PRODUCTS: dict[str, Callable[[Any, Any, Any], None]] = {name: module.matmul for name, module in RUNGS.items()}
PRODUCTS |= {f"{n} without vectors": m.matmul_without_vectors for n, m in RUNGS.items() if n.startswith("cython")}


LOOPS: dict[str, dict[str, Any]] = {
    **{f"in order {order}": {"name": "matmul_in_order", "order": order} for order in ORDERS},
    **{f"in blocks of {block}": {"name": "matmul_in_blocks", "block": block} for block in (1, 3, 64)},
}
"""The plain loops of the page, by what they are called with."""

SMALL = [(1, 1, 1), (2, 3, 4), (3, 1, 2), (1, 5, 1), (7, 8, 9), (0, 3, 2), (3, 0, 2), (3, 2, 0)]
EDGES = [(14, 16, 32), (15, 17, 33), (13, 40, 31), (29, 9, 65), (6, 300, 18), (70, 3, 7), (1, 70, 90), (90, 70, 1)]
ROWS = [(1, 300, 41), (1, 70, 300), (1, 257, 33), (300, 70, 1), (3, 255, 2), (3, 257, 2)]
LARGE = [(60, 290, 140), (200, 70, 130), (33, 600, 260)]


@pytest.fixture(params=RUNGS)
def any_rung(request: pytest.FixtureRequest) -> ModuleType:
    return RUNGS[request.param]


@pytest.fixture(params=PRODUCTS)
def product(request: pytest.FixtureRequest) -> Callable[[Any, Any, Any], None]:
    return PRODUCTS[request.param]


def exact(a: Any, b: Any) -> Any:
    return np.asarray(a, np.longdouble) @ np.asarray(b, np.longdouble)


def check(product: Callable[[Any, Any, Any], None], a: Any, b: Any, out: Any) -> None:
    """The product is within (K + 2) eps of the exact one, and the factors are as they were."""
    before = a.tobytes(), b.tobytes()
    out[...] = np.nan
    assert product(a, b, out) is None
    assert (a.tobytes(), b.tobytes()) == before
    bound = (a.shape[1] + 2) * np.finfo(a.dtype).eps * exact(np.abs(a), np.abs(b))
    assert np.all(np.abs(out - exact(a, b)) <= bound)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("sizes", SMALL + EDGES + ROWS)
def test_products_are_within_the_bound_in_every_layout(product: Any, dtype: str, sizes: tuple[int, int, int]) -> None:
    m, k, n = sizes
    a, b, out = draw(dtype, (m, k), 1), draw(dtype, (k, n), 2), np.zeros((m, n), dtype)
    for _, left in layouts(a):
        check(product, left, b, out)
        check(product, left, np.asfortranarray(b), np.asfortranarray(out))
    for _, right in layouts(b):
        check(product, a, right, out)
    for _, result in layouts(out):
        check(product, a, b, result)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("sizes", LARGE)
@pytest.mark.parametrize("name", [name for name in PRODUCTS if name != "python"])
def test_large_products_are_within_the_bound(name: str, dtype: str, sizes: tuple[int, int, int]) -> None:
    product = PRODUCTS[name]
    m, k, n = sizes
    a, b, out = draw(dtype, (m, k), 1), draw(dtype, (k, n), 2), np.zeros((m, n), dtype)
    check(product, a, b, out)
    check(product, np.asfortranarray(a), np.asfortranarray(b), out)


def test_repeated_rows_and_columns_are_factors_like_any(product: Any) -> None:
    row, column = draw("float32", (1, 40)), draw("float32", (40, 1))
    out = np.zeros((40, 40), np.float32)
    check(product, np.broadcast_to(row, (40, 40)), np.broadcast_to(column, (40, 40)), out)
    check(product, np.broadcast_to(column, (40, 40)), np.broadcast_to(row, (40, 40)), out)


def test_no_inner_size_gives_zeros(product: Any) -> None:
    for dtype in (*FLOATS, "int64"):
        out = np.full((3, 50), 7, dtype)
        product(np.zeros((3, 0), dtype), np.zeros((0, 50), dtype), out)
        assert not out.any()


@pytest.mark.parametrize("sizes", [(3, 4, 5), (20, 30, 40)])
def test_nan_and_inf_stay_in_their_row_and_column(product: Any, sizes: tuple[int, int, int]) -> None:
    m, k, n = sizes
    for dtype in FLOATS:
        a, b, out = np.ones((m, k), dtype), np.ones((k, n), dtype), np.zeros((m, n), dtype)
        a[1, 2], b[0, n - 1] = np.nan, np.inf
        product(a, b, out)
        assert np.isnan(out[1]).all()
        assert np.isposinf(np.delete(out[:, n - 1], 1)).all()
        assert np.all(np.delete(out, 1, 0)[:, : n - 1] == k)


def test_int64_wraps(product: Any) -> None:
    big = np.iinfo(np.int64).max
    a, b = np.array([[big, 2], [3, big]]), np.array([[2, big], [big, 1]])
    out = np.zeros((2, 2), np.int64)
    product(a, b, out)
    want = [[sum(int(p) * int(q) for p, q in zip(r, c, strict=True)) for c in b.T] for r in a]
    assert out.tolist() == [[(v + 2**63) % 2**64 - 2**63 for v in row] for row in want]
    for sizes in ((5, 6, 7), (20, 30, 40)):
        x, y = draw("int64", sizes[:2]), draw("int64", sizes[1:])
        for _, left in layouts(x):
            for _, result in layouts(np.zeros((sizes[0], sizes[2]), np.int64)):
                product(left, y, result)
                assert np.array_equal(result, x @ y)


def loop(module: ModuleType, name: str, **options: Any) -> Callable[[Any, Any, Any], None]:
    """One of the plain loops of a rung, with its order or block."""

    def call(a: Any, b: Any, out: Any) -> None:
        result: None = getattr(module, name)(a, b, out, **options)
        return result

    return call


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("which", LOOPS)
def test_plain_loops_are_within_the_bound_in_every_layout(any_rung: ModuleType, which: str, dtype: str) -> None:
    plain = loop(any_rung, **LOOPS[which])
    for m, k, n in ((7, 8, 9), (1, 5, 1), (0, 3, 2), (3, 0, 2), (5, 70, 6)):
        a, b, out = draw(dtype, (m, k), 1), draw(dtype, (k, n), 2), np.zeros((m, n), dtype)
        for _, left in layouts(a):
            check(plain, left, np.asfortranarray(b), out)
        for _, result in layouts(out):
            check(plain, a, b, result)


@pytest.mark.parametrize("which", LOOPS)
def test_plain_loops_have_the_bits_of_the_definition(which: str) -> None:
    for dtype in (*FLOATS, "int64"):
        a, b = draw(dtype, (9, 70), 1), draw(dtype, (70, 11), 2)
        want = np.empty((9, 11), dtype)
        REFERENCE.matmul(a, b, want)
        for rung, module in RUNGS.items():
            for left, right in ((a, b), (np.asfortranarray(a), np.asfortranarray(b))):
                got = np.empty((9, 11), dtype)
                loop(module, **LOOPS[which])(left, right, got)
                assert same_bits(got, want) or (rung == "numpy" and dtype != "int64")


@pytest.mark.parametrize("which", LOOPS)
def test_plain_loops_carry_nan_and_wrap_int64(any_rung: ModuleType, which: str) -> None:
    plain = loop(any_rung, **LOOPS[which])
    a, b, out = np.ones((3, 4)), np.ones((4, 5)), np.full((3, 5), np.nan)
    a[1, 2] = np.nan
    plain(a, b, out)
    assert np.isnan(out[1]).all()
    assert (np.delete(out, 1, 0) == 4).all()
    big, wrapped = np.full((1, 2), np.iinfo(np.int64).max), np.zeros((1, 1), np.int64)
    plain(big, np.ones((2, 1), np.int64), wrapped)
    assert wrapped.item() == -2


def test_a_block_may_be_larger_than_any_array(any_rung: ModuleType) -> None:
    for block in (2**63 - 1, 2**63, 2**70):
        out = np.empty((2, 2))
        any_rung.matmul_in_blocks(np.ones((2, 3)), np.ones((3, 2)), out, block)
        assert out.tolist() == [[3.0, 3.0], [3.0, 3.0]]


def test_plain_loops_refuse_with_the_same_words(any_rung: ModuleType) -> None:
    good, bad = (np.ones((2, 3)), np.ones((3, 2)), np.ones((2, 2))), (np.ones((2, 3)), np.ones((4, 5)), np.ones((2, 5)))
    bools = (np.ones((2, 3), bool), np.ones((3, 2), bool), np.ones((2, 2), bool))
    assert outcome(any_rung.matmul_in_order, *good, "kkk") == (
        "ValueError",
        "matmul_in_order: order is 'kkk'; choose from ijk, ikj, jik, jki, kij, kji",
    )
    assert outcome(any_rung.matmul_in_blocks, *good, 0) == (
        "ValueError",
        "matmul_in_blocks: block is 0; it must be at least 1",
    )
    for order in (None, 5, b"ijk", ["ijk"]):
        refused = outcome(any_rung.matmul_in_order, *good, order)
        assert refused == outcome(REFERENCE.matmul_in_order, *good, order)
        assert refused is not None and refused[0] == "ValueError"
    assert outcome(any_rung.matmul_in_blocks, *good, -(2**70)) == (
        "ValueError",
        f"matmul_in_blocks: block is {-(2**70)}; it must be at least 1",
    )
    assert outcome(any_rung.matmul_in_blocks, *good, 2.0) == outcome(REFERENCE.matmul_in_blocks, *good, 2.0) is not None
    for name in ("matmul_in_order", "matmul_in_blocks"):
        for arguments in (bad, bools):
            refused = outcome(getattr(any_rung, name), *arguments)
            assert refused == outcome(getattr(REFERENCE, name), *arguments)
            assert refused is not None
            assert refused[1].startswith(f"{name}: ")


@pytest.mark.parametrize(
    ("a", "b", "out"),
    [
        (np.ones((2, 3)), np.ones((4, 5)), np.ones((2, 5))),
        (np.ones((2, 3)), np.ones((3, 5)), np.ones((5, 2))),
        (np.ones((2, 3)), np.ones(3), np.ones((2, 1))),
        (np.ones(3), np.ones((3, 2)), np.ones((1, 2))),
        (np.ones((1, 2, 3)), np.ones((3, 2)), np.ones((2, 2))),
        (np.ones((2, 3)), np.ones((3, 2)), np.ones(4)),
        (np.ones((2, 3)), np.ones((3, 2), np.float32), np.ones((2, 2))),
        (np.ones((2, 3)), np.ones((3, 2)), np.ones((2, 2), np.float32)),
        (np.ones((2, 3), bool), np.ones((3, 2), bool), np.ones((2, 2), bool)),
        (np.ones((2, 3), np.float16), np.ones((3, 2), np.float16), np.ones((2, 2), np.float16)),
        (np.ones((2, 3), ">f8"), np.ones((3, 2)), np.ones((2, 2))),
        (np.ones((2, 3)), np.ones((3, 2)), np.broadcast_to(np.ones((2, 2)), (2, 2))),
        (np.frombuffer(b"\0" * 17, np.uint8)[1:].view(np.float32).reshape(2, 2), *[np.ones((2, 2), np.float32)] * 2),
    ],
)
def test_every_rung_refuses_with_the_same_words(any_rung: ModuleType, a: Any, b: Any, out: Any) -> None:
    refused = outcome(any_rung.matmul, a, b, out)
    assert refused is not None
    assert refused == outcome(REFERENCE.matmul, a, b, out)


def test_the_errors_name_both_numbers() -> None:
    with pytest.raises(ValueError, match=r"^matmul: a is \(2, 3\) but b is \(4, 5\); inner sizes 3 and 4 differ$"):
        REFERENCE.matmul(np.ones((2, 3)), np.ones((4, 5)), np.ones((2, 5)))
    with pytest.raises(ValueError, match=r"^matmul: out is \(5, 2\) but a \(2, 3\) times b \(3, 5\) is \(2, 5\)$"):
        REFERENCE.matmul(np.ones((2, 3)), np.ones((3, 5)), np.ones((5, 2)))


def test_rungs_offer_the_same_functions(any_rung: ModuleType) -> None:
    assert any_rung.__all__ == REFERENCE.__all__
    assert parameters(any_rung) == parameters(REFERENCE)


STACKS = [
    ((4, 2, 3), (4, 3, 5)), ((2, 3), (4, 3, 5)), ((4, 2, 3), (3, 5)), ((2, 1, 2, 3), (4, 3, 5)), ((2, 3), (3, 5)),
    ((0, 2, 3), (0, 3, 5)), ((2, 2, 0), (2, 0, 3)), ((3, 40, 20), (3, 20, 30)),
]  # fmt: skip


@pytest.mark.parametrize("dtype", [*FLOATS, "int64"])
@pytest.mark.parametrize("shapes", STACKS)
def test_stacks_are_multiplied_one_by_one_in_every_layout(any_rung: ModuleType, shapes: Any, dtype: str) -> None:
    a, b = draw(dtype, shapes[0], 1), draw(dtype, shapes[1], 2)
    want = np.matmul(a.astype(np.longdouble), b.astype(np.longdouble))
    operands = [(left, b, np.empty(want.shape, dtype)) for _, left in layouts(a)]
    operands += [(a, right, np.empty(want.shape, dtype)) for _, right in layouts(b)]
    operands += [(a, b, out) for _, out in layouts(np.zeros(want.shape, dtype))]
    for left, right, out in operands:
        assert any_rung.matmul_batch(left, right, out) is None
        eps = 0 if dtype == "int64" else np.finfo(dtype).eps
        np.testing.assert_allclose(out, want.astype(dtype), rtol=0, atol=(a.shape[-1] + 2) * eps * 16 * a.shape[-1])


@pytest.mark.parametrize("shapes", [
    ((2, 3), (2, 3), (2, 3)), ((3,), (3, 2), (2,)), ((4, 2, 3), (5, 3, 2), (4, 2, 2)), ((4, 2, 3), (4, 3, 2), (2, 2)),
    ((2, 3), (3, 2), (4, 2, 3)),
])  # fmt: skip
def test_stacks_that_do_not_fit_are_refused_with_the_same_words(any_rung: ModuleType, shapes: Any) -> None:
    arrays = [np.zeros(shape) for shape in shapes]
    got = outcome(any_rung.matmul_batch, *arrays)
    assert got == outcome(REFERENCE.matmul_batch, *arrays)
    assert got is not None
    assert got[0] == "ValueError"
    assert got[1].startswith("matmul_batch: ")
    bools = [array.astype(bool) for array in arrays]
    assert outcome(any_rung.matmul_batch, *bools) == outcome(REFERENCE.matmul_batch, *bools)
