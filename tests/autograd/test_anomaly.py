"""Anomaly mode names the operation and the line that recorded it."""

import pytest

import kael
from kael.autograd import detect_anomaly, is_anomaly_enabled, set_detect_anomaly
from tests.autograd.leaves import leaf


class TestAnomaly:
    @pytest.mark.promise("103")
    def test_a_nan_names_the_operation_and_the_line(self):
        x = leaf([0.0])
        with detect_anomaly():
            y = x.sqrt() * 0
            with pytest.raises(RuntimeError) as failure:
                y.backward()
        text = str(failure.value)
        assert text.startswith("Function 'SqrtBackward' returned nan values in its 0th output. It was recorded at ")
        assert __file__ in text
        assert text.endswith("in test_a_nan_names_the_operation_and_the_line: y = x.sqrt() * 0")
        assert x.grad is None

    def test_the_line_is_the_users_not_the_librarys(self):
        layer = kael.nn.Linear(2, 2)
        with detect_anomaly():
            y = layer(kael.tensor([[1.0, float("nan")]]))
            with pytest.raises(RuntimeError, match=r"y = layer\(kael.tensor"):
                y.sum().backward()

    def test_another_error_keeps_its_type_and_gets_the_line_as_a_note(self):
        x, w = leaf([1.0]), kael.ones(1, dtype=kael.float64)
        with detect_anomaly():
            y = x * w
            w.add_(1)
            with pytest.raises(RuntimeError, match="modified by an inplace operation") as failure:
                y.backward()
        assert "Error detected in MulBackward. It was recorded at" in failure.value.__notes__[0]
        assert failure.value.__notes__[0].endswith("y = x * w")

    def test_a_node_from_before_is_named_without_a_line(self):
        y = leaf([0.0]).sqrt() * 0
        with detect_anomaly(), pytest.raises(RuntimeError, match="a line that ran before anomaly mode was on"):
            y.backward()

    def test_nan_can_be_let_through(self):
        x = leaf([0.0])
        with detect_anomaly(check_nan=False):
            (x.sqrt() * 0).backward()
        assert (x.grad != x.grad).tolist() == [True]

    def test_infinities_are_no_anomaly(self):
        x = leaf([0.0])
        with detect_anomaly():
            x.sqrt().backward()
        assert x.grad.tolist() == [float("inf")]

    def test_is_off_after_the_block_also_when_it_raises(self):
        assert not is_anomaly_enabled()
        with pytest.raises(ZeroDivisionError), detect_anomaly():
            assert is_anomaly_enabled()
            with set_detect_anomaly(False):
                assert not is_anomaly_enabled()
            assert is_anomaly_enabled()
            raise ZeroDivisionError
        assert not is_anomaly_enabled()

    def test_set_takes_true_and_false_alone(self):
        with pytest.raises(TypeError, match=r"set_detect_anomaly\(\): argument must be bool, not str"):
            kael.autograd.set_detect_anomaly("yes")
        assert not kael.autograd.is_anomaly_enabled()

    def test_set_works_as_a_call(self):
        set_detect_anomaly(True)
        try:
            assert kael.is_anomaly_enabled()
        finally:
            set_detect_anomaly(False)
        assert not kael.is_anomaly_enabled()

    def test_keeps_no_graph_alive(self):
        import weakref

        with detect_anomaly():
            node = weakref.ref((leaf([1.0]) * 2).grad_fn)
            assert node() is None
