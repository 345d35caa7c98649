"""The backward pass: seed, count, process; one visit per node, explicit stacks, no recursion.

A node runs when every contribution to its gradient has arrived, which is when its count of incoming edges has come
down to zero. The pass is linear in nodes and edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kael.agreement import has_shape
from kael.autograd.grad_mode import grad_enabled
from kael.autograd.hooks import run_after_accumulation, run_hooks
from kael.autograd.meta import NodeInput
from kael.autograd.node import AccumulateGrad, FunctionNode, Node, accumulate, copied, filled, gradient_edge
from kael.autograd.recorder import recorder
from kael.autograd.recording import requires_grad, watched
from kael.tensors import Tensor, fresh

NO_SECOND_ORDER = (
    "create_graph=True: kael computes first-order gradients only; the backward pass records nothing (decision 0005, "
    "define-by-run autograd graph)"
)


def seed_gradient(root: Tensor, gradient: Tensor | None, index: int = 0) -> Tensor:
    """The gradient that the backward pass starts from.

    Parameters
    ----------
    root : Tensor
        The tensor to differentiate.
    gradient : Tensor or None
        Its gradient, of the same shape; None stands for ones where the root has one element.
    index : int
        The root's number, for the error text.

    Raises
    ------
    RuntimeError
        When no gradient is given for a root that has not exactly one element, when the shapes differ, or when the
        root does not take part in differentiation.
    """
    if not requires_grad(root):
        raise RuntimeError(f"element {index} of tensors does not require grad and does not have a grad_fn")
    shape = root.array.shape
    if gradient is None:
        if root.array.size != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        return filled(shape, root.dtype, 1.0)
    if gradient.array.shape != shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{index}] has a shape of {gradient.array.shape} and output[{index}] has "
            f"a shape of {shape}."
        )
    if gradient.dtype is root.dtype:
        return gradient.detach()
    return fresh(gradient.array.astype(root.dtype.numpy), root.dtype)


class GraphTask:
    """One backward pass: the nodes that it will visit, each with the count of its edges.

    What a pass knows of a node stands in the node itself, which costs no lookup. A node that another pass is using, of
    another thread or around the hook that began this one, is stood in for by a blank node.
    """

    __slots__ = ("nodes", "stand_ins")

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.stand_ins: dict[Node, Node] | None = None

    def find(self, node: Node) -> Node | None:
        """Where this pass keeps what it knows of a node; None of one that it has not counted."""
        if node.owner is self:
            return node
        return None if self.stand_ins is None else self.stand_ins.get(node)

    def enter(self, node: Node) -> Node:
        """Begin to keep it."""
        self.nodes.append(node)
        place = node
        if node.owner is None:
            node.owner = self
        else:
            place = Node.__new__(Node)
            if self.stand_ins is None:
                self.stand_ins = {}
            self.stand_ins[node] = place
        place.pending = 0
        place.total = None
        place.borrowed = False
        return place

    def count(self, roots: Iterable[Node], needed: set[Node] | None) -> None:
        """Enter all that can be reached from the roots, and count the edges to each; see `count_dependencies`."""
        # [count-loop]
        stack: list[Node] = []
        for root in roots:
            if self.find(root) is None:
                self.enter(root)
                stack.append(root)
        while stack:
            node = stack.pop()
            for link in node.inputs:
                if not isinstance(link, Node):
                    continue
                edge = link
                if needed is not None and edge not in needed:
                    continue
                place = self.find(edge)
                if place is None:
                    place = self.enter(edge)
                    stack.append(edge)
                place.pending += 1
        # [/count-loop]

    def pending(self, node: Node) -> int:
        """How many contributions to a counted node are still to come."""
        return self.find(node).pending  # type: ignore[union-attr]

    def own_total(self, node: Any) -> Tensor | None:
        """What has arrived at a node, where it lies in memory that nobody else holds."""
        place = self.find(node)
        return None if place is None or place.borrowed else place.total

    def leave(self) -> None:
        """Forget everything: the nodes are free for other passes."""
        for node in self.nodes:
            if node.owner is self:
                node.owner = None
                node.total = None
        self.nodes.clear()


def count_dependencies(roots: Iterable[Node], needed: set[Node] | None = None) -> dict[Node, int]:
    """How many edges point to each node that can be reached from the roots.

    Parameters
    ----------
    roots : iterable of Node
        Where the walk begins; a root that nothing points to counts 0.
    needed : set of Node, optional
        Follow only edges to these.
    """
    roots = list(roots)
    for root in roots:
        if not isinstance(root, Node):
            raise TypeError(f"count_dependencies: a root is {type(root).__name__}; pass nodes, such as loss.grad_fn")
    task = GraphTask()
    try:
        task.count(roots, needed)
        return {node: task.pending(node) for node in task.nodes}
    finally:
        task.leave()


def nodes_that_reach(roots: Iterable[Node], targets: set[Node]) -> set[Node]:
    """The nodes from which a target can be reached, targets included; iterative, in depth-first post-order."""
    found: set[Node] = set()
    seen: set[Node] = set()
    stack: list[tuple[Node, bool]] = [(root, False) for root in roots]
    while stack:
        node, finished = stack.pop()
        if finished:
            if node in targets or any(link in found for link in node.inputs):
                found.add(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            for link in node.inputs:
                if isinstance(link, Node):
                    stack.append((link, False))
    return found


def check_gradient(node: Node, position: int, link: NodeInput, gradient: Tensor) -> None:
    """Compare a returned gradient with what the edge recorded in the forward pass.

    Raises
    ------
    RuntimeError
        Naming the node, the input and both shapes or dtypes.
    """
    if not has_shape(gradient.array, link.shape):
        raise RuntimeError(
            f"Function {node.name} returned an invalid gradient at index {position} - got {gradient.array.shape} but "
            f"expected shape compatible with {link.shape}"
        )
    if gradient.dtype is not link.dtype:
        raise RuntimeError(
            f"Function {node.name} returned an invalid gradient at index {position} - got dtype {gradient.dtype.name} "
            f"but expected {link.dtype.name}"
        )


def process(
    task: GraphTask, ready: list[Node], retain_graph: bool, captured: dict[Node, Tensor | None] | None, trace: Any
) -> None:
    """Run every counted node once, each when its count has reached zero.

    Parameters
    ----------
    task : GraphTask
        The nodes with their counts, and with the seeds as the first totals.
    ready : list of Node
        The roots that nothing points to.
    retain_graph : bool
        Keep saved tensors for another pass.
    captured : dict or None
        Nodes whose complete gradient is wanted, filled here with tensors that nobody else writes; None to accumulate
        into leaves.
    trace : object or None
        Where events are reported.
    """
    anomaly = watched()
    while ready:
        node = ready.pop()
        here: Node = task.find(node)  # type: ignore[assignment]
        gradient = here.total
        here.total = None
        if node.hooks and gradient is not None:
            here.borrowed = True
            gradient = run_hooks(node.hooks, gradient)
        if trace is not None:
            trace.visit(node, gradient, ready)
        if captured is not None and node in captured:
            captured[node] = copied(gradient) if here.borrowed and gradient is not None else gradient
        if isinstance(node, AccumulateGrad):
            if captured is None and gradient is not None:
                leaf = node
                leaf.accumulate(gradient, not here.borrowed)
                run_after_accumulation(leaf)
            continue
        function: FunctionNode = node  # type: ignore[assignment]
        if captured is None and function.retains and gradient is not None:
            function.grad = copied(gradient) if function.grad is None else accumulate(function.grad, gradient)
        if captured is not None and not leads_on(function, task):
            continue
        # [one-visit]
        results: list[Tensor | None] = [None] * len(function.inputs)
        if gradient is not None:
            total = None
            if function.op.adds is not None and anomaly is trace is None:
                # Who watches sees each contribution as a tensor of its own.
                total = task.own_total(function.inputs[0])
            results = function.apply(gradient, total) if anomaly is None else anomaly.apply(function, gradient)
        for position, link in enumerate(function.inputs):
            if not isinstance(link, Node):
                continue
            place = task.find(link)
            if place is None:
                continue
            contribution = results[position]
            action = "assign" if place.total is None else "add"
            if contribution is not None:
                if contribution is not gradient or link.shape is not function.shape or link.dtype is not function.dtype:
                    check_gradient(function, position, link, contribution)
                if place.total is None:
                    place.total = contribution
                    place.borrowed = function.op.passes
                else:
                    place.total = accumulate(place.total, contribution)
                    place.borrowed = False
            place.pending -= 1
            if trace is not None and contribution is not None:
                trace.contribution(function, position, None, link, contribution, place.total, action, place.pending)
            if place.pending == 0:
                ready.append(link)
        if not retain_graph:
            function.release_variables()
        # [/one-visit]


def leads_on(node: Node, task: GraphTask) -> bool:
    """Whether an input of a node was counted, so that its gradient is wanted."""
    for link in node.inputs:  # noqa: SIM110 (a generator would cost more than the loop)
        if isinstance(link, Node) and task.find(link) is not None:
            return True
    return False


def run(
    roots: Sequence[Tensor], gradients: Sequence[Tensor | None], retain_graph: bool,
    inputs: Sequence[Tensor] | None,
) -> list[Tensor | None]:  # fmt: skip
    """Seed, count, process; the gradients of `inputs` where they are given, else accumulated into leaves."""
    recording = grad_enabled.get()
    task = GraphTask()
    try:
        grad_enabled.set(False)
        trace = recorder.get()
        nodes: list[Node] = []
        seeds: list[Tensor] = []
        for index, root in enumerate(roots):
            seed = seed_gradient(root, gradients[index], index)
            node: Node = gradient_edge(root)  # type: ignore[assignment]
            if trace is not None:
                trace.seed(node, root, seed)
            nodes.append(node)
            seeds.append(seed)
        captured: dict[Node, Tensor | None] | None = None
        if inputs is None:
            task.count(nodes, None)
        else:
            captured = dict.fromkeys([gradient_edge(tensor) for tensor in inputs])  # type: ignore[misc]
            needed = nodes_that_reach(nodes, set(captured))
            task.count([node for node in nodes if node in needed], needed)
        if trace is not None:
            for node in task.nodes:
                trace.dependency(node, task.pending(node))
        ready: list[Node] = []
        for index, node in enumerate(nodes):
            place = task.find(node)
            if place is None:
                continue
            if place.total is None:
                place.total = seeds[index]
                place.borrowed = gradients[index] is not None
                if place.pending == 0:
                    ready.append(node)
            else:
                place.total = accumulate(place.total, seeds[index])
                place.borrowed = False
        process(task, ready, retain_graph, captured, trace)
        if trace is not None:
            trace.done()
        if captured is None or inputs is None:
            return []
        return [captured[gradient_edge(tensor)] for tensor in inputs]  # type: ignore[index]
    finally:
        task.leave()
        grad_enabled.set(recording)


def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None:
    """Accumulate the gradients of roots into the leaves that they depend on.

    For each leaf `p` of the graph, ``p.grad`` grows by the vector-Jacobian product of the roots with their gradients.

    Parameters
    ----------
    tensors : Tensor or sequence of Tensor
        The roots.
    grad_tensors : Tensor or sequence of Tensor or None, optional
        One gradient per root, of its shape; None for a root of one element stands for 1.
    retain_graph : bool, optional
        Keep the saved tensors, so that backward can run again over the same graph; left out, they are freed.
    create_graph : bool
        Not supported: gradients of gradients are out of scope.
    inputs : Tensor or sequence of Tensor, optional
        Accumulate only into these, leaves or not.

    Raises
    ------
    RuntimeError
        When a root does not require grad, when a seed cannot be made, when the graph was used before, when a saved
        tensor was changed in place, or when a gradient function returns a wrong shape or dtype.
    NotImplementedError
        For ``create_graph=True``.

    Examples
    --------
    >>> import kael
    >>> x = kael.tensor([1.0, 2.0], requires_grad=True)
    >>> a, b = x * 2, x * 3
    >>> (a + b).sum().backward()
    >>> x.grad
    tensor([5., 5.])
    """
    if create_graph:
        raise NotImplementedError(NO_SECOND_ORDER)
    roots, seeds = _roots("backward", tensors, grad_tensors)
    if inputs is None:
        run(roots, seeds, bool(retain_graph), None)
        return
    wanted = (inputs,) if isinstance(inputs, Tensor) else tuple(dict.fromkeys(inputs))
    if not wanted:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    _check_wanted(wanted)
    for tensor, gradient in zip(wanted, run(roots, seeds, bool(retain_graph), wanted), strict=True):
        node = gradient_edge(tensor)
        if gradient is None or node is None:
            continue
        if isinstance(node, AccumulateGrad):
            node.accumulate(gradient, True)
            run_after_accumulation(node)
        else:
            node.grad = gradient if node.grad is None else accumulate(node.grad, gradient)


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of outputs with respect to inputs, as a tuple; no ``grad`` attribute is touched.

    Parameters
    ----------
    outputs, inputs : Tensor or sequence of Tensor
        What to differentiate, and with respect to what (leaves or not).
    grad_outputs : Tensor or sequence of Tensor or None, optional
        One gradient per output; None for an output of one element stands for 1.
    retain_graph : bool, optional
        Keep the saved tensors of the nodes that ran; left out, they are freed.
    create_graph : bool
        Not supported.
    allow_unused : bool, optional
        Give None for an input that no output depends on, instead of raising.
    materialize_grads : bool
        Give zeros for such an input.

    Raises
    ------
    RuntimeError
        As for `backward`, and when there are no inputs, or one is unused or does not require grad.
    ValueError
        When `allow_unused` contradicts `materialize_grads`.
    NotImplementedError
        For ``create_graph=True``.

    Examples
    --------
    >>> import kael
    >>> x = kael.tensor([3.0], requires_grad=True)
    >>> kael.autograd.grad(x * x, x), x.grad
    ((tensor([6.]),), None)
    """
    if create_graph:
        raise NotImplementedError(NO_SECOND_ORDER)
    roots, seeds = _roots("grad", outputs, grad_outputs)
    wanted = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    if not wanted:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    _check_wanted(wanted)
    results = run(roots, seeds, bool(retain_graph), wanted)
    answer: list[Tensor | None] = []
    repeated = len(set(map(id, wanted))) < len(wanted)
    for index, gradient in enumerate(results):
        tensor = wanted[index]
        if gradient is not None:
            answer.append(copied(gradient) if repeated else gradient)
        elif materialize_grads:
            answer.append(filled(tensor.array.shape, tensor.dtype, 0.0))
        elif allow_unused:
            answer.append(None)
        else:
            raise RuntimeError(
                f"The differentiated Tensor at index {index} appears to not have been used in the graph. Set "
                "allow_unused=True if this is the desired behavior."
            )
    return tuple(answer)


def _check_wanted(wanted: Sequence[Tensor]) -> None:
    for tensor in wanted:
        if not isinstance(tensor, Tensor):
            raise TypeError(f"inputs must be Tensors, but got {type(tensor).__name__}")
        if not requires_grad(tensor):
            raise RuntimeError("One of the differentiated Tensors does not require grad")


def _roots(
    operation: str, tensors: Tensor | Sequence[Tensor], gradients: Tensor | Sequence[Tensor | None] | None
) -> tuple[Sequence[Tensor], Sequence[Tensor | None]]:
    """Roots and their gradients as two sequences of one length."""
    roots = (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)
    if not roots:
        raise RuntimeError(f"{operation}: there are no tensors to differentiate; pass at least one")
    for index, root in enumerate(roots):
        if not isinstance(root, Tensor):
            raise TypeError(f"{operation}: element {index} of tensors is {type(root).__name__}; pass tensors")
    if gradients is None:
        return roots, (None,) * len(roots)
    seeds = tuple(gradients) if isinstance(gradients, (tuple, list)) else (gradients,)
    for seed in seeds:
        if seed is not None and not isinstance(seed, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(seed).__name__}")
    if len(seeds) != len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(seeds)} gradients")
    return roots, seeds
