"""In-place operations: the three refusals, the version counter, and what a write may not do."""

import pytest

import kael
from kael.ops.inplace import check_grad_rules
from tests.autograd.leaves import leaf, plain

WRITES = {
    "add_": lambda x, source: x.add_(source),
    "sub_": lambda x, source: x.sub_(source),
    "mul_": lambda x, source: x.mul_(source),
    "div_": lambda x, source: x.div_(source),
    "copy_": lambda x, source: x.copy_(source),
    "__setitem__": lambda x, source: x.__setitem__(slice(None), source),
    "fill_": lambda x, source: x.fill_(source.sum()),
    "zero_": lambda x, source: x.zero_(),
}
WITH_SOURCE = [name for name in WRITES if name != "zero_"]


def message(call):
    with pytest.raises(RuntimeError) as error:
        call()
    return str(error.value)


class TestGradRules:
    @pytest.mark.promise("S32")
    @pytest.mark.promise("63")
    @pytest.mark.parametrize("name", WRITES)
    def test_a_leaf_that_requires_grad_is_refused(self, name):
        x = leaf([1.0, 2.0])
        text = f"a leaf tensor that requires grad is being used in the in-place operation {name}"
        assert message(lambda: WRITES[name](x, plain([1.0, 1.0]))) == text
        assert x.tolist() == [1.0, 2.0]
        assert x.version == 0

    @pytest.mark.promise("S32")
    def test_augmented_assignment_is_the_in_place_operation(self):
        x = leaf([1.0])

        def augmented():
            y = x
            y += 1

        assert message(augmented).endswith("in-place operation add_")

    @pytest.mark.promise("S33")
    @pytest.mark.promise("65")
    @pytest.mark.parametrize("name", WRITES)
    def test_a_tensor_with_history_is_refused(self, name):
        y = leaf([1.0, 2.0]).exp()
        node, values = y.grad_fn, y.tolist()
        text = f"{name} is not supported on a tensor with gradient history; use the out-of-place op"
        assert message(lambda: WRITES[name](y, plain([1.0, 1.0]))) == text
        assert y.grad_fn is node
        assert y.tolist() == values

    @pytest.mark.promise("S34")
    @pytest.mark.parametrize("name", WITH_SOURCE)
    def test_a_source_that_requires_grad_is_refused(self, name):
        x = plain([1.0, 2.0])
        source = leaf([1.0, 1.0])
        assert message(lambda: WRITES[name](x, source)) == f"{name} is not supported with a source that requires grad"
        assert x.tolist() == [1.0, 2.0]
        assert x.version == 0

    @pytest.mark.promise("S35")
    @pytest.mark.parametrize("name", WRITES)
    def test_with_grad_mode_off_none_is_checked_but_the_version_rises(self, name):
        x, y, z = leaf([1.0, 2.0]), leaf([1.0, 2.0]).exp(), plain([1.0, 2.0])
        with kael.no_grad():
            WRITES[name](x, plain([1.0, 1.0]))
            WRITES[name](y, plain([1.0, 1.0]))
            WRITES[name](z, leaf([1.0, 1.0]))
        assert (x.version, y.version, z.version) == (1, 1, 1)
        assert x.requires_grad
        assert not z.requires_grad

    @pytest.mark.promise("S35")
    def test_a_write_with_grad_mode_off_is_still_caught_in_backward(self):
        x = leaf([1.0, 2.0])
        loss = (x * x).sum()
        with kael.no_grad():
            x.sub_(1)
        assert message(loss.backward).startswith("one of the variables needed for gradient computation")

    def test_check_grad_rules_is_the_one_place(self):
        assert message(lambda: check_grad_rules(leaf([1.0]), None, "any_")).endswith("in-place operation any_")
        check_grad_rules(plain([1.0]), plain([1.0]), "any_")
        with kael.no_grad():
            check_grad_rules(leaf([1.0]), leaf([1.0]), "any_")

    @pytest.mark.promise("64")
    def test_a_view_of_a_leaf_has_history(self):
        x = leaf([1.0, 2.0])
        assert "gradient history" in message(lambda: x[0:1].add_(1))
        assert "gradient history" in message(lambda: x[0].fill_(1))

    @pytest.mark.promise("64")
    def test_a_view_made_with_recording_off_asks_its_base(self):
        x = leaf([1.0, 2.0])
        with kael.no_grad():
            view = x[0:1]
            deeper = view.reshape(1, 1)
        assert message(lambda: view.add_(1)) == (
            "a leaf tensor that requires grad is being used in the in-place operation add_"
        )
        assert "in-place operation zero_" in message(deeper.zero_)
        x.detach().add_(1)
        assert x.tolist() == [2.0, 3.0]
        assert x.version == 1

    @pytest.mark.promise("75")
    def test_a_row_of_a_computed_tensor_is_refused(self):
        y = leaf([1.0, 2.0]) * 2
        assert "gradient history" in message(lambda: y.__setitem__(0, 7.0))

    @pytest.mark.promise("74")
    def test_an_item_from_a_source_that_requires_grad_is_refused(self):
        c, w = kael.zeros(3, dtype=kael.float64), leaf([1.0])
        assert message(lambda: c.__setitem__(slice(0, 1), w * 2)) == (
            "__setitem__ is not supported with a source that requires grad"
        )


class TestAutogradVersion:
    @pytest.mark.promise("S31")
    @pytest.mark.promise("73")
    @pytest.mark.parametrize("name", WRITES)
    def test_every_in_place_operation_counts_one(self, name):
        x = plain([1.0, 2.0])
        WRITES[name](x, plain([1.0, 1.0]))
        assert x.version == 1
        assert x._version == 1

    @pytest.mark.promise("S31")
    @pytest.mark.promise("73")
    @pytest.mark.parametrize("index", [0, slice(0, 1), [0, 1], [True, False], None, ...])
    def test_item_assignment_counts_one(self, index):
        x = plain([1.0, 2.0])
        x[index] = 5.0
        assert x.version == 1

    @pytest.mark.promise("S31")
    @pytest.mark.promise("73")
    def test_views_and_detached_handles_share_the_counter(self):
        x = plain([[1.0, 2.0], [3.0, 4.0]])
        views = [x[0], x.t(), x.reshape(4), x.detach(), x.expand(2, 2), x.unsqueeze(0), x.data, x.view(4)]
        for count, view in enumerate([x[0], x.t(), x.reshape(4), x.detach(), x.data], start=1):
            view.add_(1)
            assert {v.version for v in (x, *views)} == {count}

    @pytest.mark.promise("S31")
    @pytest.mark.promise("70")
    @pytest.mark.parametrize("way", [lambda w: w[0], lambda w: w.detach(), lambda w: w.reshape(1, 2), lambda w: w.data])
    def test_a_write_through_any_view_is_caught(self, way):
        x, w = leaf([1.0, 2.0]), plain([3.0, 4.0])
        loss = (x * w).sum()
        way(w).add_(1)
        assert "modified by an inplace operation: expected version 0, got 1" in message(loss.backward)

    @pytest.mark.promise("S31")
    @pytest.mark.promise("70")
    def test_a_write_to_the_base_of_a_saved_view_is_caught(self):
        x, w = leaf([1.0]), plain([3.0, 4.0])
        loss = (x * w[0:1]).sum()
        w.add_(1)
        assert "modified by an inplace operation" in message(loss.backward)

    @pytest.mark.promise("73")
    def test_a_clone_begins_at_zero(self):
        x = plain([1.0, 2.0])
        x.add_(1)
        assert x.clone().version == 0
        assert kael.tensor(x).version == 0

    def test_reading_counts_nothing(self):
        x = plain([1.0, 2.0])
        x + x, x[0], x.sum(), x.tolist(), x.reshape(2, 1), x.exp()
        assert x.version == 0

    @pytest.mark.promise("72")
    def test_a_write_through_numpy_is_not_seen(self):
        x, w = leaf([1.0, 2.0]), plain([3.0, 4.0])
        loss = (x * w).sum()
        w.numpy()[:] = 0
        loss.backward()
        assert x.grad.tolist() == [0.0, 0.0]

    @pytest.mark.promise("68")
    def test_an_operation_that_saves_nothing_lets_its_inputs_be_written(self):
        x, w = leaf([1.0, 2.0]), plain([3.0, 4.0])
        loss = (x + w).sum()
        w.zero_()
        loss.backward()
        assert x.grad.tolist() == [1.0, 1.0]

    @pytest.mark.promise("71")
    def test_a_step_before_backward_is_caught(self):
        w, x = leaf([1.0, 2.0]), plain([3.0, 4.0])
        loss = ((w * x) ** 2).sum()
        with kael.no_grad():
            x.sub_(0.1)
        assert "modified by an inplace operation" in message(loss.backward)


class TestWrites:
    def test_give_their_tensor_back(self):
        x = plain([1.0, 2.0])
        for name, write in WRITES.items():
            if name != "__setitem__":
                assert write(x, plain([1.0, 1.0])) is x

    @pytest.mark.promise("76")
    @pytest.mark.parametrize("name", ["add_", "sub_", "mul_", "div_", "copy_"])
    def test_an_expanded_tensor_is_refused(self, name):
        x = plain([1.0]).expand(3)
        text = message(lambda: WRITES[name](x, plain([1.0, 1.0, 1.0])))
        assert text == (
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            f"Please clone() the tensor before performing the operation {name}."
        )

    def test_one_number_may_be_written_to_an_expanded_tensor(self):
        x = plain([1.0])
        assert x.expand(3).fill_(2).tolist() == [2.0, 2.0, 2.0]
        assert x.expand(3).zero_().tolist() == [0.0, 0.0, 0.0]
        assert x.version == 2

    @pytest.mark.promise("77")
    def test_must_not_grow_the_shape(self):
        text = message(lambda: plain([1.0]).add_(plain([1.0, 2.0, 3.0])))
        assert text == "output with shape (1,) doesn't match the broadcast shape (3,)"

    @pytest.mark.promise("78")
    def test_a_result_of_a_higher_category_is_refused(self):
        assert message(lambda: kael.tensor([1, 2]).add_(1.5)) == (
            "result type float32 can't be cast to the desired output type int64"
        )
        assert message(lambda: kael.tensor([1, 2]).div_(2)) == (
            "result type float32 can't be cast to the desired output type int64"
        )
        assert message(lambda: kael.tensor([True]).add_(1)) == (
            "result type int64 can't be cast to the desired output type bool"
        )

    def test_keep_the_dtype(self):
        x = kael.tensor([1.0, 2.0])
        x.add_(plain([1.0, 1.0]))
        assert x.dtype is kael.float32
        y = kael.tensor([1, 2], dtype=kael.int32)
        y.mul_(kael.tensor([3, 3]))
        assert y.dtype is kael.int32
        assert y.tolist() == [3, 6]

    def test_of_a_tensor_into_itself_reads_before_it_writes(self):
        x = plain([1.0, 2.0, 3.0, 4.0])
        x[1:] = x[:-1]
        assert x.tolist() == [1.0, 1.0, 2.0, 3.0]
        x = plain([1.0, 2.0, 3.0, 4.0])
        x[1:].add_(x[:-1])
        assert x.tolist() == [1.0, 3.0, 5.0, 7.0]
        x = plain([[1.0, 2.0], [3.0, 4.0]])
        x.add_(x.t())
        assert x.tolist() == [[2.0, 5.0], [5.0, 8.0]]

    def test_a_value_that_does_not_fit_is_refused(self):
        assert message(lambda: plain([1.0, 2.0]).__setitem__(slice(None), plain([1.0, 2.0, 3.0]))) == (
            "__setitem__: the value is (3,) but the index selects (2,); it must broadcast to that shape"
        )

    def test_fill_takes_one_number(self):
        assert "fill_ only supports 0-dimension value tensor" in message(lambda: plain([1.0]).fill_(plain([1.0])))
        assert plain([1.0, 2.0]).fill_(kael.tensor(3)).tolist() == [3.0, 3.0]

    def test_to_strided_views_reach_the_base(self):
        x = kael.zeros(4)
        x[::2].add_(1)
        x[1::2].fill_(2)
        assert x.tolist() == [1.0, 2.0, 1.0, 2.0]
