"""Item assignment beside PyTorch: every dtype with every kind of value, through every kind of index."""

import math

import numpy as np
import pytest

import kael

torch = pytest.importorskip("torch")

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]
NUMBERS = [
    math.nan, math.inf, -math.inf, 1.5, -1.5, 127.5, 300, -1, -300, 2**40, 1e10, 1e40, -1e40, True, False, 3,
    np.float64(1.5), np.float64(math.nan), np.int64(3), np.int16(-300),
]  # fmt: skip
INDICES = {
    "integer": lambda k: 0,
    "slice": lambda k: slice(None),
    "list": lambda k: [0, 2],
    "tensor": lambda k: k.tensor([2, 0]),
    "mask": lambda k: k.tensor([True, False, True]),
    "True": lambda k: True,
    "None": lambda k: None,
}
REFUSES = (RuntimeError, IndexError, TypeError, ValueError)


def written(k, dtype, index, value):
    """What a tensor of ones holds after the assignment, or the type of the error."""
    x = k.ones(3, dtype=getattr(k, dtype))
    try:
        x[INDICES[index](k)] = value(k) if callable(value) else value
    except REFUSES as error:
        return type(error)
    return x.tolist()


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers(dtype, index):
    for number in NUMBERS:
        ours, theirs = written(kael, dtype, index, number), written(torch, dtype, index, number)
        np.testing.assert_equal(ours, theirs, err_msg=repr(number))


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("source", DTYPES)
def test_tensors(dtype, index, source):
    for shape in ((), (1,), (2,), (1, 1)):

        def value(k, shape=shape):
            return k.full(shape, 1, dtype=getattr(k, source))

        assert written(kael, dtype, index, value) == written(torch, dtype, index, value), shape


@pytest.mark.parametrize("dtype", DTYPES)
def test_lists_and_arrays_are_cast(dtype):
    x = kael.zeros(3, dtype=getattr(kael, dtype))
    x[0], x[[1]], x[2:] = [1], np.array([1.0]), np.ones(1, "int8")
    assert x.tolist() == [1, 1, 1]


@pytest.mark.parametrize("value", [math.nan, [math.nan], np.array([1.0, math.inf]), 1e40, [2.0**63]], ids=repr)
@pytest.mark.parametrize("index", [slice(0, 2), [0, 1]], ids=["slice", "list"])
def test_a_number_that_an_integer_cannot_hold_is_refused(index, value):
    x = kael.zeros(3, dtype=kael.int64)
    with pytest.raises(RuntimeError, match="^value cannot be converted to type int64 without overflow$"):
        x[index] = value
    assert x.tolist() == [0, 0, 0]
    assert x.version == 0


def test_the_last_of_several_values_for_one_place_stays():
    x = kael.zeros(2, 2)
    x[[0, 1, 0]] = kael.arange(6.0).reshape(3, 2)
    assert x.tolist() == [[4.0, 5.0], [2.0, 3.0]]


def test_a_value_that_shares_memory_is_read_first():
    x = kael.arange(4.0)
    x[[1, 2, 3]] = x[:3]
    assert x.tolist() == [0.0, 0.0, 1.0, 2.0]
    x[kael.tensor([True, True, False, False])] = x[2:]
    assert x.tolist() == [1.0, 2.0, 1.0, 2.0]


def test_another_dtype_is_refused_by_an_index_of_places():
    x = kael.zeros(2)
    with pytest.raises(RuntimeError, match="^Index put requires the source and destination dtypes match, got float32"):
        x[[0, 1]] = kael.tensor([1, 2])
