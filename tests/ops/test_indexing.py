"""What indexing and its gradients promise, number by number."""

import pytest

import kael
from tests.autograd.leaves import leaf


def gradient(f, *data):
    """The gradients of the sum of what a function gives."""
    leaves = [leaf(values) for values in data]
    f(*leaves).sum().backward()
    found = [x.grad.tolist() for x in leaves]
    return found[0] if len(found) == 1 else found


def places(*values):
    return kael.tensor(list(values))


SQUARE = [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.promise("116")
def test_places_read_twice_get_both_gradients():
    assert gradient(lambda x: x[[0, 0, 1]], [1.0, 2.0, 3.0]) == [2.0, 1.0, 0.0]
    assert gradient(lambda x: x[[-1, 2]], [1.0, 2.0, 3.0]) == [0.0, 0.0, 2.0]
    assert gradient(lambda x: x[[0, 1, 0], [1, 0, 1]], SQUARE) == [[0.0, 2.0], [1.0, 0.0]]


@pytest.mark.promise("117")
def test_basic_indices_are_views_and_steps_go_forward():
    x = leaf([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    for index in (1, (slice(1, None), slice(None, None, 2)), None, ..., kael.tensor(1)):
        assert x[index].data_ptr() in range(x.data_ptr(), x.data_ptr() + x.nbytes)
    with pytest.raises(ValueError, match="step must be greater than zero"):
        x[::-1]


@pytest.mark.promise("117")
def test_basic_indices_send_their_gradient_to_what_they_read():
    data = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    assert gradient(lambda x: x[1], data) == [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]
    assert gradient(lambda x: x[1:, ::2], data) == [[0.0, 0.0, 0.0], [1.0, 0.0, 1.0]]
    assert gradient(lambda x: x[None, ..., 0], data) == [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    assert gradient(lambda x: x[kael.tensor(1)], data) == [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]


@pytest.mark.promise("118")
def test_masks_select_and_must_have_the_shape():
    assert gradient(lambda x: x[x > 1.5], [1.0, 2.0, 3.0]) == [0.0, 1.0, 1.0]
    assert gradient(lambda x: x[x > 9], [1.0, 2.0, 3.0]) == [0.0, 0.0, 0.0]
    with pytest.raises(IndexError, match="The shape of the mask"):
        kael.ones(2)[kael.tensor([True])]


@pytest.mark.promise("119")
def test_a_strided_slice_of_one_row_stays_in_it():
    assert gradient(lambda x: x[0::2], SQUARE) == [[1.0, 1.0], [0.0, 0.0]]


@pytest.mark.promise("120")
def test_gather_adds_up_and_refuses_other_indices():
    assert gradient(lambda x: x.gather(1, kael.tensor([[0, 0, 1]])), [[5.0, 6.0]]) == [[2.0, 1.0]]
    assert gradient(lambda x: x.gather(1, kael.tensor([[0]])), SQUARE) == [[1.0, 0.0], [0.0, 0.0]]
    with pytest.raises(RuntimeError, match="Expected dtype int32/int64"):
        kael.ones(2).gather(0, kael.ones(1))
    with pytest.raises(RuntimeError, match="index 2 is out of bounds for dimension 0 with size 2"):
        kael.ones(2).gather(0, places(2))


@pytest.mark.promise("121")
def test_scatter_add_hands_its_gradient_to_both():
    assert gradient(
        lambda x, y: x.scatter_add(0, places(0, 0), y) * kael.tensor([2.0, 3.0]), [1.0, 1.0], [1.0, 1.0]
    ) == [
        [2.0, 3.0],
        [2.0, 2.0],
    ]


@pytest.mark.promise("122")
def test_a_place_written_twice_keeps_the_last_value_and_its_gradient():
    assert kael.zeros(1).scatter(0, places(0, 0), kael.tensor([1.0, 2.0])).tolist() == [2.0]
    assert gradient(lambda x, y: x.scatter(0, places(0, 0), y), [1.0, 1.0], [1.0, 2.0]) == [[0.0, 1.0], [0.0, 1.0]]


@pytest.mark.promise("123")
def test_a_source_beyond_its_index_has_gradient_zero():
    assert gradient(lambda x, y: x.scatter_add(0, places(0, 1), y), [1.0, 1.0], [1.0, 2.0, 3.0])[1] == [1.0, 1.0, 0.0]


@pytest.mark.promise("124")
def test_index_select_adds_up():
    assert gradient(lambda x: x.index_select(0, places(1, 1)), [1.0, 2.0]) == [0.0, 2.0]


@pytest.mark.promise("125")
def test_index_put_of_one_value_sums_its_gradient():
    assert gradient(lambda x, y: x.index_put((places(0, 1, 2),), y, accumulate=True), [1.0, 1.0, 1.0], 2.0)[1] == 3.0
    with pytest.raises(RuntimeError, match="__setitem__ is not supported with a source that requires grad"):
        kael.zeros(3)[[0, 1]] = leaf(2.0)


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("index", [[0, 2], 0, [0], [True, False, True]])
def test_index_put_takes_no_value_with_more_axes_than_the_index_selects(index, accumulate):
    x, value = kael.zeros(3, 2), kael.ones(1, 1, 2)
    with pytest.raises(RuntimeError, match=r"index_put: the value is \(1, 1, 2\) but the index selects"):
        x.index_put_((kael.tensor(index),), value, accumulate=accumulate)
    assert x.sum().item() == 0.0
    x[index] = value  # an assignment drops them
    assert x[index].tolist() == kael.ones_like(x[index]).tolist()


def test_index_put_fills_a_mask_with_one_element_of_any_axes():
    x, y = leaf([1.0, 2.0, 3.0]), leaf([[[5.0]]])
    filled = x.index_put((kael.tensor([True, False, True]),), y)
    filled.sum().backward()
    assert filled.tolist() == [5.0, 2.0, 5.0]
    assert (x.grad.tolist(), y.grad.tolist()) == ([0.0, 1.0, 0.0], [[[2.0]]])


@pytest.mark.promise("126")
def test_filled_places_have_gradient_zero():
    assert gradient(lambda x: x.masked_fill(x > 1.5, 0.0), [1.0, 2.0]) == [1.0, 0.0]


@pytest.mark.promise("127")
def test_wrong_places_are_refused():
    with pytest.raises(IndexError, match="index 3 is out of bounds for dimension 0 with size 1"):
        kael.zeros(1)[3]
    with pytest.raises(IndexError, match="only integers, slices"):
        kael.zeros(1)[0.5]


@pytest.mark.promise("175")
def test_a_0d_tensor_has_no_places():
    with pytest.raises(IndexError, match="invalid index of a 0-dim tensor"):
        kael.tensor(1.0)[0]
