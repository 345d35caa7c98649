"""Operations that read and write by index, beside PyTorch: errors, kinks, in-place forms."""

import math

import numpy as np
import pytest

import kael

torch = pytest.importorskip("torch")

REFUSES = (RuntimeError, IndexError, TypeError, ValueError)


def three(k):
    return k.arange(6.0).reshape(2, 3)


def at(k, *places):
    return k.tensor(list(places))


ERRORS = {
    "gather: float index": (lambda k: k.gather(three(k), 0, k.zeros(1, 1)), "gather(): Expected dtype int32/int64"),
    "gather: axes": (lambda k: k.gather(three(k), 0, at(k, 0)), "Index tensor must have the same number of dimensions"),
    "gather: too long": (lambda k: k.gather(three(k), 1, k.zeros(3, 3, dtype=k.int64)), "Size does not match at dim"),
    "gather: place": (
        lambda k: k.gather(three(k), 0, at(k, [5])),
        "index 5 is out of bounds for dimension 0 with size 2",
    ),
    "gather: below 0": (lambda k: k.gather(three(k), 0, at(k, [-1])), "index -1 is out of bounds for dimension 0 with"),
    "gather: axis": (lambda k: k.gather(three(k), 2, at(k, [0])), "Dimension out of range (expected to be in range of"),
    "gather: list": (lambda k: k.gather(three(k), 0, [[0]]), "gather(): argument 'index' (position 3) must be Tensor"),
    "take_along_dim: axes": (
        lambda k: k.take_along_dim(three(k), at(k, 0), 1),
        "input and indices should have the same",
    ),
    "take_along_dim: dtype": (lambda k: k.take_along_dim(three(k), k.zeros(1, 1), 1), "dtype of indices should be "),
    "take: place": (
        lambda k: k.take(three(k), at(k, 6)),
        "out of range: tried to access index 6 on a tensor of 6 elem",
    ),
    "take: dtype": (lambda k: k.take(three(k), k.tensor([1.0])), "take(): Expected a long tensor for index, but got "),
    "index_select: axes": (
        lambda k: three(k).index_select(0, at(k, [0])),
        "index_select(): Index is supposed to be a ve",
    ),
    "index_select: dtype": (
        lambda k: three(k).index_select(0, k.tensor([1.0])),
        "index_select(): Expected dtype int32",
    ),
    "index_select: 0-d": (
        lambda k: k.tensor(3.0).index_select(0, at(k, 0, 0)),
        "Index to scalar can have only 1 value",
    ),
    "index_select: place": (lambda k: three(k).index_select(0, at(k, 5)), "index "),
    "scatter: dtype": (lambda k: k.scatter(three(k), 0, at(k, [0]), at(k, [2])), "Expected self.dtype to be equal to"),
    "scatter: small source": (lambda k: k.scatter(three(k), 0, at(k, [0, 1]), k.ones(1, 1)), "Expected index "),
    "scatter: place": (lambda k: k.scatter(three(k), 0, at(k, [2]), k.ones(1, 1)), "index 2 is out of bounds for dime"),
    "scatter: reduce": (
        lambda k: k.scatter(three(k), 0, at(k, [0]), k.ones(1, 1), reduce="x"),
        "reduce argument must ",
    ),
    "scatter_add: place": (lambda k: k.scatter_add(three(k), 1, at(k, [3]), k.ones(1, 1)), "index 3 is out of bounds"),
    "scatter_add: axes": (lambda k: k.scatter_add(three(k), 1, at(k, 0), k.ones(1)), "Index tensor must have the same"),
    "scatter_reduce: name": (
        lambda k: k.scatter_reduce(three(k), 1, at(k, [0]), k.ones(1, 1), "x"),
        "reduce argument must be either sum, prod, mean, amax or amin, got x",
    ),
    "index_add: dtype": (
        lambda k: three(k).index_add(0, at(k, 0), k.ones(1, 3, dtype=k.int64)),
        "index_add_(): self (",
    ),
    "index_add: count": (lambda k: three(k).index_add(0, at(k, 0, 0), k.ones(1, 3)), "index_add_(): Number of indices"),
    "index_add: shape": (
        lambda k: three(k).index_add(0, at(k, 0), k.ones(1, 2)),
        "source tensor shape must match self",
    ),
    "index_add: place": (
        lambda k: three(k).index_add(0, at(k, 5), k.ones(1, 3)),
        "index 5 is out of bounds for dimens",
    ),
    "index_copy: count": (
        lambda k: three(k).index_copy(0, at(k, 0, 0), k.ones(1, 3)),
        "index_copy_(): Number of indic",
    ),
    "index_copy: place": (
        lambda k: three(k).index_copy(0, at(k, 5), k.ones(1, 3)),
        "index 5 is out of bounds for dime",
    ),
    "index_fill: place": (
        lambda k: three(k).index_fill(1, at(k, 3), 9),
        "index 3 is out of bounds for dimension 1 with",
    ),
    "index_fill: dtype": (
        lambda k: three(k).index_fill(1, k.tensor([0.0]), 9),
        "index_fill_(): Expected dtype int64 for",
    ),
    "index_fill: value": (
        lambda k: three(k).index_fill(1, at(k, 0), at(k, 1)),
        "index_fill_ only supports a 0-dimension",
    ),
    "index_fill: number": (
        lambda k: at(k, 1, 2).index_fill(0, at(k, 0), math.inf),
        "value cannot be converted to type ",
    ),
    "masked_fill: mask": (
        lambda k: three(k).masked_fill(three(k), 1),
        "masked_fill_ only supports boolean masks, but go",
    ),
    "masked_fill: value": (
        lambda k: three(k).masked_fill(three(k) > 2, at(k, 1)),
        "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 dimension(s)",
    ),
    "masked_fill: number": (
        lambda k: at(k, 1).masked_fill(at(k, 1) > 0, math.nan),
        "value cannot be converted to type ",
    ),
    "masked_fill: shape": (
        lambda k: k.ones(3).masked_fill(k.tensor([True, False]), 0),
        "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
    ),
    "masked_fill_: shape": (
        lambda k: k.ones(3).masked_fill_(k.tensor([[True], [False]]), 0),
        "output with shape (3,) doesn't match the broadcast shape (2, 3)",
    ),
    "masked_scatter: few": (
        lambda k: three(k).masked_scatter(three(k) > 2, k.ones(2)),
        "Number of elements of source < number of ones in mask",
    ),
    "masked_select: mask": (lambda k: three(k).masked_select(three(k)), "masked_select: expected BoolTensor for mask"),
    "index_put: dtype": (
        lambda k: three(k).index_put((at(k, 0),), at(k, 1)),
        "Index put requires the source and desti",
    ),
    "index_put: number": (lambda k: three(k).index_put((at(k, 0),), 1.0), "index_put(): argument 'values' (position "),
    "index_put: None": (lambda k: three(k).index_put((None,), k.ones(1)), "expected Tensor as element 0 in argument "),
    "index_put: place": (
        lambda k: three(k).index_put((at(k, 7),), k.ones(1)),
        "index 7 is out of bounds for dimension 0",
    ),
    "searchsorted: rows": (
        lambda k: k.searchsorted(k.ones(2, 3), k.ones(1, 1)),
        "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor",
    ),
    "bucketize: axes": (
        lambda k: k.bucketize(k.ones(2), k.ones(2, 2)),
        "boundaries tensor must be 1 dimension, but go",
    ),
    "index of a leaf changed": (lambda k: changed(k), "has been modified by an inplace operation"),
}


def changed(k):
    """A gather whose index is written before the backward pass."""
    x, index = k.ones(3, requires_grad=True), at(k, 0, 1)
    y = x.gather(0, index).sum()
    index.add_(1)
    y.backward()


def in_our_words(text):
    """An error of PyTorch's with sizes as tuples."""
    return text.replace("[3]", "(3,)").replace("[2, 3]", "(2, 3)").replace("torch.", "")


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    program, text = ERRORS[name]
    with pytest.raises(REFUSES) as ours:
        program(kael)
    with pytest.raises(REFUSES) as theirs:
        program(torch)
    assert type(ours.value) is type(theirs.value)
    assert text in str(ours.value)
    assert text in in_our_words(str(theirs.value))


def gradients(k, f, *data):
    leaves = [k.tensor(values, requires_grad=True) for values in data]
    result = f(k, *leaves)
    (result * k.arange(1.0, result.numel() + 1).reshape(tuple(result.shape))).sum().backward()
    return [result.detach().numpy(), *[leaf.grad.numpy() for leaf in leaves]]


KINKS = {
    "gather twice": (lambda k, x: x.gather(0, at(k, 0, 0, 1)), [1.0, 2.0]),
    "index_select twice": (lambda k, x: x.index_select(0, at(k, 1, 1)), [1.0, 2.0]),
    "scatter_add twice": (lambda k, x, y: x.scatter_add(0, at(k, 1, 1, 0), y), [1.0, 2.0], [3.0, 4.0, 5.0]),
    "index_put adds": (lambda k, x, y: x.index_put((at(k, 1, 1),), y, accumulate=True), [1.0, 2.0], 3.0),
    "amax ties": (lambda k, x, y: x.scatter_reduce(0, at(k, 0, 0, 1), y, "amax"), [3.0, 2.0], [3.0, 3.0, 1.0]),
    "amin ties without self": (
        lambda k, x, y: x.scatter_reduce(0, at(k, 0, 0), y, "amin", include_self=False), [4.0, 2.0], [3.0, 3.0],
    ),
    "prod with one 0": (lambda k, x, y: x.scatter_reduce(0, at(k, 0, 0, 1), y, "prod"), [2.0, 0.0], [0.0, 3.0, 4.0]),
    "prod with two 0": (lambda k, x, y: x.scatter_reduce(0, at(k, 0, 0, 1), y, "prod"), [0.0, 0.0], [0.0, 3.0, 4.0]),
    "masked_fill with inf": (lambda k, x: x.masked_fill(k.tensor([True, False]), -math.inf), [math.nan, 1.0]),
    "masked_scatter": (lambda k, x, y: x.masked_scatter(k.tensor([True, False]), y), [1.0, 2.0], [[3.0], [4.0]]),
}  # fmt: skip


@pytest.mark.parametrize("name", KINKS)
def test_gradients_at_repeated_places_and_ties(name):
    for ours, theirs in zip(gradients(kael, *KINKS[name]), gradients(torch, *KINKS[name]), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.promise("122")
def test_the_gradient_of_a_place_written_twice_goes_to_the_last_value():
    for f in (
        lambda k, x, y: x.scatter(0, at(k, 0, 0), y),
        lambda k, x, y: x.index_put((at(k, 0, 0),), y),
        lambda k, x, y: x.index_copy(0, at(k, 0, 0), y),
    ):
        value, to_x, to_y = gradients(kael, f, [1.0, 2.0], [3.0, 4.0])
        assert value.tolist() == [4.0, 2.0]
        assert to_x.tolist() == [0.0, 2.0]
        assert to_y.tolist() == [0.0, 1.0]


IN_PLACE = {
    "scatter_": lambda k, x, y: x.scatter_(0, at(k, 2, 0), y),
    "scatter_add_": lambda k, x, y: x.scatter_add_(0, at(k, 1, 1), y),
    "scatter_reduce_": lambda k, x, y: x.scatter_reduce_(0, at(k, 1, 1), y, "prod"),
    "index_add_": lambda k, x, y: x.index_add_(0, at(k, 1, 1), y, alpha=3),
    "index_copy_": lambda k, x, y: x.index_copy_(0, at(k, 2, 1), y),
    "index_put_": lambda k, x, y: x.index_put_((at(k, 1, 1),), y, accumulate=True),
    "masked_scatter_": lambda k, x, y: x.masked_scatter_(k.tensor([False, True, True]), y),
    "index_fill_": lambda k, x, y: x.index_fill_(0, at(k, 0), y[0]),
    "masked_fill_": lambda k, x, y: x.masked_fill_(k.tensor([False, True, True]), y[0]),
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place_forms_write_and_count_once(name):
    operands = [(k.arange(3.0), k.tensor([5.0, 7.0])) for k in (kael, torch)]
    ours, theirs = IN_PLACE[name](kael, *operands[0]), IN_PLACE[name](torch, *operands[1])
    assert ours is operands[0][0]
    assert ours.tolist() == theirs.tolist()
    assert ours.version == 1


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place_forms_keep_to_the_rules_of_autograd(name):
    leaf, source = kael.ones(3, requires_grad=True), kael.ones(2)
    with pytest.raises(RuntimeError, match=f"a leaf tensor that requires grad .* {name}$"):
        IN_PLACE[name](kael, leaf, source)
    with pytest.raises(RuntimeError, match=f"^{name} is not supported on a tensor with gradient history"):
        IN_PLACE[name](kael, leaf * 2, source)
    with pytest.raises(RuntimeError, match=f"^{name} is not supported with a source that requires grad$"):
        IN_PLACE[name](kael, kael.ones(3), source.clone().requires_grad_())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_repeated_places_add_up_in_the_same_order_on_every_rung(dtype):
    random = np.random.default_rng(0)
    index = kael.tensor(random.integers(0, 3, 500))
    weights = kael.tensor((random.standard_normal(500) * 10.0 ** random.integers(-3, 4, 500)).astype(dtype))
    found = []
    for rung in ("python", "numpy", "auto"):
        with kael.kernels.use("ch08", rung):
            x = kael.zeros(3, dtype=getattr(kael, dtype), requires_grad=True)
            (x[index] * weights).sum().backward()
            found.append(x.grad.numpy().tobytes())
    assert len(set(found)) == 1


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("how", ["sum", "mean", "prod", "amax", "amin"])
def test_a_number_takes_and_gives_gradients_as_in_pytorch(how, include_self):
    found = []
    for k in (kael, torch):
        x, src = k.tensor(0.5, requires_grad=True), k.tensor(0.25, requires_grad=True)
        y = x.scatter_reduce(0, k.tensor(0), src, how, include_self=include_self)
        y.backward()
        found.append([(tuple(t.shape), t.item()) for t in (y, x.grad, src.grad)])
    assert found[0] == found[1]


def test_a_number_that_is_filled_gives_its_gradient_to_the_value():
    x, value = kael.tensor(0.5, requires_grad=True), kael.tensor(0.25, requires_grad=True)
    x.index_fill(0, kael.tensor(0), value).backward()
    assert (x.grad.item(), value.grad.item()) == (0.0, 1.0)
