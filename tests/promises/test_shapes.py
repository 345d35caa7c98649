"""Operations that move elements: where each gradient goes back to, and what is refused."""

import pytest

import kael
from kael.nn import functional
from tests.promises.gradients import gradients


def weights(*values):
    return kael.tensor(list(values), dtype=kael.float64)


@pytest.mark.promise("157")
def test_copies_of_an_element_add_their_gradients():
    column = [[1.0], [2.0]]
    assert gradients(lambda x: x.expand(2, 3), column) == [[[3.0], [3.0]]]
    assert gradients(lambda x: x.expand(4, -1, 3), column) == [[[12.0], [12.0]]]
    assert gradients(lambda x: x.repeat(2, 3), column) == [[[6.0], [6.0]]]
    assert gradients(lambda x: x.repeat(0), [1.0, 2.0]) == [[0.0, 0.0]]


@pytest.mark.promise("157")
def test_cat_hands_each_part_its_own():
    assert gradients(lambda x: kael.cat([x, weights(5.0), x]), [1.0, 2.0]) == [[2.0, 2.0]]
    x, empty = kael.ones(1, 2, requires_grad=True), kael.zeros(0, 2, requires_grad=True)
    kael.cat([x, empty]).sum().backward()
    assert (x.grad.tolist(), empty.grad.shape) == ([[1.0, 1.0]], (0, 2))


@pytest.mark.promise("157")
def test_cat_of_two_dtypes_takes_the_wider_and_of_nothing_is_refused():
    assert kael.cat([kael.ones(1), weights(1.0)]).dtype is kael.float64
    with pytest.raises(ValueError, match=r"cat\(\): expected a non-empty list of Tensors"):
        kael.cat([])


@pytest.mark.promise("158")
@pytest.mark.parametrize("f", [lambda x: x.split(2), lambda x: x.chunk(3)])
def test_parts_that_are_not_used_get_zeros(f):
    assert [part.shape for part in f(kael.arange(5))] == [(2,), (2,), (1,)]
    assert gradients(lambda x: f(x)[1] * 3, [1.0] * 5) == [[0.0, 0.0, 3.0, 3.0, 0.0]]


@pytest.mark.promise("158")
def test_rows_that_are_not_used_get_zeros():
    assert gradients(lambda x: x.unbind()[1], [[1.0, 2.0], [3.0, 4.0]]) == [[[0.0, 0.0], [1.0, 1.0]]]


@pytest.mark.promise("159")
def test_a_tensor_stacked_twice_gets_both_gradients():
    by_row = weights([1.0, 1.0], [10.0, 10.0], [100.0, 100.0])
    assert gradients(lambda x, y: kael.stack([x, y, x]) * by_row, [1.0, 2.0], [3.0, 4.0]) == [
        [101.0, 101.0],
        [10.0, 10.0],
    ]


@pytest.mark.promise("160")
def test_view_needs_memory_that_fits_and_reshape_copies():
    turned = kael.ones(2, 3).t()
    with pytest.raises(RuntimeError, match="view size is not compatible with input tensor's size and stride"):
        turned.view(6)
    assert gradients(lambda x: x.t().reshape(4) * weights(1.0, 2.0, 3.0, 4.0), [[5.0, 6.0], [7.0, 8.0]]) == [
        [[1.0, 3.0], [2.0, 4.0]]
    ]
    with pytest.raises(RuntimeError) as error:
        kael.ones(3).reshape(2, 2)
    assert str(error.value) == "shape '(2, 2)' is invalid for input of size 3"


@pytest.mark.promise("161")
@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: x.permute(1, 0) * weights([1.0, 2.0], [3.0, 4.0]), [[1.0, 3.0], [2.0, 4.0]]),
        (lambda x: x.transpose(0, 1) * weights([1.0, 2.0], [3.0, 4.0]), [[1.0, 3.0], [2.0, 4.0]]),
        (lambda x: x.flip(0) * weights([1.0, 2.0], [3.0, 4.0]), [[3.0, 4.0], [1.0, 2.0]]),
        (lambda x: x.roll(1, 1) * weights([1.0, 2.0], [3.0, 4.0]), [[2.0, 1.0], [4.0, 3.0]]),
        (lambda x: x.diagonal() * weights(1.0, 2.0), [[1.0, 0.0], [0.0, 2.0]]),
        (lambda x: x.tril() * weights([1.0, 2.0], [3.0, 4.0]), [[1.0, 0.0], [3.0, 4.0]]),
        (lambda x: x.squeeze() * weights([1.0, 2.0], [3.0, 4.0]), [[1.0, 2.0], [3.0, 4.0]]),
        (lambda x: x.unsqueeze(1).squeeze(1) * weights([1.0, 2.0], [3.0, 4.0]), [[1.0, 2.0], [3.0, 4.0]]),
    ],
)
def test_each_gradient_goes_back_where_its_element_came_from(f, expected):
    assert gradients(f, [[5.0, 6.0], [7.0, 8.0]]) == [expected]


@pytest.mark.promise("162")
def test_windows_that_overlap_add_and_padding_adds_what_it_repeats():
    assert gradients(lambda x: x.unfold(0, 2, 1), [1.0, 2.0, 3.0]) == [[1.0, 2.0, 1.0]]
    assert functional.pad(kael.ones(3), (1, -1), value=7.0).tolist() == [7.0, 1.0, 1.0]
    assert gradients(lambda x: functional.pad(x, (1, -1)), [1.0, 2.0, 3.0]) == [[1.0, 1.0, 0.0]]
    assert gradients(lambda x: functional.pad(x, (2, 2), mode="reflect"), [[1.0, 2.0, 3.0]]) == [[[2.0, 3.0, 2.0]]]


@pytest.mark.promise("175")
def test_numbers_without_axes_go_through_every_family():
    for f in (kael.exp, lambda x: x + x, lambda x: x.sum(), lambda x: x.max(), lambda x: x.reshape(1), lambda x: x.T):
        x = kael.tensor(2.0, requires_grad=True)
        f(x).sum().backward()
        assert x.grad.shape == ()
    assert kael.softmax(kael.tensor(3.0), 0).item() == 1.0
    with pytest.raises(RuntimeError, match="zero-dimensional tensor .* cannot be concatenated"):
        kael.cat([kael.tensor(1.0)])
