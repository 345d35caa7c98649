"""Operations of a reader's own."""

import gc
import weakref

import pytest

import kael
from kael.autograd import Function, gradcheck
from kael.autograd.op import registry
from tests.autograd.leaves import leaf, plain


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x * x * 3


class Scaled(Function):
    """Takes a tensor, a number and a tensor."""

    @staticmethod
    def forward(ctx, x, factor, y):
        ctx.factor = factor
        ctx.needs = ctx.needs_input_grad
        return x * factor + y

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None, g


class Both(Function):
    """Two outputs of different shapes."""

    calls = 0

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2, (x * x).sum(-1)

    @staticmethod
    def backward(ctx, first, second):
        Both.calls += 1
        (x,) = ctx.saved_tensors
        return first * 2 + second.unsqueeze(-1) * x * 2


def returning(value):
    """A function of one tensor whose backward returns a given value."""

    class MyFn(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return value(g) if callable(value) else value

    return MyFn


class TestFunction:
    @pytest.mark.promise("95")
    def test_forward_and_gradient(self):
        x = leaf([2.0, -1.0])
        y = Cube.apply(x)
        y.backward(plain([1.0, 10.0]))
        assert y.tolist() == [8.0, -1.0]
        assert repr(y.grad_fn) == "<CubeBackward>"
        assert x.grad.tolist() == [12.0, 30.0]
        assert gradcheck(Cube.apply, leaf([2.0, -1.0]))

    def test_arguments_that_are_no_tensors(self):
        x, y = leaf([2.0]), leaf([3.0])
        Scaled.apply(x, 5.0, y).backward()
        assert (x.grad.tolist(), y.grad.tolist()) == ([5.0], [1.0])
        assert gradcheck(lambda x, y: Scaled.apply(x, 5.0, y), [leaf([2.0]), leaf([3.0])])

    @pytest.mark.promise("102")
    def test_needs_input_grad(self):
        seen = []

        class Look(Function):
            @staticmethod
            def forward(ctx, x, y):
                seen.append((ctx.needs_input_grad, kael.is_grad_enabled()))
                return x + y

            @staticmethod
            def backward(ctx, g):
                return g, g

        Look.apply(leaf([1.0]), plain([1.0])).backward()
        assert seen == [((True, False), False)]

    def test_is_recorded_only_when_an_operation_would_be(self):
        assert Cube.apply(plain([1.0])).grad_fn is None
        with kael.no_grad():
            assert Cube.apply(leaf([1.0])).grad_fn is None

    def test_several_outputs_are_one_call_of_backward(self):
        Both.calls = 0
        x = leaf([[1.0, 2.0], [3.0, 4.0]])
        first, second = Both.apply(x)
        (first.sum() + (second * plain([1.0, 10.0])).sum()).backward()
        assert Both.calls == 1
        assert x.grad.tolist() == [[4.0, 6.0], [62.0, 82.0]]
        assert gradcheck(Both.apply, leaf([[1.0, 2.0], [3.0, 4.0]]))

    @pytest.mark.promise("100")
    def test_the_gradient_of_an_unused_output_arrives_as_zeros(self):
        x = leaf([[1.0, 2.0]])
        Both.apply(x)[1].backward()
        assert x.grad.tolist() == [[2.0, 4.0]]

    @pytest.mark.promise("99")
    def test_none_leaves_the_gradient_empty(self):
        x = leaf([1.0])
        returning(None).apply(x).backward()
        assert x.grad is None

    @pytest.mark.promise("96")
    def test_a_wrong_number_of_gradients_is_refused(self):
        with pytest.raises(RuntimeError) as error:
            returning(lambda g: (g, g)).apply(leaf([1.0])).backward()
        assert str(error.value) == (
            "function MyFnBackward returned an incorrect number of gradients (expected 1, got 2)"
        )

    @pytest.mark.promise("97")
    def test_a_wrong_shape_is_refused(self):
        with pytest.raises(RuntimeError) as error:
            returning(lambda g: plain([1.0] * 10)).apply(leaf([[1.0, 2.0]])).sum().backward()
        assert str(error.value) == (
            "Function MyFnBackward returned an invalid gradient at index 0 - got (10,) but expected shape compatible "
            "with (1, 2)"
        )

    @pytest.mark.promise("98")
    def test_a_wrong_dtype_is_refused(self):
        with pytest.raises(RuntimeError, match="MyFnBackward .* got dtype float32 but expected float64"):
            returning(lambda g: g.float()).apply(leaf([1.0])).backward()

    def test_what_is_no_tensor_is_refused(self):
        with pytest.raises(TypeError, match="function MyFnBackward returned float as gradient 0"):
            returning(1.0).apply(leaf([1.0])).backward()

    @pytest.mark.promise("101")
    def test_an_exception_keeps_its_type(self):
        def fails(g):
            raise LookupError("inside")

        with pytest.raises(LookupError, match="^inside$"):
            returning(fails).apply(leaf([1.0])).backward()

    @pytest.mark.promise("95")
    def test_a_saved_tensor_that_was_written_is_refused(self):
        x = leaf([2.0])
        y = Cube.apply(x)
        with kael.no_grad():
            x.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.backward()

    def test_a_second_backward_needs_the_graph(self):
        x = leaf([2.0])
        y = Cube.apply(x)
        y.backward(retain_graph=True)
        y.backward()
        assert x.grad.tolist() == [24.0]
        with pytest.raises(RuntimeError, match=r"\(CubeBackward has released its saved tensors\)"):
            y.backward()

    @pytest.mark.promise("94")
    def test_what_it_saved_is_free_after_backward(self):
        gc.disable()
        try:
            constant = plain([2.0])

            class Times(Function):
                @staticmethod
                def forward(ctx, x, w):
                    ctx.save_for_backward(w)
                    return x * w

                @staticmethod
                def backward(ctx, g):
                    return g * ctx.saved_tensors[0], None

            y = Times.apply(leaf([1.0]), constant)
            storage = weakref.ref(constant.storage)
            del constant
            assert storage() is not None
            y.backward()
            assert storage() is None
        finally:
            gc.enable()

    def test_an_input_returned_as_it_is(self):
        class Same(Function):
            @staticmethod
            def forward(ctx, x):
                return x

            @staticmethod
            def backward(ctx, g):
                return g * 5

        x = leaf([1.0])
        y = Same.apply(x)
        assert y is not x
        y.backward()
        assert x.grad.tolist() == [5.0]

    def test_leaves_the_table_of_operations_alone(self):
        assert not {"Cube", "Scaled", "Both"} & set(registry)


def test_backward_runs_again_where_a_hook_gives_the_same_tensor_with_other_numbers():
    runs = []

    class Double(kael.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            runs.append(g.tolist())
            return g * 2

    x, replaced = leaf([1.0, 1.0]), plain([1.0, 1.0])
    y = Double.apply(x)
    y.register_hook(lambda g: replaced)
    z = y.sum()
    z.backward(retain_graph=True)
    replaced.mul_(10)
    x.grad = None
    z.backward()
    assert runs == [[1.0, 1.0], [10.0, 10.0]]
    assert x.grad.tolist() == [20.0, 20.0]


@pytest.mark.parametrize("kind", [list, tuple])
def test_several_results_come_in_what_forward_puts_them_in(kind):
    class Pair(Function):
        @staticmethod
        def forward(ctx, x):
            return kind([x * 1, x * 2])

        @staticmethod
        def backward(ctx, first, second):
            return first + second * 2

    x = leaf([1.0])
    results = Pair.apply(x)
    assert type(results) is kind
    sum(results).backward()
    assert x.grad.tolist() == [3.0]
