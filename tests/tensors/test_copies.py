"""Copies and pickles of tensors: what is shared stays shared, and memory keeps its layout."""

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kael
from kael.copying import taken_apart

LAYOUTS = {
    "contiguous": lambda a: a,
    "transposed": lambda a: a.T,
    "strided": lambda a: a[:, ::2],
    "backwards": lambda a: a[::-1, ::-1],
    "offset": lambda a: a[1:, 2:],
    "one row": lambda a: a[1],
    "one element": lambda a: a[1, 1:2],
    "empty": lambda a: a[:0],
}
WAYS = {"deepcopy": copy.deepcopy, "pickle": lambda x: pickle.loads(pickle.dumps(x))}


class Labelled(kael.Tensor):
    """A tensor with a label, made from another tensor."""

    def __init__(self, data, label):
        super().__init__(data.storage, data.array, data.dtype)
        self.label = label


class Slotted(kael.Tensor):
    """A tensor of a class that takes no attributes."""

    __slots__ = ()


class Weight(kael.nn.Parameter):
    """A parameter of a class of its own."""


class Tied(kael.nn.Module):
    """Two layers with one weight."""

    def __init__(self):
        super().__init__()
        self.a = kael.nn.Linear(2, 2)
        self.b = kael.nn.Linear(2, 2)
        self.b.weight = self.a.weight


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
class TestCopies:
    @pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int64", "bool", "uint8"])
    @pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
    def test_values_dtype_and_strides_are_kept(self, way, layout, dtype):
        x = kael.from_numpy(layout(np.arange(24).reshape(4, 6).astype(dtype)))
        y = way(x)
        assert y.tolist() == x.tolist()
        assert (y.dtype, y.shape, y.stride()) == (x.dtype, x.shape, x.stride())
        assert y.version == 0
        if y.numel():
            y.fill_(0)
            assert not np.shares_memory(y.numpy(), x.numpy())

    def test_two_views_of_one_storage_stay_two_views_of_one(self, way):
        x = kael.arange(12).reshape(3, 4)
        a, row, turned = way([x, x[1], x.t()])
        a[1, 2] = 100
        assert row.tolist() == [4, 5, 100, 7]
        assert turned[2].tolist() == [2, 100, 10]
        assert a.storage is row.storage is turned.storage
        assert row.version == 1
        assert x[1, 2].item() == 6

    def test_a_view_of_a_view_keeps_its_place(self, way):
        x = kael.arange(24).reshape(4, 6)
        part = x[1:, 2:]
        first, second = way((part[1:, ::2], part))
        second[1, 0] = -1
        assert first.tolist() == [[-1, 16], [20, 22]]

    def test_a_leaf_keeps_requires_grad(self, way):
        x = way(kael.ones(2, requires_grad=True))
        assert x.requires_grad and x.is_leaf
        (x * 3).sum().backward()
        assert x.grad.tolist() == [3.0, 3.0]

    def test_a_subclass_is_kept_with_its_attributes(self, way):
        x = Labelled(kael.arange(6).reshape(2, 3).t(), ["rows"])
        y = way(x)
        assert (type(y), y.label, y.tolist(), y.stride()) == (Labelled, ["rows"], x.tolist(), (1, 3))
        assert y.label is not x.label

    def test_a_subclass_without_attributes_is_kept(self, way):
        x = kael.ones(2)
        assert type(way(Slotted(x.storage, x.array, x.dtype))) is Slotted

    def test_a_storage_is_kept_once(self, way):
        x = kael.zeros(1000)
        assert way([x.storage, x.storage])[0] is not x.storage
        first, second = way([x.storage, x.storage])
        assert first is second

    def test_a_module_with_tied_weights_stays_tied(self, way):
        model = way(Tied())
        assert model.b.weight is model.a.weight


class TestDeepcopy:
    @pytest.mark.promise("14")
    def test_keeps_the_gradient_with_memory_of_its_own(self):
        x = kael.ones(2, requires_grad=True)
        (x * 3).sum().backward()
        y = copy.deepcopy(x)
        assert y.grad.tolist() == [3.0, 3.0]
        y.grad.zero_()
        assert x.grad.tolist() == [3.0, 3.0]

    def test_a_parameter_keeps_its_class_and_what_belongs_to_it(self):
        weight = Weight(kael.ones(2))
        weight.label = "w"
        weight.sum().backward()
        again = copy.deepcopy(weight)
        assert (type(again), again.label, again.requires_grad, again.is_leaf) == (Weight, "w", True, True)
        assert again.grad.tolist() == [1.0, 1.0] and again.grad is not weight.grad

    @pytest.mark.parametrize("kind", [kael.nn.Parameter, Weight])
    def test_a_parameter_that_does_not_learn_stays_so(self, kind):
        again = copy.deepcopy(kind(kael.arange(2), requires_grad=False))
        assert (type(again), again.requires_grad, again.tolist()) == (kind, False, [0, 1])

    def test_of_a_tensor_twice_is_one_tensor(self):
        x = kael.ones(2)
        a, b = copy.deepcopy([x, x])
        assert a is b

    def test_a_shallow_copy_shares(self):
        x = kael.zeros(2)
        y = copy.copy(x)
        y[0] = 1.0
        assert y is not x
        assert x.tolist() == [1.0, 0.0]
        assert x.version == 1

    def test_a_shallow_copy_of_a_subclass_is_one_with_the_same_attributes(self):
        x = Labelled(kael.zeros(2), ["rows"])
        y = copy.copy(x)
        assert type(y) is Labelled and y.label is x.label and y.storage is x.storage

    def test_gaps_are_not_read_from_foreign_memory(self):
        wide = np.arange(24.0).reshape(4, 6)
        memory, *_ = taken_apart(kael.from_numpy(wide[:, ::2]).storage)
        assert np.frombuffer(memory, float)[1::2].tolist() == [0.0] * 11

    @pytest.mark.parametrize("kind", [bytes, bytearray])
    def test_memory_beside_a_pickle_is_written_only_where_it_may_be(self, kind):
        beside = []
        pickled = pickle.dumps(kael.zeros(4), protocol=5, buffer_callback=beside.append)
        buffers = [kind(buffer) for buffer in beside]
        x = pickle.loads(pickled, buffers=buffers)
        x[0] = 1.0
        assert x.tolist() == [1.0, 0.0, 0.0, 0.0]
        assert len(buffers) == 1 and any(buffers[0]) == (kind is bytearray)


class TestForms:
    @pytest.mark.parametrize("forms", [("", "python"), ("python", "")], ids=["compiled to pure", "pure to compiled"])
    def test_a_pickle_passes_between_the_forms_of_the_engine(self, forms, tmp_path):
        write = (
            "import pickle, sys, kael; x = kael.arange(6, dtype=kael.float64).reshape(2, 3); w = x.t();"
            "pickle.dump([x, w, x.storage, kael.nn.Linear(2, 1), kael.float16, kael.ones(1, requires_grad=True)],"
            "open(sys.argv[1], 'wb'))"
        )
        read = (
            "import pickle, sys, kael; x, w, s, m, d, r = pickle.load(open(sys.argv[1], 'rb')); w[2, 1] = 50.0;"
            "assert x.storage is s and w.stride() == (1, 3) and d is kael.float16 and r.requires_grad;"
            "m(kael.ones(1, 2)).sum().backward(); print(x.tolist(), m.weight.grad.tolist())"
        )
        root = str(Path(__file__).parents[2])
        for form, code in zip(forms, (write, read), strict=True):
            path = os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])
            done = subprocess.run(
                [sys.executable, "-W", "ignore", "-c", code, str(tmp_path / "kept")],
                env={**os.environ, "KAEL_ENGINE": form, "PYTHONPATH": path},
                capture_output=True, text=True, encoding="utf-8",
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == "[[0.0, 1.0, 2.0], [3.0, 4.0, 50.0]] [[1.0, 1.0]]"
