"""Every operation that Tensor has in place: the value of the operation itself, the rules of autograd, the counter."""

import inspect

import numpy as np
import pytest

import kael
from kael import ops

OWN = ("add", "sub", "mul", "div")
ARGUMENTS = {"clamp": (-0.5, 0.5), "lerp": ("tensor", 0.25), "clamp_min": (0.2,), "clamp_max": (0.2,)}
WHOLE = ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "bitwise_left_shift", "bitwise_right_shift")
FUNCTIONS = {function.__name__: function for function in (*ops.INPLACE, *(getattr(kael, name) for name in OWN))}
FUNCTIONS = {name: f for name, f in FUNCTIONS.items() if f.__module__.endswith("elementwise")}


def operand(name, which=0):
    """A tensor that an operation takes."""
    if name in WHOLE:
        return kael.tensor([[5, 3, 12], [7, 2, 9]]) if which == 0 else kael.tensor([[1, 2, 3], [3, 1, 2]])
    return kael.tensor([[0.3, 0.7, 0.1], [0.9, 0.2, 0.6]]) + which


def arguments(name):
    """Further arguments of an operation."""
    if name in ARGUMENTS:
        return [operand(name, 1) if argument == "tensor" else argument for argument in ARGUMENTS[name]]
    needed = [p for p in inspect.signature(FUNCTIONS[name]).parameters.values() if p.default is p.empty]
    return [operand(name, which) for which in range(1, len(needed))]


SOURCES = [name for name in FUNCTIONS if any(isinstance(argument, kael.Tensor) for argument in arguments(name))]


def message(call, kind=RuntimeError):
    with pytest.raises(kind) as error:
        call()
    return str(error.value)


@pytest.mark.parametrize("name", FUNCTIONS)
class TestEveryForm:
    @pytest.mark.promise("S31")
    def test_writes_the_value_and_counts_one(self, name):
        x = operand(name)
        expected, memory, view = FUNCTIONS[name](x, *arguments(name)), x.data_ptr(), x[0]
        assert getattr(x, name + "_")(*arguments(name)) is x
        assert x.dtype is operand(name).dtype
        np.testing.assert_array_equal(x.numpy(), expected.numpy().astype(x.numpy().dtype))
        assert (x.version, view.version, x.data_ptr()) == (1, 1, memory)
        np.testing.assert_array_equal(view.numpy(), x[0].numpy())

    def test_writes_a_part_through_a_view_and_leaves_the_rest(self, name):
        x = operand(name)
        column, before = x[:, 1], x.clone()
        expected = FUNCTIONS[name](
            before[:, 1], *[a[:, 1] if isinstance(a, kael.Tensor) else a for a in arguments(name)]
        )
        getattr(column, name + "_")(*[a[:, 1] if isinstance(a, kael.Tensor) else a for a in arguments(name)])
        np.testing.assert_array_equal(x[:, 1].numpy(), expected.numpy().astype(x.numpy().dtype))
        np.testing.assert_array_equal(x[:, ::2].numpy(), before[:, ::2].numpy())

    @pytest.mark.promise("76")
    def test_an_expanded_tensor_is_refused(self, name):
        x = operand(name)[:, :1].expand(2, 3)
        assert message(lambda: getattr(x, name + "_")(*arguments(name))).startswith(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location."
        )
        assert x.version == 0


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in WHOLE])
class TestRules:
    @pytest.mark.promise("S32")
    def test_a_leaf_that_requires_grad_is_refused(self, name):
        x = operand(name).requires_grad_()
        text = f"a leaf tensor that requires grad is being used in the in-place operation {name}_"
        assert message(lambda: getattr(x, name + "_")(*arguments(name))) == text
        assert (x.version, x.tolist()) == (0, operand(name).tolist())

    @pytest.mark.promise("S33")
    def test_a_tensor_with_history_is_refused(self, name):
        y = operand(name).requires_grad_() * 1
        text = f"{name}_ is not supported on a tensor with gradient history; use the out-of-place op"
        assert message(lambda: getattr(y, name + "_")(*arguments(name))) == text
        assert y.version == 0

    @pytest.mark.promise("S35")
    def test_with_grad_mode_off_it_writes_and_backward_finds_out(self, name):
        x = operand(name).requires_grad_()
        loss = (x * x).sum()
        with kael.no_grad():
            getattr(x, name + "_")(*arguments(name))
        assert x.version == 1
        assert x.grad_fn is None
        assert "modified by an inplace operation: expected version 0, got 1" in message(loss.backward)


@pytest.mark.promise("S34")
@pytest.mark.parametrize("name", [name for name in SOURCES if name not in WHOLE])
def test_a_source_that_requires_grad_is_refused(name):
    sources = [a.requires_grad_() if isinstance(a, kael.Tensor) else a for a in arguments(name)]
    text = f"{name}_ is not supported with a source that requires grad"
    assert message(lambda: getattr(operand(name), name + "_")(*sources)) == text


@pytest.mark.promise("77")
@pytest.mark.parametrize("name", SOURCES)
def test_a_result_that_is_larger_is_refused(name):
    x = operand(name)[0].clone()
    assert message(lambda: getattr(x, name + "_")(*arguments(name))) == (
        "output with shape (3,) doesn't match the broadcast shape (2, 3)"
    )
    assert x.version == 0


@pytest.mark.promise("78")
@pytest.mark.parametrize("call", [
    lambda x: x.exp_(), lambda x: x.sqrt_(), lambda x: x.clamp_(0.5), lambda x: x.pow_(0.5), lambda x: x.div_(2),
    lambda x: x.reciprocal_(), lambda x: x.fmod_(1.5), lambda x: x.sub_(1.5), lambda x: x.atan2_(x),
    lambda x: x.add_(1, alpha=0.5),
])  # fmt: skip
def test_a_result_that_integers_cannot_hold_is_refused(call):
    x = kael.tensor([1, 2])
    assert message(lambda: call(x)) in (
        "result type float32 can't be cast to the desired output type int64",
        "For integral input tensors, argument alpha must not be a floating point number.",
    )
    assert x.tolist() == [1, 2]


@pytest.mark.promise("79")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_operation_writes_into_a_tensor_that_is_given_as_out(name):
    x = operand(name)
    with pytest.raises(TypeError):
        FUNCTIONS[name](x, *arguments(name), out=x)
    assert (x.version, x.tolist()) == (0, operand(name).tolist())


def test_a_wider_result_of_the_same_kind_is_cast():
    x = kael.tensor([1.5, -2.5])
    assert x.mul_(kael.tensor([2.0, 2.0], dtype=kael.float64)).dtype is kael.float32
    assert x.lt_(0).tolist() == [0.0, 1.0]
    small = kael.tensor([100, -100], dtype=kael.int8)
    assert small.add_(kael.tensor([100, 100])).tolist() == [-56, 0]
    half = kael.tensor([2.0], dtype=kael.float16)
    assert (half.exp_().dtype, half.tolist()) == (kael.float16, [7.390625])


@pytest.mark.parametrize("name", ["add", "mul", "atan2", "lerp", "clamp"])
def test_an_operand_that_overlaps_is_read_before_anything_is_written(name):
    memory = kael.arange(1, 7).double() / 8
    x, other = memory[1:], memory[:-1]
    rest = {"lerp": (0.25,), "clamp": (other,)}.get(name, ())
    expected = getattr(kael, name)(x.clone(), other.clone(), *rest)
    getattr(x, name + "_")(other, *rest)
    np.testing.assert_array_equal(x.numpy(), expected.numpy())


def augmented(operator, x, other):
    names = {"x": x, "other": other}
    exec(f"x {operator}= other", names)
    return names["x"]


@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "//", "%", "**"])
def test_augmented_assignment_writes_in_place(operator):
    x = kael.tensor([7.0, -7.0])
    plain = eval(f"x {operator} 2", {"x": x})
    assert augmented(operator, x, 2) is x
    assert x.tolist() == plain.tolist()
    assert x.version == 1


@pytest.mark.parametrize("operator", ["&", "|", "^", "<<", ">>"])
def test_augmented_assignment_of_integers_writes_in_place(operator):
    x = kael.tensor([12, 5])
    plain = eval(f"x {operator} 2", {"x": x})
    assert augmented(operator, x, 2) is x
    assert x.tolist() == plain.tolist()


def test_second_names_are_in_place_too():
    x = kael.tensor([4.0, -4.0])
    assert x.clip_(-1, 1).tolist() == [1.0, -1.0]
    assert x.subtract_(1).tolist() == [0.0, -2.0]
    assert x.absolute_().tolist() == [0.0, 2.0]
    assert x.true_divide_(4).tolist() == [0.0, 0.5]
    assert x.version == 4
