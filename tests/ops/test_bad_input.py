"""Input that kael refuses with a sentence that says what to do, or takes though it is unusual."""

import math

import numpy as np
import pytest

import kael
from kael.elements import MAX_AXES

DTYPES = "bool, uint8, int8, int16, int32, int64, float16, float32, float64"


def refused(kind, call):
    """The text of the error that a call raises."""
    with pytest.raises(kind) as error:
        call()
    return str(error.value)


class TestNewTensors:
    @pytest.mark.parametrize("data", [[[1, 2], [3]], [[1, 2], 3], [1, [2]], [[[1], [2, 3]]]])
    def test_ragged_lists_are_refused(self, data):
        assert refused(ValueError, lambda: kael.tensor(data)) == (
            "tensor: the nested sequences have uneven lengths; every row must hold as many elements as the first"
        )

    @pytest.mark.parametrize("data", ["abc", ["a", "b"], [1, "a"], [[1.0, 2.0], ["a", 3]]])
    def test_text_is_refused(self, data):
        assert refused(TypeError, lambda: kael.tensor(data)) == (
            "tensor: new tensors are made of numbers, got str; convert the text first"
        )

    @pytest.mark.parametrize("data", [b"abc", [b"a"]])
    def test_bytes_are_refused(self, data):
        assert "new tensors are made of numbers, got bytes" in refused(TypeError, lambda: kael.tensor(data))

    def test_lists_without_an_end_are_refused(self):
        circle, after_a_tensor = [], [kael.tensor(1.0)]
        circle.append(circle)
        after_a_tensor.append(after_a_tensor)
        for data in (circle, after_a_tensor):
            assert refused(ValueError, lambda data=data: kael.tensor(data)) == (
                f"tensor: the sequences are nested more than {MAX_AXES} deep; a tensor has at most {MAX_AXES} axes, "
                "and a list that holds itself has no end"
            )

    def test_a_list_as_deep_as_a_tensor_may_be_is_taken(self):
        data = 1.0
        for _ in range(MAX_AXES):
            data = [data]
        assert kael.tensor(data).shape == (1,) * MAX_AXES

    @pytest.mark.parametrize("data", [None, [1, None], {1: 2}, {1, 2}, [object()]])
    def test_what_is_no_number_is_refused_by_its_type(self, data):
        assert refused(TypeError, lambda: kael.tensor(data)).startswith("tensor: new tensors are made of numbers, got ")

    @pytest.mark.parametrize("data", [1j, [1, 2j], np.array([1j]), np.complex64(1)])
    def test_complex_numbers_are_refused(self, data):
        text = refused(TypeError, lambda: kael.tensor(data))
        assert text.startswith("tensor: kael has no dtype for complex")
        assert text.endswith(f"convert to one of {DTYPES} first")

    @pytest.mark.parametrize("maker", [kael.tensor, kael.from_numpy, kael.as_tensor])
    @pytest.mark.parametrize(
        "array",
        [
            np.array([1, 2], object),
            np.array(["2020"], "M8[D]"),
            np.zeros(2, [("a", "f4")]),
            np.array([1], "u8"),
            np.array([1j]),
            np.array(["a"]),
        ],
        ids=["object", "dates", "structures", "uint64", "complex", "text"],
    )
    def test_arrays_of_other_dtypes_are_refused(self, maker, array):
        text = refused(TypeError, lambda: maker(array))
        assert f"kael has no dtype for {array.dtype}; convert to one of {DTYPES} first" in text

    @pytest.mark.parametrize("data", [2**70, [2**70, 1], -(2**70), 2**63, [[2**63]]])
    def test_integers_beyond_int64_are_refused(self, data):
        assert refused(TypeError, lambda: kael.tensor(data)) == (
            "tensor: a number is too large for int64; write it as a float"
        )

    def test_arrays_of_the_other_byte_order_are_copied_in_the_machines(self):
        array = np.arange(3, dtype=np.dtype(np.float64).newbyteorder())
        x = kael.tensor(array)
        assert x.tolist() == [0.0, 1.0, 2.0]
        assert x.numpy().dtype.isnative
        assert (x + 1).tolist() == [1.0, 2.0, 3.0]
        assert refused(ValueError, lambda: kael.from_numpy(array)) == (
            "from_numpy: the array is not in the machine's byte order; use kael.tensor, which copies"
        )

    def test_read_only_arrays_are_copied_and_not_shared(self):
        array = np.arange(3.0)
        array.flags.writeable = False
        x = kael.tensor(array)
        x.add_(1)
        assert x.tolist() == [1.0, 2.0, 3.0]
        assert array.tolist() == [0.0, 1.0, 2.0]
        assert refused(ValueError, lambda: kael.from_numpy(array)) == (
            "from_numpy: the array is read-only; use kael.tensor, which copies"
        )

    def test_unaligned_arrays_are_copied_and_not_shared(self):
        array = np.frombuffer(bytearray(9), np.uint8)[1:].view(np.float32)
        assert (kael.tensor(array) + 1).tolist() == [1.0, 1.0]
        assert refused(ValueError, lambda: kael.from_numpy(array)) == (
            "from_numpy: the array is not aligned to its element size; use kael.tensor, which copies"
        )

    def test_negative_strides_are_taken(self):
        array = np.arange(4.0)
        for x in (kael.tensor(array[::-1]), kael.from_numpy(array[::-1])):
            x.requires_grad_()
            (x * kael.tensor([1.0, 10.0, 100.0, 1000.0], dtype=kael.float64)).sum().backward()
            assert x.tolist() == [3.0, 2.0, 1.0, 0.0]
            assert x.grad.tolist() == [1.0, 10.0, 100.0, 1000.0]
            assert (x.detach() @ x.detach()).item() == 14.0

    def test_overlapping_arrays_are_not_written_to(self):
        windows = np.lib.stride_tricks.sliding_window_view(np.arange(4.0), 2)
        assert kael.tensor(windows).tolist() == [[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]]
        assert "read-only" in refused(ValueError, lambda: kael.from_numpy(windows))

    def test_tensor_copies_and_from_numpy_shares(self):
        array = np.arange(3.0)
        copied, shared = kael.tensor(array), kael.from_numpy(array)
        array[0] = 9
        assert copied.tolist()[0] == 0.0
        assert shared.tolist()[0] == 9.0
        assert shared.version == 0

    def test_from_numpy_takes_arrays_alone(self):
        assert refused(TypeError, lambda: kael.from_numpy([1])) == (
            "from_numpy: expected a NumPy array, got list; use kael.tensor"
        )

    @pytest.mark.parametrize("dtype", ["float32", float, np.float32, "cuda"])
    @pytest.mark.parametrize("maker", [lambda dtype: kael.zeros(2, dtype=dtype), lambda dtype: kael.tensor(1, dtype)])
    def test_dtypes_are_kaels(self, maker, dtype):
        assert "expected a dtype such as kael.float32, got " in refused(TypeError, lambda: maker(dtype))

    def test_nan_and_infinity_are_numbers(self):
        assert str(kael.tensor([math.nan, math.inf, -math.inf]).tolist()) == "[nan, inf, -inf]"

    def test_sizes_must_be_whole_and_not_negative(self):
        assert refused(TypeError, lambda: kael.zeros(2.5)) == (
            "sizes must be integers or one sequence of them, got float"
        )
        assert refused(RuntimeError, lambda: kael.zeros(2, -1)) == "zeros: sizes must not be negative, got (2, -1)"

    def test_arange_takes_numbers_and_a_step(self):
        assert "arange: an operand is str" in refused(TypeError, lambda: kael.arange("a"))
        assert refused(RuntimeError, lambda: kael.arange(0, 1, 0)) == "arange: step must be nonzero"


class TestOperands:
    @pytest.mark.parametrize("other", ["a", [1, 2], None, 1j, {}])
    @pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "pow", "maximum", "lt", "logical_and"])
    def test_what_is_no_number_is_named(self, name, other):
        x, function = kael.ones(2), getattr(kael, name)
        kind = type(other).__name__
        for call in (lambda: function(x, other), lambda: function(other, x)):
            assert refused(TypeError, call) == f"{name}: an operand is {kind}; tensors and real numbers are taken"

    @pytest.mark.parametrize("call", [lambda x, a: x + a, lambda x, a: a + x, lambda x, a: a @ x, lambda x, a: x @ a])
    def test_numpy_arrays_are_not_mixed_in_silence(self, call):
        assert "ndarray" in refused(TypeError, lambda: call(kael.ones(2), np.ones(2))).replace("NumPy array", "ndarray")

    def test_numbers_beyond_int64(self):
        assert (kael.ones(1) * 2**70).item() == 2.0**70
        assert refused(OverflowError, lambda: kael.tensor([1]) + 2**70) == (
            f"the number {2**70} does not fit int64; write it as a float"
        )

    def test_none_and_text_are_unequal(self):
        x = kael.ones(2)
        assert (x == None) is False  # noqa: E711
        assert (x != None) is True  # noqa: E711
        assert (x == "a") is False

    def test_bit_operations_are_for_masks_and_integers(self):
        mask, single = kael.tensor([True, False]), kael.ones(2)
        assert (~mask).tolist() == [False, True]
        assert (mask & True).tolist() == [True, False]
        assert (mask | ~mask).tolist() == [True, True]
        assert "only implemented on integer and Boolean-type tensors" in refused(TypeError, lambda: ~single)
        for call in (lambda: single & mask, lambda: mask | single, lambda: single << 1):
            assert "not implemented for float32" in refused(NotImplementedError, call)
        assert "cast to an integer dtype first" in refused(NotImplementedError, lambda: mask << mask)

    def test_matmul_of_masks(self):
        assert "cast the operands" in refused(RuntimeError, lambda: kael.ones(2, 2).bool() @ kael.ones(2, 2).bool())

    def test_expand_takes_no_negative_size_but_one(self):
        assert "must not be negative" in refused(RuntimeError, lambda: kael.ones(1).expand(-2))

    def test_a_condition_must_be_bool(self):
        x = kael.ones(2)
        assert refused(TypeError, lambda: kael.where(x, x, x)) == (
            "where: the condition is float32; compare it with a value to make it bool"
        )

    @pytest.mark.parametrize(("axis", "kind"), [("a", "str"), (1.0, "float"), (None, "NoneType")])
    def test_axes_are_integers(self, axis, kind):
        text = f"an axis must be an integer, got {kind}"
        assert refused(TypeError, lambda: kael.ones(2, 2).transpose(0, axis)) == text
        if axis is not None:
            assert refused(TypeError, lambda: kael.ones(2, 2).sum(axis)) == text
            assert refused(TypeError, lambda: kael.ones(2, 2).unsqueeze(axis)) == text

    @pytest.mark.parametrize("sizes", [("a",), (2.0,), (None,)])
    def test_sizes_are_integers(self, sizes):
        for method in ("reshape", "view", "expand", "permute"):
            assert "sizes must be integers" in refused(
                TypeError, lambda name=method: getattr(kael.ones(2), name)(*sizes)
            )

    @pytest.mark.parametrize(
        ("name", "arguments"),
        [
            ("reshape", (2,)),
            ("flatten", ()),
            ("transpose", (0, 1)),
            ("t", ()),
            ("permute", (0,)),
            ("squeeze", ()),
            ("unsqueeze", (0,)),
            ("clone", ()),
            ("sum", ()),
            ("exp", ()),
            ("softmax", (0,)),
        ],
    )
    def test_what_stands_in_a_tensors_place_is_named(self, name, arguments):
        assert refused(TypeError, lambda: getattr(kael, name)([1.0, 2.0], *arguments)) == (
            f"{name}: an operand is list; tensors and real numbers are taken"
        )

    def test_joined_things_are_sequences_of_tensors(self):
        x = kael.ones(2)
        assert refused(TypeError, lambda: kael.cat(x)) == "cat(): expected a sequence of tensors, got Tensor"
        assert refused(TypeError, lambda: kael.stack(5)) == "stack(): expected a sequence of tensors, got int"
        assert refused(TypeError, lambda: kael.cat([x, 1])) == "cat(): element 1 is int; all must be tensors"

    @pytest.mark.parametrize("value", ["a", None, 1j])
    def test_what_is_written_is_a_number(self, value):
        for call in (
            lambda x: x.add_(value),
            lambda x: x.fill_(value),
            lambda x: x.copy_(value),
            lambda x: x.__setitem__(0, value),
        ):
            x = kael.ones(2)
            assert "tensors and real numbers are taken" in refused(TypeError, lambda call=call, x=x: call(x))
            assert x.version == 0

    def test_gradients_are_tensors(self):
        x = kael.ones(2, requires_grad=True)
        for gradient in ([1.0, 1.0], "a", np.ones(2), 1.0):
            assert "gradients can be either Tensors or None, but got" in refused(
                TypeError, lambda gradient=gradient: x.backward(gradient)
            )

    @pytest.mark.parametrize("number", [1e300, -1e300, 2**200])
    @pytest.mark.parametrize("dtype", [kael.float16, kael.float32])
    def test_a_number_beyond_a_dtype_is_infinite_without_a_warning(self, number, dtype):
        product = kael.ones(1, dtype=dtype) * number
        assert product.item() == math.copysign(math.inf, number)
        assert product.dtype is dtype

    @pytest.mark.parametrize("value", ["False", 1, None])
    def test_requires_grad_takes_true_and_false_alone(self, value):
        x = kael.ones(2)
        text = f"requires_grad must be True or False, got {type(value).__name__}"
        assert refused(TypeError, lambda: x.requires_grad_(value)) == text
        assert not x.requires_grad


class TestIndices:
    @pytest.mark.parametrize("index", ["a", 1.5, 1j, {1}, (None, "a")])
    def test_what_is_no_index_is_named(self, index):
        assert refused(IndexError, lambda: kael.ones(2)[index]).startswith(
            "only integers, slices (`:`), ellipsis (`...`), None and integer or bool tensors are valid indices (got "
        )

    def test_float_lists_and_tensors(self):
        for index in ([1.5], kael.tensor([1.5]), kael.tensor([])):
            assert "must be of integer or bool dtype" in refused(IndexError, lambda index=index: kael.ones(2)[index])

    def test_uint8_says_neither_mask_nor_places(self):
        for index in (kael.tensor([1, 0], dtype=kael.uint8), np.array([1, 0], "u1")):
            assert "cast it to bool or int64" in refused(IndexError, lambda index=index: kael.ones(2)[index])

    def test_uneven_lists(self):
        assert refused(IndexError, lambda: kael.ones(2)[[[0, 1], [0]]]) == (
            "a list used as an index must hold rows of one length"
        )

    @pytest.mark.parametrize("index", [slice(0, 1.5), slice("a", None)])
    def test_bounds_of_slices(self, index):
        assert "the bounds of a slice must be integers or None" in refused(TypeError, lambda: kael.ones(2)[index])

    @pytest.mark.parametrize("index", [2, -3, 2**70, [0, 2], [-3]])
    def test_out_of_bounds(self, index):
        assert "is out of bounds for dimension 0 with size 2" in refused(IndexError, lambda: kael.ones(2)[index])

    def test_unusual_indices_that_are_taken(self):
        x = kael.tensor([1.0, 2.0, 3.0])
        assert x[np.int64(1)].item() == 2.0
        assert x[np.array([0, 2], "i2")].tolist() == [1.0, 3.0]
        assert x[np.array([True, False, True])].tolist() == [1.0, 3.0]
        assert x[[]].tolist() == []
        assert x[kael.tensor(2)].item() == 3.0
        assert x[5:].tolist() == []
        assert x[-99:2].tolist() == [1.0, 2.0]

    def test_size_and_stride_name_the_axes_that_there_are(self):
        x = kael.ones(2, 3)
        for call in (x.size, x.stride):
            assert refused(IndexError, lambda call=call: call(5)) == (
                "Dimension out of range (expected to be in range of [-2, 1], but got 5)"
            )
            assert refused(TypeError, lambda call=call: call("a")) == "an axis must be an integer, got str"

    def test_a_changed_index_does_not_change_the_gradient(self):
        x, index = kael.ones(3, requires_grad=True), np.array([0, 1])
        y = x[index].sum()
        index[:] = 2
        y.backward()
        assert x.grad.tolist() == [1.0, 1.0, 0.0]


class TestMissingNames:
    @pytest.mark.parametrize("name", ["cdist", "jit", "compile"])
    def test_a_name_that_kael_does_not_have_is_said_so(self, name):
        torch = kael
        assert refused(AttributeError, lambda: getattr(torch, name)).startswith(
            f"module 'kael' has no attribute '{name}'"
        )

    def test_a_method_that_kael_does_not_have_is_said_so(self):
        text = refused(AttributeError, lambda: kael.ones(2).sparse())
        assert text.endswith("Tensor' object has no attribute 'sparse'")

    @pytest.mark.parametrize("move", [lambda x: x.cuda(), lambda x: x.to("cuda"), lambda x: kael.device("cuda")])
    def test_another_device_than_the_cpu_is_named(self, move):
        assert "kael computes on the CPU, so there is no device 'cuda'; use 'cpu'" in refused(
            RuntimeError, lambda: move(kael.ones(2))
        )

    def test_a_tensor_takes_no_new_attributes(self):
        with pytest.raises(AttributeError):
            kael.ones(2).name = "weight"

    def test_what_is_imported_later_is_listed(self):
        assert {"nn", "optim", "show_config", "tensor", "matmul"} <= set(dir(kael))
