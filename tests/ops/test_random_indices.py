"""Index expressions drawn at random select, write and differentiate as in NumPy and PyTorch.

Left out is what the two libraries read in different ways: nested lists, uint8 masks, two ellipses, and integers beside
arrays, which NumPy counts among the arrays and PyTorch takes first; the last are compared with PyTorch alone. An
ellipsis that stands for no axis parts two arrays in NumPy and not in PyTorch: NumPy is asked without it.
"""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import kael
from tests.fuzzing import examples, the_same_ones

torch = pytest.importorskip("torch")

ERRORS = (IndexError, ValueError, RuntimeError, TypeError)
SHAPES = st.sampled_from([(2, 3, 4), (3, 2, 2, 3), (4, 3), (3, 1, 2), (5,), (2, 2), (1, 4, 2), (2, 0, 3), (0,), ()])
EVERY = settings(
    max_examples=examples(300), deadline=None, derandomize=the_same_ones(), suppress_health_check=list(HealthCheck)
)


@st.composite
def indices(draw, shape, wrong=True):
    """Parts of an index into a shape, as NumPy has them: now and then out of bounds, or of another shape."""
    together = draw(st.lists(st.integers(1, 3), max_size=2).map(tuple))
    parts, axis, ellipsis = [], 0, False
    while axis < len(shape) or draw(st.integers(0, 5)) == 0:
        if len(parts) > 6:
            break
        size = shape[axis] if axis < len(shape) else 1
        low, high = (
            -size - (wrong and draw(st.integers(0, 9)) == 0),
            size - 1 + (wrong and draw(st.integers(0, 9)) == 0),
        )
        kind = draw(
            st.sampled_from(
                ["int", "slice", "slice", "array", "list", "mask", "none", "ellipsis", "bool", "0-d", "stop"]
            )
        )
        if kind == "stop":
            break
        if kind == "none":
            parts.append(None)
        elif kind == "ellipsis":
            if not ellipsis:
                parts.append(...)
                ellipsis = True
                axis = min(len(shape), axis + draw(st.integers(0, len(shape))))
        elif kind == "bool":
            parts.append(draw(st.booleans()))
        elif kind == "slice":
            bound = st.none() | st.integers(-size - 2, size + 2)
            parts.append(slice(draw(bound), draw(bound), draw(st.none() | st.integers(1, 3))))
            axis += 1
        elif kind == "mask":
            count = draw(st.integers(1, 2))
            sizes = shape[axis : axis + count]
            parts.append(np.array(draw(st.lists(st.booleans(), min_size=math.prod(sizes), max_size=math.prod(sizes))),
                                  bool).reshape(sizes))  # fmt: skip
            axis += len(sizes)
        elif low > high:
            parts.append(slice(None))
            axis += 1
        else:
            place = st.integers(low, high)
            if kind == "int":
                parts.append(draw(place))
            elif kind == "0-d":
                parts.append(np.array(draw(place)))
            elif kind == "list":
                parts.append(draw(st.lists(place, min_size=1, max_size=3)))
            else:
                sizes = together[draw(st.integers(0, len(together))) :]
                sizes = tuple(draw(st.sampled_from([n, n, 1])) for n in sizes)
                count = math.prod(sizes)
                parts.append(np.array(draw(st.lists(place, min_size=count, max_size=count)), np.int64).reshape(sizes))
            axis += 1
    return tuple(parts)


def arrays_in(index):
    return [part for part in index if isinstance(part, (list, np.ndarray, bool)) and not is_zero_d(part)]


def is_zero_d(part):
    """Whether a part is an integer, written as such or as a 0-d array."""
    return (isinstance(part, int) and not isinstance(part, bool)) or (
        isinstance(part, np.ndarray) and part.ndim == 0 and part.dtype != bool
    )


def for_numpy(index, shape):
    """The index as NumPy is given it."""
    taken = [part.ndim if isinstance(part, np.ndarray) and part.dtype == bool else 1
             for part in index if part is not None and part is not ... and not isinstance(part, bool)]  # fmt: skip
    parts = tuple(part for part in index if part is not ... or sum(taken) < len(shape))
    return parts[0] if len(parts) == 1 else parts


def converted(library, index):
    """The index with each array as the library's tensor; a lone part stands for itself."""
    parts = tuple(library.tensor(part) if isinstance(part, np.ndarray) else part for part in index)
    return parts[0] if len(parts) == 1 else parts


def outcome(call):
    """What a call gives, or the type of what it raises."""
    try:
        return call()
    except ERRORS as error:
        return type(error)


def read(library, shape, index):
    """The selected values and the gradient of their weighted sum."""
    x = library.tensor(np.arange(float(math.prod(shape))).reshape(shape), requires_grad=True)
    y = x[converted(library, index)]
    weights = np.arange(1.0, y.numel() + 1).reshape(tuple(y.shape))
    (y * library.tensor(weights)).sum().backward()
    return y.detach().numpy(), x.grad.numpy()


def agree(ours, theirs):
    if isinstance(theirs, type):
        return ours is theirs or (isinstance(ours, type) and {ours, theirs} <= {IndexError, RuntimeError})
    return not isinstance(ours, type) and all(
        a.shape == b.shape and np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True)
    )


@EVERY
@given(st.data(), SHAPES)
def test_reading_agrees_with_pytorch(data, shape):
    index = data.draw(indices(shape, wrong=0 not in shape))
    ours, theirs = (outcome(lambda k=k: read(k, shape, index)) for k in (kael, torch))
    if isinstance(ours, type) and not isinstance(theirs, type):
        assert theirs[0].size == 0, ours  # kael looks at the places of an array also where nothing is selected
    else:
        assert agree(ours, theirs), (ours, theirs)


@EVERY
@given(st.data(), SHAPES)
def test_reading_agrees_with_numpy(data, shape):
    index = data.draw(indices(shape))
    assume(not (arrays_in(index) and any(map(is_zero_d, index))))

    def in_numpy():
        x = np.arange(float(math.prod(shape))).reshape(shape)
        y = np.asarray(x[for_numpy(index, shape)])
        gradient = np.zeros(shape)
        np.add.at(gradient, for_numpy(index, shape), np.arange(1.0, y.size + 1).reshape(y.shape))
        return y, gradient

    ours, theirs = outcome(lambda: read(kael, shape, index)), outcome(in_numpy)
    if isinstance(ours, type) and not isinstance(theirs, type):
        assert theirs[0].size == 0, ours  # kael looks at the places of an array also where nothing is selected
    else:
        assert agree(ours, theirs), (ours, theirs)


def test_an_ellipsis_that_stands_for_no_axis_parts_no_arrays():
    index = (None, np.array([0, 0]), ..., np.array([0]))
    ours, theirs = (read(k, (4, 3), index) for k in (kael, torch))
    assert ours[0].shape == (1, 2)
    assert agree(ours, theirs)
    assert np.zeros((4, 3))[index].shape == (2, 1)


def written(library, shape, index, value):
    x = library.tensor(np.zeros(shape))
    x[converted(library, index)] = value if isinstance(value, float) else library.tensor(value)
    return [x.numpy()]


@EVERY
@given(st.data(), SHAPES)
def test_writing_agrees_with_numpy_and_pytorch(data, shape):
    index = data.draw(indices(shape, wrong=0 not in shape))
    selected = outcome(lambda: torch.zeros(shape)[converted(torch, index)].shape)
    if isinstance(selected, type):
        value = 1.0
    else:
        sizes = [data.draw(st.sampled_from([n, n, n, 1])) for n in selected][data.draw(st.integers(0, 1)) :]
        value = data.draw(st.sampled_from([7.5, np.arange(1.0, math.prod(sizes) + 1).reshape(sizes)]))
    ours, theirs = (outcome(lambda k=k: written(k, shape, index, value)) for k in (kael, torch))
    if isinstance(ours, type) and not isinstance(theirs, type):
        assert 0 in selected, ours
        return
    if written_twice(shape, index) and not isinstance(value, float):
        assert isinstance(ours, list)
    else:
        assert agree(ours, theirs), (ours, theirs)
    if not (arrays_in(index) and any(map(is_zero_d, index))):

        def in_numpy():
            x = np.zeros(shape)
            x[for_numpy(index, shape)] = value
            return [x]

        assert agree(ours, outcome(in_numpy))


def written_twice(shape, index):
    """Whether an index selects a place more than once."""
    places = outcome(lambda: torch.arange(math.prod(shape)).reshape(shape)[converted(torch, index)].ravel().tolist())
    return not isinstance(places, type) and len(set(places)) < len(places)
