"""The indexing kernels: what they compute, and that every rung computes and refuses the same."""

import numpy as np
import pytest

from chapters.flat import Buffer
from tests.kernels.parity import DTYPES, awkward, draw, layouts, outcome, parameters, same_bits
from tests.kernels.rungs import load_rungs

RUNGS = load_rungs("ch08_indexing")
REFERENCE = RUNGS["python"]
OTHERS = {name: module for name, module in RUNGS.items() if name != "python"}

SHAPES = [(5,), (1,), (0,), (3, 4), (2, 0), (2, 3, 4), (3, 1, 2)]
ROWS = [
    ((7,), (1, 4)),
    ((5, 3), (1, 2, 2)),
    ((5, 3), (2, 6)),
    ((4, 1, 3), (2, 0)),
    ((2, 3, 4), (1, 3)),
    ((6, 0), (1, 2)),
]
ROWS += [((3, 2), (1,)), ((2, 3, 4, 2), (2, 5)), ((1,), (1, 3, 1))]


def places(shape, size, seed=0):
    """Places below a size, several of them equal."""
    return np.random.default_rng(seed).integers(0, max(size, 1), shape)


def coordinates(shape, sizes):
    """Coordinates below the sizes of the axes that they index."""
    return np.stack([places(shape[1:], sizes[axis], axis) for axis in range(shape[0])])


def along_cases():
    """Table shape, index shape and axis: indices longer than the table, and shorter ones."""
    for shape in SHAPES:
        for axis, size in enumerate(shape):
            yield shape, shape, axis
            if size:
                yield shape, (*shape[:axis], 2 * size + 1, *shape[axis + 1 :]), axis
            yield shape, tuple(min(1, own) if d != axis else 3 * bool(size) for d, own in enumerate(shape)), axis


ALONG = list(along_cases())


@pytest.fixture(params=OTHERS)
def rung(request):
    return OTHERS[request.param]


def test_there_are_the_same_kernels_on_every_rung(rung):
    assert rung.__all__ == REFERENCE.__all__
    assert parameters(rung) == parameters(REFERENCE)


class TestAlong:
    @pytest.mark.parametrize("dtype", DTYPES)
    @pytest.mark.parametrize(("shape", "index_shape", "axis"), ALONG)
    def test_gather_is_the_same_on_every_rung(self, rung, dtype, shape, index_shape, axis):
        x, index = draw(dtype, shape), places(index_shape, shape[axis])
        want, got = np.empty(index_shape, dtype), np.empty(index_shape, dtype)
        REFERENCE.gather(x, index, axis, want)
        rung.gather(x, index, axis, got)
        assert same_bits(got, want)

    @pytest.mark.parametrize("kernel", ["scatter_add", "scatter"])
    @pytest.mark.parametrize("dtype", DTYPES)
    @pytest.mark.parametrize(("shape", "index_shape", "axis"), ALONG)
    def test_writing_and_adding_are_the_same_on_every_rung(self, rung, kernel, dtype, shape, index_shape, axis):
        base, index, src = draw(dtype, shape), places(index_shape, shape[axis]), draw(dtype, index_shape, 1)
        want, got = base.copy(), base.copy()
        getattr(REFERENCE, kernel)(index, src, axis, want)
        getattr(rung, kernel)(index, src, axis, got)
        assert same_bits(got, want)

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_layouts_do_not_matter(self, rung, dtype):
        x, index, src = draw(dtype, (3, 4, 2)), places((3, 5, 2), 4), draw(dtype, (3, 5, 2), 1)
        read, added, written = np.empty((3, 5, 2), dtype), x.copy(), x.copy()
        REFERENCE.gather(x, index, 1, read)
        REFERENCE.scatter_add(index, src, 1, added)
        REFERENCE.scatter(index, src, 1, written)
        for _, table in layouts(x):
            for _, where in layouts(index):
                for _, line in layouts(src):
                    out = line.copy("K")
                    rung.gather(table, where, 1, out)
                    assert same_bits(out, read)
                    total = table.copy("K")
                    rung.scatter_add(where, line, 1, total)
                    assert same_bits(total, added)
                    total = table.copy("K")
                    rung.scatter(where, line, 1, total)
                    assert same_bits(total, written)

    def test_gather_reads_what_the_index_names(self, rung):
        x = np.array([[1.0, 2.0], [3.0, 4.0]])
        out = np.empty((2, 2))
        rung.gather(x, np.array([[1, 1], [0, 1]]), 1, out)
        assert out.tolist() == [[2.0, 2.0], [3.0, 4.0]]

    def test_an_expanded_index_reads_whole_rows(self, rung):
        x = draw("float64", (4, 3))
        index = np.broadcast_to(np.array([[2], [0], [2]]), (3, 3))
        out = np.empty((3, 3))
        rung.gather(x, index, 0, out)
        assert np.array_equal(out, x[[2, 0, 2]])


class TestRows:
    @pytest.mark.parametrize("dtype", DTYPES)
    @pytest.mark.parametrize(("shape", "index_shape"), ROWS)
    def test_rows_are_the_same_on_every_rung(self, rung, dtype, shape, index_shape):
        x, index = draw(dtype, shape), coordinates(index_shape, shape)
        line = (*index_shape[1:], *shape[index_shape[0] :])
        want, got = np.empty(line, dtype), np.empty(line, dtype)
        REFERENCE.gather_rows(x, index, want)
        rung.gather_rows(x, index, got)
        assert same_bits(got, want)
        assert same_bits(got, x[tuple(index)])
        for kernel in ("scatter_add_rows", "scatter_rows"):
            want, got = x.copy(), x.copy()
            getattr(REFERENCE, kernel)(index, draw(dtype, line, 1), want)
            getattr(rung, kernel)(index, draw(dtype, line, 1), got)
            assert same_bits(got, want)

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_layouts_do_not_matter(self, rung, dtype):
        x, index = draw(dtype, (3, 4, 2, 3)), coordinates((2, 5, 2), (3, 4))
        src = draw(dtype, (5, 2, 2, 3), 1)
        read, added, written = x[tuple(index)], x.copy(), x.copy()
        REFERENCE.scatter_add_rows(index, src, added)
        REFERENCE.scatter_rows(index, src, written)
        for _, table in layouts(x):
            for _, where in layouts(index):
                for _, line in layouts(src):
                    out = line.copy("K")
                    rung.gather_rows(table, where, out)
                    assert same_bits(out, read)
                    total = table.copy("K")
                    rung.scatter_add_rows(where, line, total)
                    assert same_bits(total, added)
                    total = table.copy("K")
                    rung.scatter_rows(where, line, total)
                    assert same_bits(total, written)


class TestOrder:
    """Sums of many numbers of many sizes, whose last bits tell the order in which they were added."""

    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_places_named_often_round_alike_on_every_rung(self, rung, dtype):
        random = np.random.default_rng(3)
        src = (random.standard_normal((40, 50)) * 10.0 ** random.integers(-3, 4, (40, 50))).astype(dtype)
        for _, index in layouts(random.integers(0, 3, (40, 50))):
            for _, line in layouts(src):
                want, got = np.zeros((3, 50), dtype), np.zeros((3, 50), dtype)
                REFERENCE.scatter_add(index, line, 0, want)
                rung.scatter_add(index, line, 0, got)
                assert same_bits(got, want)
        for _, index in layouts(random.integers(0, 3, (1, 40))):
            want, got = np.zeros((3, 50), dtype), np.zeros((3, 50), dtype)
            REFERENCE.scatter_add_rows(index, src, want)
            rung.scatter_add_rows(index, src, got)
            assert same_bits(got, want)
        for _, index in layouts(random.integers(0, 2, (3, 40, 50))):
            for _, line in layouts(src):
                want, got = np.zeros((2, 2, 2), dtype), np.zeros((2, 2, 2), dtype)
                REFERENCE.scatter_add_rows(index, line, want)
                rung.scatter_add_rows(index, line, got)
                assert same_bits(got, want)

    def test_the_last_element_written_to_a_place_stays(self, rung):
        random = np.random.default_rng(4)
        src = np.arange(2000.0).reshape(40, 50)
        for _, index in layouts(random.integers(0, 3, (40, 50))):
            for _, line in layouts(src):
                want, got = np.zeros((3, 50)), np.zeros((3, 50))
                REFERENCE.scatter(index, line, 0, want)
                rung.scatter(index, line, 0, got)
                assert same_bits(got, want)
        for _, index in layouts(random.integers(0, 2, (3, 40, 50))):
            for _, line in layouts(src):
                want, got = np.zeros((2, 2, 2)), np.zeros((2, 2, 2))
                REFERENCE.scatter_rows(index, line, want)
                rung.scatter_rows(index, line, got)
                assert same_bits(got, want)

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_awkward_values_are_read_and_added_alike(self, rung, dtype):
        x = awkward(dtype)
        index = places((3 * len(x),), len(x))
        want, got = np.empty(len(index), dtype), np.empty(len(index), dtype)
        REFERENCE.gather(x, index, 0, want)
        rung.gather(x, index, 0, got)
        assert same_bits(got, want)
        with np.errstate(all="ignore"):
            want, got = x.copy(), x.copy()
            REFERENCE.scatter_add(index, got[index], 0, want)
            rung.scatter_add(index, x[index], 0, got)
        assert same_bits(got, want)


class TestAdjoints:
    def test_each_kernel_that_adds_is_the_adjoint_of_the_one_that_reads(self, rung):
        x, index = draw("float64", (4, 3)), places((6, 3), 4)
        line, out, back = draw("float64", (6, 3), 1), np.empty((6, 3)), np.zeros((4, 3))
        rung.gather(x, index, 0, out)
        rung.scatter_add(index, line, 0, back)
        assert np.vdot(out, line) == pytest.approx(np.vdot(x, back), rel=1e-12)
        rows, back = places((1, 6), 4), np.zeros((4, 3))
        rung.gather_rows(x, rows, out)
        rung.scatter_add_rows(rows, line, back)
        assert np.vdot(out, line) == pytest.approx(np.vdot(x, back), rel=1e-12)


X = np.arange(6.0).reshape(2, 3)
LINE = np.zeros((2, 3))
INDEX = np.zeros((2, 3), np.int64)
ROW = np.zeros((1, 2), np.int64)


def frozen(array):
    """A read-only copy."""
    array = array.copy()
    array.flags.writeable = False
    return array


def unaligned(array):
    """The same values at an odd address."""
    raw = np.zeros(array.nbytes + 1, np.uint8)
    result = raw[1:].view(array.dtype).reshape(array.shape)
    result[...] = array
    return result


BAD = {
    "index of floats": ("gather", X, LINE, 0, LINE),
    "two types": ("gather", X, INDEX, 0, LINE.astype("float32")),
    "an unknown type": ("gather", X.astype("float16"), INDEX, 0, LINE.astype("float16")),
    "a negative axis": ("gather", X, INDEX, -1, LINE),
    "no such axis": ("gather", X, INDEX, 2, LINE),
    "out of another shape": ("gather", X, INDEX, 0, LINE[:1]),
    "index of fewer axes": ("gather", X, INDEX[0], 0, LINE[0]),
    "index too long beside the axis": ("gather", X, np.zeros((3, 3), np.int64), 1, np.zeros((3, 3))),
    "a place too high": ("gather", X, INDEX + 2, 0, LINE),
    "a place below 0": ("gather", X, INDEX - 1, 0, LINE),
    "a place in nothing": ("gather", X[:0], INDEX[:1], 0, LINE[:1]),
    "a read-only out": ("gather", X, INDEX, 0, frozen(LINE)),
    "an unaligned index": ("gather", X, unaligned(INDEX), 0, LINE),
    "an unaligned table": ("scatter_add", INDEX, LINE, 0, unaligned(X)),
    "another byte order": ("gather", X.astype(">f8"), INDEX, 0, LINE),
    "adding a place too high": ("scatter_add", INDEX + 3, LINE, 1, X),
    "adding two types": ("scatter_add", INDEX, LINE.astype("int64"), 1, X),
    "adding into a read-only out": ("scatter_add", INDEX, LINE, 1, frozen(X)),
    "adding of another shape": ("scatter_add", INDEX, LINE[:, :1], 1, X),
    "writing a place too high": ("scatter", INDEX + 3, LINE, 1, X),
    "writing two types": ("scatter", INDEX, LINE.astype("int64"), 1, X),
    "writing rows of another shape": ("scatter_rows", ROW, LINE[:, :2], X),
    "writing a row too high": ("scatter_rows", ROW + 2, LINE, X),
    "rows of floats": ("gather_rows", X, LINE, LINE),
    "rows without coordinates": ("gather_rows", X, INDEX[0, 0, ...], LINE),
    "rows of no coordinates": ("gather_rows", X, INDEX[:0], LINE),
    "too many coordinates": ("gather_rows", X, np.zeros((3, 2), np.int64), LINE),
    "rows of another shape": ("gather_rows", X, ROW, LINE[:1]),
    "a row too high": ("gather_rows", X, ROW + 2, LINE),
    "a second coordinate too high": ("gather_rows", X, np.array([[0], [3]]), LINE[0, :1]),
    "adding a row below 0": ("scatter_add_rows", ROW - 1, LINE, X),
    "adding rows of another shape": ("scatter_add_rows", ROW, LINE[:, :2], X),
}


class TestRefused:
    @pytest.mark.parametrize("case", BAD)
    def test_every_rung_refuses_in_the_same_words(self, rung, case):
        name, *operands = BAD[case]
        want = outcome(getattr(REFERENCE, name), *operands)
        assert want is not None
        assert outcome(getattr(rung, name), *operands) == want

    @pytest.mark.parametrize("module", RUNGS.values(), ids=RUNGS)
    def test_the_error_names_the_place_and_the_size(self, module):
        with pytest.raises(IndexError, match=r"^gather: index 2 is out of bounds for axis 0 with size 2$"):
            module.gather(X, INDEX + 2, 0, LINE)

    @pytest.mark.parametrize("module", RUNGS.values(), ids=RUNGS)
    def test_nothing_is_added_when_a_place_is_refused(self, module):
        total = np.zeros(3)
        with pytest.raises(IndexError, match="index 7"):
            module.scatter_add(np.array([0, 7]), np.ones(2), 0, total)
        assert total.tolist() == [0.0, 0.0, 0.0]

    def test_lists_are_for_the_reference(self, rung):
        with pytest.raises(TypeError, match=r"^gather: x is a list; this rung takes NumPy arrays$"):
            rung.gather([1.0], INDEX, 0, LINE)
        out = Buffer([0, 0])
        REFERENCE.gather([1.0, 2.0], Buffer([1, 1], typecode="q"), 0, out)
        assert out.tolist() == [2.0, 2.0]
