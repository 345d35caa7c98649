"""The computation graph of chapter 15: tensors, nodes, and the list that recording appends to.

Plain Python on the standard library, so that it runs in a browser. A tensor is two things here: its values (`data`)
and its handle, the part that the graph keeps. The handle knows where a gradient goes (shape, `requires_grad`, `grad`,
`grad_fn_index`) and holds no values, so a graph that keeps handles keeps no activations alive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from chapters.ch07_broadcasting.spec import broadcast_shapes
from chapters.ch12_elementwise.reference import add, exp, mul
from chapters.ch14_matmul.reference import matmul
from chapters.flat import Buffer

__all__ = [
    "FORWARD",
    "ComputationGraph",
    "Forward",
    "GraphNode",
    "Handle",
    "NodeList",
    "Tensor",
    "index_graph",
    "keep_everything",
    "topological_backward_order",
]

Shape = tuple[int, ...]


# [handle]
class Handle:
    """Where the gradient of a tensor goes; what a graph remembers of a tensor once the values may be gone.

    Parameters
    ----------
    shape : tuple of int
        Shape of the tensor.
    requires_grad : bool
        Whether a gradient is wanted.
    grad_fn_index : int, optional
        Index of the node that made the tensor; None for a leaf.
    """

    __slots__ = ("__weakref__", "grad", "grad_fn_index", "requires_grad", "shape")

    # [handle-fields]
    def __init__(self, shape: Shape, requires_grad: bool = False, grad_fn_index: int | None = None) -> None:
        self.shape = shape
        self.requires_grad = requires_grad
        self.grad: Buffer | None = None
        self.grad_fn_index = grad_fn_index

    # [/handle-fields]


# [/handle]


# [tensor]
class Tensor:
    """Values and the handle that says where their gradient goes.

    Parameters
    ----------
    data : number, nested lists of numbers, or Buffer
        The values; a Buffer is shared, not copied.
    requires_grad : bool
        Whether a gradient is wanted.

    Raises
    ------
    TypeError
        When integers or booleans are to have a gradient.
    ValueError
        When nested lists are ragged.

    Examples
    --------
    >>> x = Tensor([[1, 2, 3]], requires_grad=True)
    >>> x.shape, x.grad, x.grad_fn_index
    ((1, 3), None, None)
    """

    __slots__ = ("__weakref__", "data", "handle")

    def __init__(self, data: Any, requires_grad: bool = False, handle: Handle | None = None) -> None:
        self.data: Buffer = data if isinstance(data, Buffer) else nested(data)
        if requires_grad and self.data.typecode not in "fd":
            raise TypeError("only floating point tensors can require gradients; give the values as floats")
        self.handle = Handle(self.data.shape, requires_grad) if handle is None else handle

    @property
    def shape(self) -> Shape:
        """Sizes of the axes."""
        return self.data.shape

    @property
    def requires_grad(self) -> bool:
        """Whether a gradient is wanted."""
        return self.handle.requires_grad

    @property
    def grad(self) -> Buffer | None:
        """The gradient that has arrived so far; None before the first."""
        return self.handle.grad

    @grad.setter
    def grad(self, gradient: Buffer | None) -> None:
        self.handle.grad = gradient

    @property
    def grad_fn_index(self) -> int | None:
        """Index of the node that made this tensor; None for a leaf."""
        return self.handle.grad_fn_index

    def tolist(self) -> Any:
        """The values as nested lists; a number for shape ``()``."""
        return self.data.tolist()

    def item(self) -> float:
        """The one value of a tensor with one element."""
        (value,) = self.data
        return value

    def __repr__(self) -> str:
        return f"Tensor({self.tolist()}, shape={self.shape}, requires_grad={self.requires_grad})"


# [/tensor]


def nested(data: Any) -> Buffer:
    """A float64 buffer from a number or nested lists.

    >>> nested([[1, 2], [3, 4]])
    Buffer([[1.0, 2.0], [3.0, 4.0]], shape=(2, 2))
    """
    shape: list[int] = []
    level = [data]
    while any(isinstance(row, list | tuple) for row in level):
        sizes = {len(row) if isinstance(row, list | tuple) else -1 for row in level}
        if len(sizes) > 1:
            raise ValueError(f"Tensor: rows of one axis differ in length ({sorted(sizes)}); make them equally long")
        shape.append(sizes.pop())
        level = [value for row in level for value in row]
    return Buffer([float(value) for value in level], tuple(shape))


# [node]
class GraphNode:
    """One recorded operation.

    Two lists with two purposes. `inputs` holds handles and says where gradients go; it is needed for every operation.
    `saved` holds the buffers that the backward rule reads, one per input and then the output's; None stands where
    nothing is kept.

    Its own `grad` starts as zeros of the output's shape: a field apart from the `grad` of the output tensor.

    Parameters
    ----------
    op_name : str
        Name of the operation, by which its rule is found.
    inputs : list of Handle
        Handles of the operands.
    output : Handle
        Handle of the result.
    saved : list of Buffer or None
        The operands' values and the result's.
    typecode : {"f", "d"}
        Element type of the result.
    """

    __slots__ = ("__weakref__", "grad", "inputs", "op_name", "output", "saved")

    # [node-fields]
    def __init__(
        self, op_name: str, inputs: list[Handle], output: Handle, saved: list[Buffer | None], typecode: str = "d"
    ) -> None:
        self.op_name = op_name
        self.inputs = inputs
        self.output = output
        self.saved = saved
        self.grad = Buffer.full(0.0, output.shape, typecode)

    # [/node-fields]

    def __repr__(self) -> str:
        return f"GraphNode({self.op_name!r}, grad={self.grad.tolist()})"


# [/node]


# [node-list]
class NodeList(list[GraphNode]):
    """The list store: one GraphNode object per recorded operation, in the order of the forward pass."""

    def empty(self, shape: Shape, typecode: str) -> Buffer:
        """Room for the result of an operation."""
        return Buffer.full(0.0, shape, typecode)

    def record(self, op_name: str, inputs: list[Handle], output: Buffer, saved: list[Buffer | None]) -> Handle:
        """Append a node and return the handle of its output."""
        # [append]
        handle = Handle(output.shape, True, len(self))
        self.append(GraphNode(op_name, inputs, handle, saved, output.typecode))
        return handle
        # [/append]

    def outlive(self, gradient: Buffer) -> Buffer:
        """A gradient that stays valid when the store is reset: here every buffer does."""
        return gradient

    def reset(self) -> None:
        """Drop every node; Python frees them one by one."""
        self.clear()


# [/node-list]


# [forward]
class Forward(NamedTuple):
    """How an operation computes: its kernel and the shape of its result."""

    kernel: Callable[..., None]
    shape: Callable[..., Shape]


def same_shape(x: Shape) -> Shape:
    """The shape of an operation on one operand, element by element."""
    return x


def product_shape(a: Shape, b: Shape) -> Shape:
    """The shape of a matrix product; the kernel itself checks the inner sizes."""
    return (*a[:1], *b[1:])


FORWARD = {
    "add": Forward(add, broadcast_shapes),
    "mul": Forward(mul, broadcast_shapes),
    "exp": Forward(exp, same_shape),
    "matmul": Forward(matmul, product_shape),
}
# [/forward]


def keep_everything(op_name: str) -> frozenset[str]:
    """What a node of this operation keeps: its edges, its operands' values and its result's."""
    return frozenset({"edges", "operands", "result"})


# [graph]
class ComputationGraph:
    """Runs operations and writes down those that a gradient has to pass.

    Parameters
    ----------
    nodes : NodeList or another store
        Where nodes are kept; a new list when left out.
    keep : callable
        Says by operation name what a node keeps, as a set of ``"edges"`` (the input handles), ``"operands"`` and
        ``"result"`` (their values).
    trace : object, optional
        Is told of every recorded operation and, later, of every step of `backward`.

    Examples
    --------
    >>> graph = ComputationGraph()
    >>> x, y = Tensor(3.0, requires_grad=True), Tensor(4.0, requires_grad=True)
    >>> z = graph.mul(x, y)
    >>> w = graph.add(z, x)
    >>> w.item(), len(graph.nodes), z.grad_fn_index, w.grad_fn_index
    (15.0, 2, 0, 1)
    """

    def __init__(
        self,
        nodes: Any = None,
        keep: Callable[[str], frozenset[str]] = keep_everything,
        trace: Any = None,
    ) -> None:
        self.nodes = NodeList() if nodes is None else nodes
        self.keep = keep
        self.trace = trace
        self.consumed = False

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        """The sum, element by element; shapes broadcast."""
        return self.apply("add", x, y)

    def mul(self, x: Tensor, y: Tensor) -> Tensor:
        """The product, element by element; shapes broadcast."""
        return self.apply("mul", x, y)

    def exp(self, x: Tensor) -> Tensor:
        """The exponential, element by element."""
        return self.apply("exp", x)

    def matmul(self, a: Tensor, b: Tensor) -> Tensor:
        """The matrix product of (M, K) and (K, N)."""
        return self.apply("matmul", a, b)

    def apply(self, op_name: str, *inputs: Tensor) -> Tensor:
        """Compute an operation of `FORWARD` and record it if a gradient has to pass it."""
        # [apply]
        forward = FORWARD[op_name]
        shape = forward.shape(*(t.shape for t in inputs))
        output = self.nodes.empty(shape, inputs[0].data.typecode)
        forward.kernel(*(t.data for t in inputs), output)
        return self.record(op_name, inputs, output)
        # [/apply]

    def record(self, op_name: str, inputs: Sequence[Tensor], output: Buffer) -> Tensor:
        """Write down one operation; the output remembers who made it.

        An operation none of whose inputs requires a gradient is computed and forgotten: no node, no memory.

        Raises
        ------
        RuntimeError
            When `backward` has used this graph.
        ValueError
            When an operand was made by another graph, whose numbers mean nothing here.
        """
        # [record]
        self.check_operands(op_name, inputs)
        if not any(t.requires_grad for t in inputs):
            return Tensor(output)
        kept = self.keep(op_name)
        saved = [t.data if "operands" in kept else None for t in inputs]
        saved.append(output if "result" in kept else None)
        edges = [t.handle for t in inputs] if "edges" in kept else []
        handle = self.nodes.record(op_name, edges, output, saved)
        result = Tensor(output, handle=handle)
        if self.trace is not None:
            self.trace.forward(result.grad_fn_index, op_name, inputs, result)
        return result
        # [/record]

    def check_operands(self, op_name: str, inputs: Sequence[Tensor]) -> None:
        """Refuse to record on a graph that was used, or to record operands that another graph made."""
        if self.consumed:
            raise RuntimeError(f"{op_name}: this graph was used by backward; call reset() and build it again")
        for position, t in enumerate(inputs):
            index = t.grad_fn_index
            if index is not None and (index >= len(self.nodes) or self.nodes[index].output is not t.handle):
                raise ValueError(f"{op_name}: operand {position} is nodes[{index}] of another graph; use one graph")

    def reset(self) -> None:
        """Discard every node, so that the next forward pass builds the graph again."""
        self.nodes.reset()
        self.consumed = False


# [/graph]


def index_graph(graph: ComputationGraph) -> tuple[list[int], list[int]]:
    """The graph as whole numbers: node i takes its inputs from the nodes ``inputs[offsets[i]:offsets[i + 1]]``.

    -1 stands for an input that no node made.
    """
    # [index-graph]
    offsets, inputs = [0], []
    for node in graph.nodes:
        sources = [handle.grad_fn_index for handle in node.inputs]
        inputs += [-1 if source is None else source for source in sources]
        offsets.append(len(inputs))
    return offsets, inputs
    # [/index-graph]


# [order]
def topological_backward_order(graph: ComputationGraph) -> list[int]:
    """Node indices, each before those of its inputs: the list, read backwards.

    An operation is recorded after the ones that made its inputs, so the
    list is in forward order already.
    """
    return list(reversed(range(len(graph.nodes))))


# [/order]
