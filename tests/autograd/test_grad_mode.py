"""Grad mode: per thread, restored whatever happens, as context and as decorator."""

import threading

import pytest

import kael
from kael.autograd import EnableGradGuard, GradMode, NoGradGuard, without_grad
from tests.autograd.leaves import leaf, plain, recorded


class TestGradMode:
    @pytest.mark.promise("S11")
    def test_is_on_by_default(self):
        assert kael.is_grad_enabled() is True
        assert GradMode.is_enabled() is True

    @pytest.mark.promise("S11")
    @pytest.mark.promise("89")
    def test_belongs_to_the_thread(self):
        seen = []

        def look():
            seen.append(kael.is_grad_enabled())
            GradMode.set_enabled(False)

        with kael.no_grad():
            thread = threading.Thread(target=look)
            thread.start()
            thread.join()
        assert seen == [True]
        assert kael.is_grad_enabled()

    @pytest.mark.promise("S12")
    @pytest.mark.promise("86")
    def test_exception_restores_state(self):
        with pytest.raises(ValueError, match="^inside$"), NoGradGuard():
            assert not kael.is_grad_enabled()
            raise ValueError("inside")
        assert kael.is_grad_enabled()

    @pytest.mark.promise("S12")
    @pytest.mark.promise("86")
    def test_restores_the_previous_value_not_true(self):
        with kael.no_grad():
            with pytest.raises(ValueError, match="^inside$"), kael.no_grad():
                raise ValueError("inside")
            assert not kael.is_grad_enabled()
            with kael.enable_grad():
                assert kael.is_grad_enabled()
                with kael.no_grad():
                    assert not kael.is_grad_enabled()
                assert kael.is_grad_enabled()
            assert not kael.is_grad_enabled()
        assert kael.is_grad_enabled()

    @pytest.mark.promise("S12")
    def test_one_guard_can_be_entered_twice(self):
        guard = kael.no_grad()
        with guard, guard:
            assert not kael.is_grad_enabled()
        assert kael.is_grad_enabled()

    @pytest.mark.promise("S13")
    @pytest.mark.promise("85")
    def test_no_grad_is_the_guard_of_the_same_flag(self):
        with kael.no_grad():
            assert not GradMode.is_enabled()
            y = leaf([1.0]) * 2
        assert y.grad_fn is None
        assert y.is_leaf
        assert NoGradGuard is kael.no_grad
        assert EnableGradGuard is kael.enable_grad

    @pytest.mark.promise("S13")
    @pytest.mark.promise("85")
    def test_enable_grad_records_inside_no_grad(self):
        x = leaf([1.0])
        with kael.no_grad(), EnableGradGuard():
            y = x * 2
        assert y.grad_fn is not None

    @pytest.mark.promise("S13")
    def test_without_grad_wraps_a_function(self):
        @without_grad
        def double(x):
            return x * 2

        x = leaf([1.0])
        assert double(x).grad_fn is None
        assert (x * 2).grad_fn is not None

    @pytest.mark.promise("S14")
    def test_a_parameter_is_written_inside_no_grad_and_not_outside(self):
        w = leaf([1.0, 2.0])
        (w * w).sum().backward()
        with pytest.raises(RuntimeError, match="^a leaf tensor that requires grad"):
            w.sub_(w.grad * 0.1)
        with kael.no_grad():
            w.sub_(w.grad * 0.1)
        assert w.tolist() == [0.8, 1.6]
        assert w.requires_grad
        assert w.is_leaf

    @pytest.mark.promise("S14")
    @pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW"])
    def test_an_optimizer_writes_its_parameters_with_recording_off(self, kind):
        w = leaf([1.0, 2.0])
        optimizer = getattr(kael.optim, kind)([w], lr=0.1)
        for step in range(1, 4):
            optimizer.zero_grad()
            (w * w).sum().backward()
            optimizer.step()
            assert w.version >= step
            assert w.is_leaf
            assert w.requires_grad
            assert kael.is_grad_enabled()
        assert w.tolist() != [1.0, 2.0]

    @pytest.mark.promise("S14")
    @pytest.mark.parametrize("name", [name for name in kael.nn.init.__all__ if name.endswith("_")])
    def test_an_initializer_writes_with_recording_off(self, name):
        w = kael.full((3, 4), 7.0, requires_grad=True)
        arguments = (0.5,) if name == "constant_" else ()
        assert getattr(kael.nn.init, name)(w, *arguments) is w
        assert w.version >= 1
        assert w.is_leaf
        assert w.requires_grad
        assert w.tolist() != kael.full((3, 4), 7.0).tolist()
        assert kael.is_grad_enabled()

    @pytest.mark.promise("S15")
    @pytest.mark.promise("92")
    def test_gradient_functions_run_with_recording_off(self):
        seen = []
        x = leaf([1.0, 2.0])
        recorded(lambda node, g, position: seen.append(kael.is_grad_enabled()) or g, x, x).sum().backward()
        assert seen == [False, False]
        assert kael.is_grad_enabled()

    @pytest.mark.promise("S15")
    def test_a_gradient_has_no_history(self):
        x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])
        z = x * y
        z.retain_grad()
        (z * z).sum().backward()
        for gradient in (x.grad, y.grad, z.grad, *kael.autograd.grad((x * y).sum(), [x, y])):
            assert gradient.grad_fn is None
            assert not gradient.requires_grad

    @pytest.mark.promise("S15")
    def test_a_gradient_of_a_gradient_is_impossible(self):
        x = leaf(3.0)
        (gradient,) = kael.autograd.grad(x * x * x, x)
        with pytest.raises(
            RuntimeError, match="^element 0 of tensors does not require grad and does not have a grad_fn$"
        ):
            kael.autograd.grad(gradient, x)

    def test_a_failed_backward_restores_the_mode(self):
        x, w = leaf([1.0]), plain([2.0])
        y = x * w
        w.add_(1)
        with pytest.raises(RuntimeError):
            y.backward()
        assert kael.is_grad_enabled()

    @pytest.mark.promise("88")
    def test_a_leaf_made_inside_no_grad_keeps_its_flag(self):
        with kael.no_grad():
            x = leaf([1.0])
        assert x.requires_grad

    @pytest.mark.promise("87")
    @pytest.mark.parametrize("decorate", [kael.no_grad, kael.no_grad()])
    def test_decorates_with_and_without_parentheses(self, decorate):
        @decorate
        def mode():
            return kael.is_grad_enabled()

        assert mode() is False
        assert kael.is_grad_enabled()

    @pytest.mark.promise("90")
    def test_set_grad_enabled_is_a_function_and_a_context(self):
        kael.set_grad_enabled(False)
        assert not kael.is_grad_enabled()
        kael.set_grad_enabled(True)
        with kael.set_grad_enabled(False):
            assert not kael.is_grad_enabled()
        assert kael.is_grad_enabled()

    @pytest.mark.promise("90")
    @pytest.mark.parametrize("mode", ["no", 1, None])
    def test_set_grad_enabled_takes_true_and_false_alone(self, mode):
        with pytest.raises(TypeError, match=r"set_grad_enabled\(\): argument must be bool, not"):
            kael.set_grad_enabled(mode)
        assert kael.is_grad_enabled()

    def test_set_grad_enabled_as_decorator_leaves_the_mode_alone(self):
        @kael.set_grad_enabled(False)
        def mode():
            return kael.is_grad_enabled()

        assert kael.is_grad_enabled()
        assert mode() is False

    @pytest.mark.promise("91")
    def test_a_decorated_generator_does_not_leak_its_mode(self):
        @kael.no_grad()
        def modes():
            received = yield kael.is_grad_enabled()
            yield (received, kael.is_grad_enabled())

        generator = modes()
        assert next(generator) is False
        assert kael.is_grad_enabled()
        assert generator.send("hello") == ("hello", False)
        assert kael.is_grad_enabled()

    @pytest.mark.promise("91")
    def test_a_generator_that_pauses_inside_the_block_leaves_its_mode_to_the_caller(self):
        def modes():
            with kael.no_grad():
                yield kael.is_grad_enabled()

        generator = modes()
        assert next(generator) is False
        assert not kael.is_grad_enabled()
        assert next(generator, "end") == "end"
        assert kael.is_grad_enabled()

    @pytest.mark.promise("178")
    def test_eight_threads_with_graphs_of_their_own(self):
        results = {}

        def work(number):
            x = leaf([float(number)])
            for _ in range(50):
                y = (x * x).sum()
                y.backward()
            results[number] = x.grad.item()

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == {number: 100.0 * number for number in range(8)}

    @pytest.mark.promise("179")
    def test_threads_that_share_a_leaf_end_with_a_gradient_of_one_or_more_of_them(self):
        x, failures = leaf([1.0, 2.0]), []

        def work():
            try:
                for _ in range(50):
                    (x * x).sum().backward()
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        first, second = x.grad.tolist()
        assert not failures
        assert (first % 2.0, second) == (0.0, 2 * first)
        assert 2.0 <= first <= 800.0
