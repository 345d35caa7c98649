"""Convolutions agree over all rungs within the stated bounds, windows and pools bit by bit, in every layout."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.kernels.parity import FLOATS, draw, layouts, outcome, parameters, same_bits
from tests.kernels.rungs import load_rungs

RUNGS = load_rungs("ch25_convolution")
REFERENCE = RUNGS["python"]
EXACT = [name for name in RUNGS if name != "numpy"]

GEOMETRIES = {
    "plain": ((2, 3, 5, 6), (4, 3, 3, 2), (3, 5), (1, 1), (0, 0), (1, 1), 1),
    "strided": ((2, 2, 7, 8), (3, 2, 3, 3), (3, 3), (2, 3), (0, 1), (1, 1), 1),
    "padded": ((1, 2, 4, 4), (2, 2, 3, 3), (4, 4), (1, 1), (1, 1), (1, 1), 1),
    "dilated": ((1, 1, 7, 6), (1, 1, 2, 3), (5, 2), (1, 1), (0, 0), (2, 2), 1),
    "groups": ((2, 4, 4, 5), (6, 2, 2, 2), (3, 4), (1, 1), (0, 0), (1, 1), 2),
    "each channel alone": ((2, 3, 4, 5), (3, 1, 3, 3), (4, 5), (1, 1), (1, 1), (1, 1), 3),
    "one pixel": ((3, 4, 2, 2), (5, 4, 1, 1), (2, 2), (1, 1), (0, 0), (1, 1), 1),
    "uneven padding": ((1, 1, 3, 4), (1, 1, 2, 4), (3, 4), (1, 1), (0, 1), (1, 1), 1),
    "beside the image": ((1, 1, 2, 2), (1, 1, 2, 2), (5, 5), (3, 3), (7, 7), (3, 3), 1),
    "kernel of the image's size": ((1, 2, 3, 3), (2, 2, 3, 3), (1, 1), (1, 1), (0, 0), (1, 1), 1),
    "no sample": ((0, 2, 3, 3), (2, 2, 2, 2), (2, 2), (1, 1), (0, 0), (1, 1), 1),
    "no channel": ((2, 0, 3, 3), (2, 0, 2, 2), (2, 2), (1, 1), (0, 0), (1, 1), 1),
    "no window": ((2, 1, 3, 3), (2, 1, 2, 2), (0, 2), (1, 1), (0, 0), (1, 1), 1),
}
"""By name: shapes of image and kernels, count of windows, stride, padding, dilation, groups."""


@pytest.fixture(params=RUNGS)
def any_rung(request: pytest.FixtureRequest) -> ModuleType:
    return RUNGS[request.param]


@pytest.fixture(params=EXACT)
def exact_rung(request: pytest.FixtureRequest) -> ModuleType:
    return RUNGS[request.param]


def meetings(geometry: Any) -> list[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:
    """Which pixel meets which weight for which result, from the definition of a convolution."""
    image, weight, windows, stride, padding, dilation, groups = geometry
    found = []
    for n, f, oy, ox, c, ky, kx in np.ndindex(image[0], weight[0], *windows, *weight[1:]):
        y = oy * stride[0] - padding[0] + ky * dilation[0]
        x = ox * stride[1] - padding[1] + kx * dilation[1]
        if 0 <= y < image[2] and 0 <= x < image[3]:
            channel = f // (weight[0] // groups) * weight[1] + c
            found.append(((n, channel, y, x), (f, c, ky, kx), (n, f, oy, ox)))
    return found


def exact(geometry: Any, task: int, first: Any, second: Any) -> tuple[Any, Any]:
    """The exact convolution or gradient and the bound on its error; task is the place of what is computed."""
    image, weight, windows = geometry[:3]
    shapes = (image, weight, (image[0], weight[0], *windows))
    total, size, count = (np.zeros(shapes[task], np.longdouble) for _ in range(3))
    others = [place for place in (2, 0, 1) if place != task] if task != 2 else [0, 1]
    for meeting in meetings(geometry):
        product = np.longdouble(first[meeting[others[0]]]) * np.longdouble(second[meeting[others[1]]])
        total[meeting[task]] += product
        size[meeting[task]] += abs(product)
        count[meeting[task]] += 1
    return total, (count.max(initial=0) + 3) * np.finfo(first.dtype).eps * size


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("which", GEOMETRIES)
class TestConvolution:
    def test_forward_is_within_the_bound(self, any_rung: ModuleType, dtype: str, which: str) -> None:
        geometry = GEOMETRIES[which]
        x, weight = draw(dtype, geometry[0], 1), draw(dtype, geometry[1], 2)
        bias = draw(dtype, geometry[1][:1], 3)
        want, bound = exact(geometry, 2, x, weight)
        out = np.full(want.shape, np.nan, dtype)
        any_rung.conv2d(x, weight, None, out, *geometry[3:])
        assert np.all(np.abs(out - want) <= bound)
        any_rung.conv2d(x, weight, bias, out, *geometry[3:])
        added = bias[:, None, None]
        assert np.all(np.abs(out - (want + added)) <= bound + np.finfo(dtype).eps * np.abs(want + added))

    def test_gradient_of_the_image_is_within_the_bound(self, any_rung: ModuleType, dtype: str, which: str) -> None:
        geometry = GEOMETRIES[which]
        g, weight = draw(dtype, (geometry[0][0], geometry[1][0], *geometry[2]), 1), draw(dtype, geometry[1], 2)
        want, bound = exact(geometry, 0, g, weight)
        out = np.full(want.shape, np.nan, dtype)
        any_rung.conv2d_input_vjp(g, weight, out, *geometry[3:])
        assert np.all(np.abs(out - want) <= bound)

    def test_gradient_of_the_weight_is_within_the_bound(self, any_rung: ModuleType, dtype: str, which: str) -> None:
        geometry = GEOMETRIES[which]
        g, x = draw(dtype, (geometry[0][0], geometry[1][0], *geometry[2]), 1), draw(dtype, geometry[0], 2)
        want, bound = exact(geometry, 1, g, x)
        out = np.full(want.shape, np.nan, dtype)
        any_rung.conv2d_weight_vjp(g, x, out, *geometry[3:])
        assert np.all(np.abs(out - want) <= bound)

    def test_windows_are_copied_and_added_with_the_same_bits(
        self, any_rung: ModuleType, dtype: str, which: str
    ) -> None:
        image, weight, windows, stride, padding, dilation, _ = GEOMETRIES[which]
        x = draw(dtype, image)
        got, want = (np.full((*image[:2], *weight[2:], *windows), np.nan, dtype) for _ in range(2))
        any_rung.unfold2d(x, got, stride, padding, dilation)
        REFERENCE.unfold2d(x, want, stride, padding, dilation)
        assert same_bits(got, want)
        back, wanted = np.full(image, np.nan, dtype), np.full(image, np.nan, dtype)
        columns = draw(dtype, got.shape, 5)
        any_rung.fold2d(columns, back, stride, padding, dilation)
        REFERENCE.fold2d(columns, wanted, stride, padding, dilation)
        assert same_bits(back, wanted)


def test_many_samples_are_taken_a_few_at_a_time(any_rung: ModuleType) -> None:
    x, weight = draw("float64", (37, 4, 16, 16), 1), draw("float64", (2, 4, 3, 3), 2)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    out = np.empty((37, 2, 16, 16))
    any_rung.conv2d(x, weight, None, out, padding=(1, 1))
    np.testing.assert_allclose(out, np.einsum("ncyxij,fcij->nfyx", windows, weight), rtol=1e-11, atol=1e-11)
    g, gradient = draw("float64", out.shape, 3), np.empty_like(weight)
    any_rung.conv2d_weight_vjp(g, x, gradient, padding=(1, 1))
    np.testing.assert_allclose(gradient, np.einsum("ncyxij,nfyx->fcij", windows, g), rtol=1e-9, atol=1e-9)
    image = np.empty_like(x)
    any_rung.conv2d_input_vjp(g, weight, image, padding=(1, 1))
    assert np.vdot(image, x) == pytest.approx(np.vdot(out, g), rel=1e-10)


def test_convolutions_take_every_layout(any_rung: ModuleType) -> None:
    geometry = GEOMETRIES["strided"]
    x, weight, bias = draw("float64", geometry[0], 1), draw("float64", geometry[1], 2), draw("float64", (3,), 3)
    g = draw("float64", (2, 3, 3, 3), 4)
    steps = geometry[3:]
    want, image, kernels = np.empty_like(g), np.empty_like(x), np.empty_like(weight)
    any_rung.conv2d(x, weight, bias, want, *steps)
    any_rung.conv2d_input_vjp(g, weight, image, *steps)
    any_rung.conv2d_weight_vjp(g, x, kernels, *steps)
    for (_, a), (_, w), (_, b), (_, r), (_, o) in zip(
        layouts(x),
        layouts(weight),
        [*layouts(bias), *layouts(bias)],
        layouts(g),
        layouts(np.zeros_like(g)),
        strict=False,
    ):
        any_rung.conv2d(a, w, b, o, *steps)
        np.testing.assert_allclose(o, want, rtol=1e-12)
        any_rung.conv2d_input_vjp(r, w, a, *steps)
        np.testing.assert_allclose(a, image, rtol=1e-12)
        a[...] = x
        any_rung.conv2d_weight_vjp(r, a, w, *steps)
        np.testing.assert_allclose(w, kernels, rtol=1e-12)


def test_windows_take_every_layout(any_rung: ModuleType) -> None:
    x, columns = draw("float32", (2, 2, 4, 5)), draw("float32", (2, 2, 2, 3, 3, 4), 1)
    want, back = np.empty_like(columns), np.empty_like(x)
    REFERENCE.unfold2d(x, want, (1, 1), (0, 1))
    REFERENCE.fold2d(columns, back, (1, 1), (0, 1))
    for (_, a), (_, c) in zip(layouts(x), layouts(columns), strict=True):
        any_rung.fold2d(c, a, (1, 1), (0, 1))
        assert same_bits(a, back)
        a[...] = x
        any_rung.unfold2d(a, c, (1, 1), (0, 1))
        assert same_bits(c, want)


def test_int64_wraps(any_rung: ModuleType) -> None:
    big = np.full((1, 1, 1, 2), np.iinfo(np.int64).max)
    ones, out, image = np.ones((1, 1, 1, 2), np.int64), np.zeros((1, 1, 1, 1), np.int64), np.zeros_like(big)
    any_rung.conv2d(big, ones, np.array([5]), out)
    assert out.item() == 3
    any_rung.conv2d_input_vjp(big, ones, image, padding=(0, 1), stride=(1, 1))
    assert image.tolist() == [[[[-2, np.iinfo(np.int64).max]]]]
    any_rung.conv2d_weight_vjp(np.ones((1, 1, 1, 1), np.int64), big, ones)
    assert ones.tolist() == big.tolist()


def spans(*windows: tuple[int, int, int]) -> Any:
    return np.array(windows, np.int64).reshape(-1, 3)


POOLS = {
    "plain": ((2, 3, 4, 6), spans((0, 2, 1), (2, 4, 1)), spans((0, 3, 1), (3, 6, 1))),
    "overlapping": ((1, 2, 4, 5), spans((0, 3, 1), (1, 4, 1)), spans((0, 2, 1), (1, 3, 1), (2, 4, 1), (3, 5, 1))),
    "dilated": ((1, 1, 5, 5), spans((0, 5, 2), (1, 5, 2)), spans((0, 4, 3), (1, 5, 3))),
    "uneven": ((2, 1, 5, 3), spans((0, 2, 2), (1, 4, 3), (3, 5, 2)), spans((0, 1, 1), (0, 3, 4))),
    "a window of nothing": ((1, 1, 3, 3), spans((0, 3, 1), (3, 3, 2)), spans((1, 2, 1))),
    "no sample": ((0, 3, 4, 4), spans((0, 2, 1)), spans((0, 2, 1))),
    "no window": ((2, 1, 3, 3), spans(), spans((0, 2, 1))),
}
"""By name: the shape of the image, and its windows along both axes."""


def pooled(module: ModuleType, x: Any, rows: Any, columns: Any) -> tuple[Any, Any]:
    out = np.full((*x.shape[:2], len(rows), len(columns)), 7, x.dtype)
    indices = np.full(out.shape, 7)
    module.max_pool2d(x, out, indices, rows, columns)
    return out, indices


@pytest.mark.parametrize("which", POOLS)
class TestPools:
    @pytest.mark.parametrize("dtype", [*FLOATS, "int64"])
    def test_the_largest_and_its_place_are_the_same(self, any_rung: ModuleType, dtype: str, which: str) -> None:
        image, rows, columns = POOLS[which]
        x = np.round(draw(dtype, image)).astype(dtype)
        if dtype != "int64" and x.size:
            x[0, 0, 0, 1] = x[0, 0, 1, 1] = np.nan
            x[-1, -1, 2:] = -np.inf
        want = pooled(REFERENCE, x, rows, columns)
        for _, laid in layouts(x):
            got = pooled(any_rung, laid, rows, columns)
            assert same_bits(got[0], want[0])
            assert np.array_equal(got[1], want[1])

    @pytest.mark.parametrize("dtype", FLOATS)
    def test_its_gradient_is_the_same(self, any_rung: ModuleType, dtype: str, which: str) -> None:
        image, rows, columns = POOLS[which]
        indices = pooled(REFERENCE, draw(dtype, image), rows, columns)[1]
        g = draw(dtype, indices.shape, 1)
        want = np.empty(image, dtype)
        REFERENCE.max_pool2d_vjp(g, indices, want)
        for (_, a), (_, i), (_, o) in zip(layouts(g), layouts(indices), layouts(want), strict=True):
            o[...] = 7
            any_rung.max_pool2d_vjp(a, i, o)
            assert same_bits(o, want)

    @pytest.mark.parametrize("divisor", [0, 3, -2])
    @pytest.mark.parametrize("dtype", FLOATS)
    def test_means_have_the_same_bits(self, exact_rung: ModuleType, dtype: str, which: str, divisor: int) -> None:
        image, rows, columns = POOLS[which]
        x = draw(dtype, image)
        want = np.empty((*image[:2], len(rows), len(columns)), dtype)
        REFERENCE.avg_pool2d(x, want, rows, columns, divisor)
        for (_, a), (_, o) in zip(layouts(x), layouts(want), strict=True):
            o[...] = 7
            exact_rung.avg_pool2d(a, o, rows, columns, divisor)
            assert same_bits(o, want)

    @pytest.mark.parametrize("dtype", FLOATS)
    def test_the_gradient_of_means_has_the_same_bits(self, any_rung: ModuleType, dtype: str, which: str) -> None:
        image, rows, columns = POOLS[which]
        g = draw(dtype, (*image[:2], len(rows), len(columns)), 1)
        want = np.empty(image, dtype)
        REFERENCE.avg_pool2d_vjp(g, want, rows, columns)
        for (_, a), (_, o) in zip(layouts(g), layouts(want), strict=True):
            o[...] = 7
            any_rung.avg_pool2d_vjp(a, o, rows, columns)
            assert same_bits(o, want)


@pytest.mark.parametrize("dtype", FLOATS)
def test_numpy_means_are_within_the_bound_of_a_sum(dtype: str) -> None:
    x, rows = draw(dtype, (2, 2, 9, 9)), spans((0, 9, 9), (2, 7, 5))
    got, want = np.empty((2, 2, 2, 2), dtype), np.empty((2, 2, 2, 2), dtype)
    RUNGS["numpy"].avg_pool2d(x, got, rows, rows)
    REFERENCE.avg_pool2d(x, want, rows, rows)
    assert np.all(np.abs(got - want) <= 81 * np.finfo(dtype).eps * np.abs(x).max())


def test_a_place_outside_of_the_image_gets_nothing(any_rung: ModuleType) -> None:
    out = np.empty((1, 1, 1, 2))
    any_rung.max_pool2d_vjp(np.array([[[[1.0, 2.0, 4.0]]]]), np.array([[[[-1, 1, 2]]]]), out)
    assert out.tolist() == [[[[0.0, 2.0]]]]


IMAGE, KERNELS, RESULT = np.ones((1, 4, 3, 3)), np.ones((2, 4, 2, 2)), np.ones((1, 2, 2, 2))
PLACES, ROWS = np.zeros((1, 4, 1, 1), np.int64), spans((0, 2, 1))
POOL = np.ones((1, 4, 1, 1))
READ_ONLY = np.broadcast_to(np.ones(()), (1, 2, 2, 2))
ODD = np.frombuffer(b"\0" * 17, np.uint8)[1:].view(np.float32).reshape(1, 1, 2, 2)

REFUSED = {
    "types": ("conv2d", IMAGE, KERNELS.astype("f4"), None, RESULT),
    "type of the bias": ("conv2d", IMAGE, KERNELS, np.ones(2, "f4"), RESULT),
    "bool": ("conv2d", IMAGE > 0, KERNELS > 0, None, RESULT > 0),
    "float16": ("conv2d", IMAGE.astype("f2"), KERNELS.astype("f2"), None, RESULT.astype("f2")),
    "byte order": ("conv2d", IMAGE.astype(">f8"), KERNELS, None, RESULT),
    "axes of the image": ("conv2d", IMAGE[0], KERNELS, None, RESULT),
    "axes of the kernels": ("conv2d", IMAGE, KERNELS[0], None, RESULT),
    "axes of out": ("conv2d", IMAGE, KERNELS, None, RESULT[0]),
    "shape of the bias": ("conv2d", IMAGE, KERNELS, np.ones((2, 1)), RESULT),
    "size of the bias": ("conv2d", IMAGE, KERNELS, np.ones(3), RESULT),
    "channels": ("conv2d", IMAGE[:, :3], KERNELS, None, RESULT),
    "filters": ("conv2d", IMAGE, KERNELS, None, np.ones((1, 3, 2, 2))),
    "samples": ("conv2d", IMAGE, KERNELS, None, np.ones((2, 2, 2, 2))),
    "groups": ("conv2d", IMAGE, KERNELS, None, RESULT, (1, 1), (0, 0), (1, 1), 3),
    "no groups": ("conv2d", IMAGE, KERNELS, None, RESULT, (1, 1), (0, 0), (1, 1), 0),
    "groups of channels": ("conv2d", IMAGE, KERNELS, None, RESULT, (1, 1), (0, 0), (1, 1), 2),
    "stride": ("conv2d", IMAGE, KERNELS, None, RESULT, (0, 1)),
    "padding": ("conv2d", IMAGE, KERNELS, None, RESULT, (1, 1), (0, -1)),
    "dilation": ("conv2d", IMAGE, KERNELS, None, RESULT, (1, 1), (0, 0), (1, 0)),
    "a stride of three": ("conv2d", IMAGE, KERNELS, None, RESULT, (1, 1, 1)),
    "read-only": ("conv2d", IMAGE, KERNELS, None, READ_ONLY),
    "not aligned": ("conv2d", ODD, np.ones((1, 1, 1, 1), "f4"), None, np.ones((1, 1, 2, 2), "f4")),
    "gradient of the image": ("conv2d_input_vjp", RESULT, KERNELS, np.ones((1, 3, 3, 3))),
    "gradient of the kernels": ("conv2d_weight_vjp", RESULT, IMAGE, np.ones((2, 3, 2, 2))),
    "gradient of other filters": ("conv2d_weight_vjp", RESULT, IMAGE, np.ones((3, 4, 2, 2))),
    "axes of columns": ("unfold2d", IMAGE, np.ones((1, 4, 2, 2, 4))),
    "channels of columns": ("fold2d", np.ones((1, 3, 2, 2, 2, 2)), IMAGE),
    "types of columns": ("fold2d", np.ones((1, 4, 2, 2, 2, 2), "f4"), IMAGE),
    "axes of a folded image": ("fold2d", np.ones((1, 4, 2, 2, 2, 2)), IMAGE[0]),
    "stride of columns": ("unfold2d", IMAGE, np.ones((1, 4, 2, 2, 2, 2)), (0, 0)),
    "type of places": ("max_pool2d", IMAGE, POOL, PLACES.astype(float), ROWS, ROWS),
    "shape of places": ("max_pool2d", IMAGE, POOL, PLACES[:, :2], ROWS, ROWS),
    "read-only places": ("max_pool2d", IMAGE, POOL, np.broadcast_to(PLACES[:, :1], PLACES.shape), ROWS, ROWS),
    "axes of a pool": ("max_pool2d", IMAGE, POOL[0], PLACES[0], ROWS, ROWS),
    "channels of a pool": ("max_pool2d", IMAGE, POOL[:, :2], PLACES[:, :2], ROWS, ROWS),
    "bool pool": ("max_pool2d", IMAGE > 0, POOL > 0, PLACES, ROWS, ROWS),
    "count of windows": ("max_pool2d", IMAGE, POOL, PLACES, ROWS, spans((0, 2, 1), (1, 3, 1))),
    "type of windows": ("max_pool2d", IMAGE, POOL, PLACES, ROWS.astype(float), ROWS),
    "a window before the image": ("max_pool2d", IMAGE, POOL, PLACES, spans((-1, 2, 1)), ROWS),
    "a window behind the image": ("avg_pool2d", IMAGE, POOL, ROWS, spans((0, 4, 4))),
    "a window of no step": ("avg_pool2d_vjp", POOL, IMAGE, spans((0, 2, 0)), ROWS),
    "mean of int64": ("avg_pool2d", IMAGE.astype(int), POOL.astype(int), ROWS, ROWS),
    "types of a mean": ("avg_pool2d", IMAGE, POOL.astype("f4"), ROWS, ROWS),
    "gradient of int64": ("max_pool2d_vjp", POOL.astype(int), PLACES, IMAGE.astype(int)),
    "gradient and places": ("max_pool2d_vjp", POOL, PLACES[:, :2], IMAGE),
    "gradient and image": ("max_pool2d_vjp", POOL[:, :2], PLACES[:, :2], IMAGE),
    "type of places of a gradient": ("max_pool2d_vjp", POOL, PLACES.astype("f8"), IMAGE),
}


@pytest.mark.parametrize("which", REFUSED)
def test_every_rung_refuses_with_the_same_words(any_rung: ModuleType, which: str) -> None:
    name, *arguments = REFUSED[which]
    refused = outcome(getattr(any_rung, name), *arguments)
    assert refused is not None
    assert refused == outcome(getattr(REFERENCE, name), *arguments)
    assert refused[0] in ("TypeError", "ValueError")


def test_the_errors_name_both_numbers() -> None:
    with pytest.raises(ValueError, match=r"^conv2d: x has 3 channels, but 1 groups of 4 are 4$"):
        REFERENCE.conv2d(IMAGE[:, :3], KERNELS, None, RESULT)
    with pytest.raises(ValueError, match=r"^conv2d_input_vjp: out has 3 channels, but 1 groups of 4 are 4$"):
        REFERENCE.conv2d_input_vjp(RESULT, KERNELS, np.ones((1, 3, 3, 3)))


def test_rungs_offer_the_same_functions(any_rung: ModuleType) -> None:
    assert any_rung.__all__ == REFERENCE.__all__
    assert parameters(any_rung) == parameters(REFERENCE)
