"""NumPy and DLPack: who shares memory with whom, and who refuses."""

import numpy as np
import pytest

import kael

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]
LAYOUTS = {
    "contiguous": lambda a: a,
    "transposed": lambda a: a.T,
    "strided": lambda a: a[:, ::2],
    "empty": lambda a: a[:0],
}


class TestNumPy:
    @pytest.mark.promise("185")
    @pytest.mark.parametrize("number", [np.float64(2), np.float32(2), np.int64(2), np.int8(2), np.uint8(2)])
    def test_a_numpy_number_on_the_left_is_recorded(self, number):
        x = kael.tensor([1.0, 3.0], requires_grad=True)
        for operation in (
            lambda: number * x, lambda: number + x, lambda: number - x, lambda: number / x, lambda: number**x,
        ):  # fmt: skip
            y = operation()
            assert isinstance(y, kael.Tensor) and y.requires_grad and y.dtype is kael.float32
        (number * x).sum().backward()
        assert x.grad.tolist() == [2.0, 2.0]

    @pytest.mark.promise("185")
    def test_an_array_as_operand_is_refused_on_both_sides(self):
        x, a = kael.ones(2), np.ones(2)
        for operation in (lambda: a * x, lambda: x * a, lambda: a + x, lambda: a @ x, lambda: a - x):
            with pytest.raises(TypeError):
                operation()

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_asarray_shares_and_array_copies(self, dtype):
        x = kael.ones(2, dtype=getattr(kael, dtype))
        shared, copied = np.asarray(x), np.array(x)
        assert shared.dtype == dtype == copied.dtype
        assert np.shares_memory(shared, x.numpy()) and not np.shares_memory(copied, x.numpy())

    def test_array_takes_a_dtype_and_copy(self):
        x = kael.tensor([1.5, 2.5])
        assert np.asarray(x, dtype=np.int32).tolist() == [1, 2]
        assert not np.shares_memory(x.__array__(copy=True), x.numpy())
        assert np.shares_memory(x.__array__(copy=False), x.numpy())
        with pytest.raises(ValueError, match="a copy is needed to convert float32 to float64"):
            x.__array__(np.dtype("float64"), copy=False)

    @pytest.mark.promise("11")
    def test_a_tensor_that_requires_grad_is_refused_but_for_force(self):
        x = kael.ones(2, requires_grad=True)
        for look in (x.numpy, lambda: np.asarray(x), (x * 2).numpy):
            with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
                look()
        assert np.shares_memory(x.numpy(force=True), x.detach().numpy())
        assert (x * 2).numpy(force=True).tolist() == [2.0, 2.0]

    @pytest.mark.filterwarnings("ignore:Setting the:DeprecationWarning")
    @pytest.mark.parametrize("look", [kael.Tensor.numpy, np.asarray], ids=["numpy", "asarray"])
    def test_a_tensor_keeps_its_form_when_its_array_is_given_another(self, look):
        x = kael.tensor([[1.0, 2.0], [3.0, 4.0]])
        look(x).shape = (4,)
        look(x).dtype = np.int32
        look(x).flags.writeable = False
        x.add_(1)
        assert x.tolist() == [[2.0, 3.0], [4.0, 5.0]] and x.dtype is kael.float32

    @pytest.mark.filterwarnings("ignore:Setting the:DeprecationWarning")
    def test_a_tensor_keeps_its_form_when_the_array_below_it_is_given_another(self):
        a = np.array([[1.0, 2.0], [3.0, 4.0]])
        x = kael.from_numpy(a)
        a.shape = (4,)
        a[0] = 5.0
        assert x.tolist() == [[5.0, 2.0], [3.0, 4.0]]

    @pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
    def test_a_matrix_becomes_a_tensor_like_others(self):
        x = kael.from_numpy(np.matrix([[1.0, 2.0], [3.0, 4.0]]))
        assert x[0].shape == (2,) and (x * x).tolist() == [[1.0, 4.0], [9.0, 16.0]]


class TestDLPack:
    @pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
    @pytest.mark.parametrize("dtype", DTYPES)
    def test_numpy_and_kael_share_memory_both_ways(self, dtype, layout):
        a = layout(np.arange(12).reshape(3, 4).astype(dtype))
        x = kael.from_dlpack(a)
        assert x.tolist() == a.tolist() and x.dtype.name == dtype
        back = np.from_dlpack(x)
        assert back.strides == a.strides or not a.size
        assert not a.size or np.shares_memory(a, back)

    @pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
    @pytest.mark.parametrize("dtype", DTYPES)
    def test_pytorch_and_kael_share_memory_both_ways(self, dtype, layout):
        torch = pytest.importorskip("torch")
        x = kael.from_numpy(layout(np.arange(12).reshape(3, 4).astype(dtype)))
        t = torch.from_dlpack(x)
        assert t.tolist() == x.tolist() and str(t.dtype) == f"torch.{dtype}" and t.stride() == x.stride()
        if x.numel():
            t.fill_(1)
            assert set(np.ravel(x.tolist())) == {1}
        y = kael.from_dlpack(t)
        assert y.dtype is x.dtype and y.shape == x.shape
        if x.numel():
            y.fill_(0)
            assert set(np.ravel(t.tolist())) == {0} == set(np.ravel(x.tolist()))

    def test_kael_to_kael_shares_memory_and_version(self):
        x = kael.zeros(2)
        y = kael.from_dlpack(x)
        y[0] = 1.0
        assert x.tolist() == [1.0, 0.0] and x.version == 1

    def test_the_device_is_the_processor(self):
        assert tuple(map(int, kael.ones(1).__dlpack_device__())) == (1, 0)

    def test_a_tensor_that_requires_grad_is_refused(self):
        for x in (kael.ones(1, requires_grad=True), kael.ones(1, requires_grad=True) * 2):
            with pytest.raises(BufferError, match="Can't export tensors that require gradient"):
                kael.from_dlpack(x)

    def test_the_memory_outlives_its_first_owner(self):
        x = kael.from_dlpack(np.arange(1000.0))
        assert x[999].item() == 999.0

    def test_what_does_not_speak_it_is_named(self):
        with pytest.raises(TypeError, match="from_dlpack: list has no __dlpack__; use kael.tensor, which copies"):
            kael.from_dlpack([1.0])

    def test_read_only_memory_is_refused(self):
        a = np.arange(3.0)
        a.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            kael.from_dlpack(a)
