"""Operations of a reader's own: a forward and a backward function that become one node of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from kael.autograd.grad_mode import grad_enabled, no_grad
from kael.autograd.node import FunctionNode, NodeInput, filled, function_node, gradient_edge, link_to
from kael.autograd.op import Op
from kael.autograd.recording import SavedTensor, produce, requires_grad
from kael.tensors import Tensor, fresh

__all__ = ["Context", "Function"]


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
        self._shapes: list[tuple[int, ...]] = []
        self._cotangent: Tensor | None = None
        self._results: list[Tensor | None] = []

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep inputs or outputs; `backward` refuses to run when one of them has been written since."""
        self._saved = [None if tensor is None else SavedTensor(tensor) for tensor in tensors]

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """What was saved, each checked to be unchanged."""
        return tuple([None if saved is None else saved.get() for saved in self._saved])

    def _gradients(self, cotangent: Tensor) -> list[Tensor | None]:
        """The gradients of the tensors among the arguments, computed once per backward pass."""
        if self._cotangent is not cotangent:
            self._results = self._backward(cotangent)
            self._cotangent = cotangent
        return self._results

    def _backward(self, cotangent: Tensor) -> list[Tensor | None]:
        name, parts = self._function.op.node, [cotangent]
        if self._shapes:
            parts, start = [], 0
            for shape in self._shapes:
                end = start + prod(shape)
                parts.append(fresh(cotangent.array[start:end].reshape(shape), cotangent.dtype))
                start = end
        returned = self._function.backward(self, *parts)
        results = returned if isinstance(returned, tuple) else (returned,)
        wanted = len(self.needs_input_grad)
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


def function_vjp(node: Any, g: Tensor, position: int) -> Any:
    """The gradient of one input, from the reader's `backward`."""
    context: Context = node.saved[0]
    return context._gradients(g)[position]


def output_vjp(node: Any, g: Tensor, position: int) -> Tensor:
    """The gradient of one of several outputs at its place in the flat gradient of them all, zeros elsewhere."""
    start, count = node.attributes
    result = filled((count,), g.dtype, 0.0)
    result.array[start : start + g.array.size] = g.array.reshape(-1)
    return result


class Function:
    """An operation with a gradient of its own.

    Subclasses define two static methods: ``forward(ctx, *arguments)``, which runs with recording off and returns a
    tensor or a tuple of tensors, and ``backward(ctx, *gradients)``, which takes one gradient per output (zeros for an
    output that was not used) and returns one gradient per argument of `forward`, None where there is none.

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
        cls.op = Op(cls.__name__, "", function_vjp, passes=True, node=node, listed=False)
        cls.output_op = Op(cls.__name__, "", output_vjp, node=node, listed=False)

    @staticmethod
    def forward(ctx: Any, *arguments: Any) -> Any:
        """Compute the outputs."""
        raise NotImplementedError("a Function defines forward(ctx, *arguments)")

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Compute the gradients of the arguments."""
        raise NotImplementedError("a Function defines backward(ctx, *gradients)")

    @classmethod
    def apply(cls, *arguments: Any) -> Any:
        """Run `forward` and record one node for it.

        Raises
        ------
        TypeError
            When an output is not a tensor, or when several differ in dtype.
        """
        context = Context(cls, arguments)
        with no_grad():
            result = cls.forward(context, *arguments)
        outputs = (result,) if isinstance(result, Tensor) else tuple(result)
        for output in outputs:
            if not isinstance(output, Tensor):
                raise TypeError(f"{cls.__name__}.forward returned {type(output).__name__}; return tensors")
        outputs = tuple([output if output.meta is None else output.detach() for output in outputs])
        if grad_enabled.get() and any(context.needs_input_grad):
            cls._record(context, [arguments[place] for place in context._places], outputs)
        return outputs[0] if isinstance(result, Tensor) else outputs

    @classmethod
    def _record(cls, context: Context, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
        links = tuple([link_to(gradient_edge(x) if requires_grad(x) else None, x) for x in inputs])
        node = function_node(cls.op, links, (context,), ())
        if len(outputs) == 1:
            if outputs[0].dtype.is_floating_point:
                produce(outputs[0], node)
            return
        kinds = {output.dtype.name for output in outputs if output.dtype.is_floating_point}
        if len(kinds) > 1:
            raise TypeError(f"{cls.__name__}.forward returned {' and '.join(sorted(kinds))}; its outputs must agree")
        context._shapes = [output.array.shape for output in outputs]
        count, start = sum(prod(shape) for shape in context._shapes), 0
        for output in outputs:
            if output.dtype.is_floating_point:
                produce(output, function_node(cls.output_op, (slot(node, count, output),), (), (start, count)))
            start += output.array.size


def slot(node: FunctionNode, count: int, output: Tensor) -> NodeInput:
    """The link from one of several outputs to the node of them all."""
    link = link_to(node, output)
    link.shape = (count,)
    return link
