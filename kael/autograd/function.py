"""Operations of a reader's own: a forward and a backward function that become one node of the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeVar

from kael.autograd.grad_mode import grad_enabled, no_grad
from kael.autograd.node import filled, function_node, link_to
from kael.autograd.op import Op
from kael.autograd.recording import SavedTensor, produce, requires_grad
from kael.collector import look_at_graphs
from kael.tensors import Tensor, fresh

__all__ = ["Context", "Function", "once_differentiable"]

F = TypeVar("F", bound=Callable[..., Any])


def once_differentiable(backward: F) -> F:
    """The function as it is: every `backward` of kael is differentiated once only. Here for programs that say so."""
    return backward


class Context:
    """What `forward` hands to `backward`: saved tensors, and any attribute that is set on it.

    Attributes
    ----------
    needs_input_grad : tuple of bool
        Per argument of ``apply``, whether its gradient is wanted.
    """

    def __init__(self, function: type[Function], arguments: Sequence[Any]) -> None:
        self.needs_input_grad = tuple([isinstance(value, Tensor) and requires_grad(value) for value in arguments])
        self._function = function
        self._places = [place for place, value in enumerate(arguments) if isinstance(value, Tensor)]
        self._saved: list[SavedTensor | None] = []
        self._constant: tuple[Tensor, ...] = ()
        self._materialize = True
        self._shapes: list[tuple[int, ...] | None] = []
        self._arrived: set[int] = set()

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep inputs or outputs; `backward` refuses to run when one of them has been written since."""
        for place, tensor in enumerate(tensors):
            if tensor is not None and not isinstance(tensor, Tensor):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {place} is of type "
                    f"{type(tensor).__name__}; set it as an attribute of ctx"
                )
        self._saved = [None if tensor is None else SavedTensor(tensor) for tensor in tensors]

    def mark_non_differentiable(self, *outputs: Tensor) -> None:
        """Let these outputs have no history; `backward` gets zeros for them."""
        self._constant = outputs

    def set_materialize_grads(self, value: bool) -> None:
        """Whether `backward` gets zeros, or else None, for an output that no gradient has reached."""
        self._materialize = value

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """What was saved, each checked to be unchanged."""
        return tuple([None if saved is None else saved.get().detach() for saved in self._saved])

    def _gradients(self, cotangent: Tensor) -> list[Tensor | None]:
        """The gradients of the tensors among the arguments."""
        name, parts = self._function.op.node, [cotangent] if not self._shapes else self._parts(cotangent)
        returned = self._function.backward(self, *parts)
        results = returned if isinstance(returned, tuple) else (returned,)
        wanted = len(self.needs_input_grad)
        while len(results) > wanted and results[-1] is None:
            results = results[:-1]
        if len(results) != wanted:
            raise RuntimeError(
                f"function {name} returned an incorrect number of gradients (expected {wanted}, got {len(results)})"
            )
        for place, result in enumerate(results):
            if result is not None and not isinstance(result, Tensor):
                raise TypeError(
                    f"function {name} returned {type(result).__name__} as gradient {place}; return a tensor or None"
                )
        return [None if results[place] is None else results[place].detach() for place in self._places]

    def _parts(self, cotangent: Tensor) -> list[Tensor | None]:
        """The gradient of each output from the flat one of them all; None for an output that is no tensor."""
        parts: list[Tensor | None] = []
        start = 0
        for number, shape in enumerate(self._shapes):
            if shape is None or not (self._materialize or number in self._arrived):
                parts.append(None)
            else:
                flat = cotangent.array[start : start + prod(shape)]
                parts.append(fresh(flat.reshape(shape), cotangent.dtype))
            start += 0 if shape is None else prod(shape)
        self._arrived.clear()
        return parts


def function_vjp(node: Any, g: Tensor) -> list[Tensor | None]:
    """The gradients of the inputs, from the reader's `backward`."""
    context: Context = node.saved[0]
    return context._gradients(g)


def output_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    """The gradient of one of several outputs at its place in the flat gradient of them all, zeros elsewhere."""
    start, count, context, number = node.attributes
    context._arrived.add(number)
    result = filled((count,), g.dtype, 0.0)
    result.array[start : start + g.array.size] = g.array.reshape(-1)
    return result


class Function:
    """An operation with a gradient of its own.

    Subclasses define two static methods: ``forward(ctx, *arguments)``, which runs with recording off and returns a
    tensor or a tuple with tensors among its elements, and ``backward(ctx, *gradients)``, which takes one gradient per
    output (zeros for an output that was not used) and returns one gradient per argument of `forward`, None where there
    is none. With a third static method, ``setup_context(ctx, inputs, output)``, `forward` takes the arguments alone,
    and what is to be saved is saved there.

    Notes
    -----
    Several floating-point outputs must be of one dtype, for their gradients travel as one flat tensor.

    Examples
    --------
    >>> import kael
    >>> class Square(kael.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensors
    ...         return g * x * 2
    >>> x = kael.tensor([3.0], requires_grad=True)
    >>> y = Square.apply(x)
    >>> y.backward()
    >>> y, x.grad
    (tensor([9.], grad_fn=<SquareBackward>), tensor([6.]))
    """

    op: Op
    output_op: Op

    def __init_subclass__(cls) -> None:
        node = f"{cls.__name__}Backward"
        look_at_graphs()  # a context may hold its output
        cls.op = Op(cls.__name__, "", function_vjp, passes=True, jointly=True, node=node, listed=False)
        cls.output_op = Op(cls.__name__, "", output_vjp, node=node, listed=False)

    @staticmethod
    def forward(ctx: Any, *arguments: Any) -> Any:
        """Compute the outputs."""
        raise NotImplementedError("a Function defines forward(ctx, *arguments)")

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Compute the gradients of the arguments."""
        raise NotImplementedError("a Function defines backward(ctx, *gradients)")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Save what `backward` will need."""
        raise NotImplementedError("a Function defines setup_context(ctx, inputs, output), or forward takes ctx")

    @classmethod
    def apply(cls, *arguments: Any) -> Any:
        """Run `forward` and record one node for it.

        Raises
        ------
        TypeError
            When no output is a tensor, or when several differ in dtype.
        """
        context = Context(cls, arguments)
        with no_grad():
            if cls.setup_context is Function.setup_context:
                result = cls.forward(context, *arguments)
            else:
                result = cls.forward(*arguments)
                cls.setup_context(context, arguments, result)
        outputs = list(result) if isinstance(result, (tuple, list)) else [result]
        if not any(isinstance(output, Tensor) for output in outputs):
            raise TypeError(f"{cls.__name__}.forward returned {type(result).__name__}; return a tensor")
        constant = [any(output is it for it in context._constant) for output in outputs]
        for place, output in enumerate(outputs):
            if isinstance(output, Tensor) and output.link is not None:
                outputs[place] = output.detach()
        if grad_enabled.get() and any(context.needs_input_grad):
            inputs = [arguments[place] for place in context._places]
            cls._record(context, inputs, outputs, [not fixed for fixed in constant])
        return outputs if isinstance(result, list) else tuple(outputs) if isinstance(result, tuple) else outputs[0]

    @classmethod
    def _record(
        cls, context: Context, inputs: Sequence[Tensor], outputs: Sequence[Any], differentiable: Sequence[bool]
    ) -> None:
        links = tuple([link_to(x) for x in inputs])
        floating = [isinstance(output, Tensor) and output.dtype.is_floating_point for output in outputs]
        if len(outputs) == 1:
            if floating[0] and differentiable[0]:
                produce(outputs[0], cls.op, links, (context,), ())
            return
        kinds = {output.dtype.name for output, wanted in zip(outputs, floating, strict=True) if wanted}
        if len(kinds) > 1:
            raise TypeError(f"{cls.__name__}.forward returned {' and '.join(sorted(kinds))}; its outputs must agree")
        context._shapes = [output.array.shape if isinstance(output, Tensor) else None for output in outputs]
        counts = [0 if shape is None else prod(shape) for shape in context._shapes]
        if not any(both := [a and b for a, b in zip(floating, differentiable, strict=True)]):
            return
        node = function_node(cls.op, links, (context,), (), (sum(counts),), outputs[both.index(True)].dtype)
        for place, output in enumerate(outputs):
            if both[place]:
                attributes = (sum(counts[:place]), sum(counts), context, place)
                produce(output, cls.output_op, (node,), (), attributes)
