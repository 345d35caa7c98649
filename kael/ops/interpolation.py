"""Images of another size: each pixel of the result is a pixel of the image, or lies between its neighbours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy

from kael.autograd.op import Op
from kael.autograd.recording import record
from kael.ops.convolution import widened
from kael.ops.dispatch import rounded
from kael.ops.padding import add_back
from kael.ops.pooling import adaptive_avg_pool1d, adaptive_avg_pool2d
from kael.tensors import Tensor, fresh

NEAREST = ("nearest", "nearest-exact")
LINEAR = {"linear": 1, "bilinear": 2, "trilinear": 3}
NAMED = "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact"


def interpolate_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    places = node.attributes[0]
    inside = g.dtype.wide or g.dtype
    sizes = node.inputs[0].shape[-len(places) :]
    out = widened(g.array, inside)
    first = out.ndim - len(places)
    for axis, (place, size) in enumerate(zip(places, sizes, strict=True), first):
        out = share(out, place, axis, size)
    return fresh(rounded(out, inside, g.dtype), g.dtype)


INTERPOLATE = Op(
    "interpolate", "x at places between its pixels", interpolate_vjp, "g shared by the pixels it was taken from",
    dtypes="floating point", numpy=True,
)  # fmt: skip


def column(weights: Any, ndim: int, axis: int) -> Any:
    """Weights along one axis of an array."""
    return weights.reshape(-1, *[1] * (ndim - 1 - axis))


def take(array: Any, place: Any, axis: int) -> Any:
    """What lies at these places along an axis: a pixel, or a mixture of two neighbours."""
    low, high, weight = place
    if high is None:
        return array.take(low, axis)
    share_of_high = column(weight, array.ndim, axis)
    with numpy.errstate(all="ignore"):
        return (1 - share_of_high) * array.take(low, axis) + share_of_high * array.take(high, axis)


def share(g: Any, place: Any, axis: int, size: int) -> Any:
    """The gradient of `take`: to each pixel what was taken of it."""
    low, high, weight = place
    if high is None:
        return add_back(g, low, axis, size)
    share_of_high = column(weight, g.ndim, axis)
    with numpy.errstate(all="ignore"):
        out = add_back((1 - share_of_high) * g, low, axis, size)
        out += add_back(share_of_high * g, high, axis, size)
    return out


def scale_of(size: int, wanted: int, factor: float | None) -> float:
    """By how much of the image one pixel of the result lies from the next."""
    return 1 / factor if factor else size / wanted


def nearest(size: int, wanted: int, factor: float | None, exact: bool) -> Any:
    """The pixel for each place of the result: the one it falls into, from its corner or (exact) from its middle."""
    scale = numpy.float32(scale_of(size, wanted, factor))
    places = numpy.arange(wanted, dtype=numpy.float32)
    if exact:
        places += numpy.float32(0.5)
    return numpy.minimum(numpy.floor(places * scale).astype(int), size - 1), None, None


def between(size: int, wanted: int, factor: float | None, align_corners: bool, dtype: Any) -> Any:
    """The two neighbours of each place of the result, and the share of the second."""
    if size == wanted:
        places = numpy.arange(wanted, dtype=dtype)
    elif align_corners:
        scale = dtype.type((size - 1) / (wanted - 1) if wanted > 1 else 0)
        places = scale * numpy.arange(wanted, dtype=dtype)
    else:
        scale = dtype.type(scale_of(size, wanted, factor))
        places = numpy.maximum(scale * (numpy.arange(wanted, dtype=dtype) + dtype.type(0.5)) - dtype.type(0.5), 0)
    low = numpy.minimum(places.astype(int), size - 1)
    return low, numpy.minimum(low + 1, size - 1), (places - low).astype(dtype)


def per_axis(name: str, value: Any, sizes: Sequence[int]) -> list[Any]:
    """A size or a scale factor for each axis.

    Raises
    ------
    ValueError
        When there are more or fewer than axes.
    """
    if not isinstance(value, (tuple, list)):
        return [value] * len(sizes)
    if len(value) != len(sizes):
        what = "output size of" if name == "size" else "scale_factor of shape"
        raise ValueError(
            f"Input and {'output' if name == 'size' else name} must have the same number of spatial dimensions, but "
            f"got input with spatial dimensions of {list(sizes)} and {what} {tuple(value)}."
        )
    return list(value)


def check_mode(x: Any, mode: str, align_corners: bool | None, antialias: bool) -> None:
    """Refuse modes and axes that do not go together.

    Raises
    ------
    NotImplementedError
        For a mode that there is not, and one for another number of axes.
    ValueError
        For `align_corners` without a mode that has corners, and for `antialias`.
    """
    axes = x.array.ndim - 2
    if axes not in (1, 2, 3) or mode not in (*NEAREST, *LINEAR, "area", "bicubic"):
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {x.array.ndim}D) for the modes: {NAMED} "
            f"(got {mode})"
        )
    if align_corners is not None and mode in (*NEAREST, "area"):
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    if mode == "bicubic" or (mode == "area" and axes == 3) or antialias:
        raise NotImplementedError(f"interpolate: kael has no {'antialias' if antialias else f'mode {mode}'} here")
    if LINEAR.get(mode, axes) != axes:
        raise NotImplementedError(f"Got {axes + 2}D input, but {mode} mode needs {LINEAR[mode] + 2}D input")


def interpolate(
    x: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None, antialias: bool = False,
) -> Tensor:  # fmt: skip
    """An image of another size.

    Parameters
    ----------
    x : Tensor of shape (N, C, L), (N, C, H, W) or (N, C, D, H, W)
        The images, floating point or uint8.
    size : int or tuple of int, optional
        The size wanted.
    scale_factor : float or tuple of float, optional
        By how much larger the result is; one of the two must be given.
    mode : {"nearest", "nearest-exact", "linear", "bilinear", "trilinear", "area"}
        The pixel that a place falls into (seen from the place's corner, or its middle); a mixture of the neighbours
        along one, two or three axes; or the mean of the pixels that a place covers.
    align_corners : bool, optional
        Whether the middles of the first and last pixels, rather than their edges, lie on each other; for mixtures.
    recompute_scale_factor : bool, optional
        Whether places are worked out from the rounded size instead of from `scale_factor`.
    antialias : bool
        Not supported.

    Raises
    ------
    ValueError
        When not exactly one of `size` and `scale_factor` is given, or it is not one number per axis.
    NotImplementedError
        For modes and axes that do not go together, and for dtypes that are not taken.
    RuntimeError
        For a size below 1.

    Examples
    --------
    >>> import kael
    >>> x = kael.tensor([[[1.0, 3.0]]])
    >>> kael.nn.functional.interpolate(x, 4), kael.nn.functional.interpolate(x, 4, mode="linear")
    (tensor([[[1., 1., 3., 3.]]]), tensor([[[1.0000, 1.5000, 2.5000, 3.0000]]]))
    """
    if not isinstance(x, Tensor):
        raise TypeError(f"interpolate(): argument 'input' must be Tensor, not {type(x).__name__}")
    check_mode(x, mode, align_corners, antialias)
    sizes = x.array.shape[2:]
    factors: list[Any] = [None] * len(sizes)
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        wanted = per_axis("size", size, sizes)
        if recompute_scale_factor:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    elif scale_factor is not None:
        given = per_axis("scale_factor", scale_factor, sizes)
        wanted = [math.floor(length * factor) for length, factor in zip(sizes, given, strict=True)]
        if not recompute_scale_factor and mode != "area":
            factors = given
    else:
        raise ValueError("either size or scale_factor should be defined")
    if min(wanted) < 1 or min(sizes) < 1:
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input {tuple(sizes)} output {tuple(wanted)}"
        )
    if not (x.dtype.is_floating_point or (x.dtype.name == "uint8" and mode in NEAREST)):
        raise NotImplementedError(f'"interpolate" not implemented for {x.dtype.name}; cast it to floating point first')
    if mode == "area":
        return adaptive_avg_pool1d(x, wanted) if len(sizes) == 1 else adaptive_avg_pool2d(x, wanted)
    inside = (x.dtype.wide or x.dtype) if x.dtype.is_floating_point else x.dtype
    axes = list(zip(sizes, wanted, factors, strict=True))
    if mode in NEAREST:
        places = [nearest(*axis, mode == "nearest-exact") for axis in axes]
    else:
        places = [between(*axis, bool(align_corners), inside.numpy) for axis in axes]
    out = widened(x.array, inside)
    for axis in reversed(range(len(places))):
        out = take(out, places[axis], axis + 2)
    return record(fresh(rounded(out, inside, x.dtype), x.dtype), INTERPOLATE, (x,), (places,))
