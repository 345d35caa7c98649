"""The backward pass: seed, count, process; one visit per node, explicit stacks, no recursion.

A node runs when every contribution to its gradient has arrived, which is when its count of incoming edges has come
down to zero. The pass is linear in nodes and edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kael.autograd.grad_mode import grad_enabled
from kael.autograd.hooks import run_after_accumulation, run_hooks
from kael.autograd.meta import AutogradMeta
from kael.autograd.node import AccumulateGrad, FunctionNode, Node, NodeInput, accumulate, copied, filled, gradient_edge
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


def count_dependencies(roots: Iterable[Node], needed: set[Node] | None = None) -> dict[Node, int]:
    """How many edges point to each node that can be reached from the roots.

    Parameters
    ----------
    roots : iterable of Node
        Where the walk begins; a root that nothing points to counts 0.
    needed : set of Node, optional
        Follow only edges to these.
    """
    # [count-loop]
    counts: dict[Node, int] = {}
    stack: list[Node] = []
    for root in roots:
        if not isinstance(root, Node):
            raise TypeError(f"count_dependencies: a root is {type(root).__name__}; pass nodes, such as loss.grad_fn")
        if root not in counts:
            counts[root] = 0
            stack.append(root)
    while stack:
        node = stack.pop()
        for link in node.inputs:
            edge = link.edge
            if edge is None or (needed is not None and edge not in needed):
                continue
            if edge in counts:
                counts[edge] += 1
            else:
                counts[edge] = 1
                stack.append(edge)
    return counts
    # [/count-loop]


def nodes_that_reach(roots: Iterable[Node], targets: set[Node]) -> set[Node]:
    """The nodes from which a target can be reached, targets included; iterative, in depth-first post-order."""
    found: set[Node] = set()
    seen: set[Node] = set()
    stack: list[tuple[Node, bool]] = [(root, False) for root in roots]
    while stack:
        node, finished = stack.pop()
        if finished:
            if node in targets or any(link.edge in found for link in node.inputs):
                found.add(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            for link in node.inputs:
                if link.edge is not None:
                    stack.append((link.edge, False))
    return found


def check_gradient(node: Node, position: int, link: NodeInput, gradient: Tensor) -> None:
    """Compare a returned gradient with what the edge recorded in the forward pass.

    Raises
    ------
    RuntimeError
        Naming the node, the input and both shapes or dtypes.
    """
    if gradient.array.shape != link.shape:
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
    totals: dict[Node, Tensor | None], borrowed: set[Node], counts: dict[Node, int], retain_graph: bool,
    captured: dict[Node, Tensor | None] | None, trace: Any,
) -> None:  # fmt: skip
    """Run every counted node once, each when its count has reached zero.

    Parameters
    ----------
    totals : dict
        The gradient of each node as far as it has arrived; at first the seeds.
    borrowed : set
        Nodes whose total lies in memory that somebody else may hold.
    counts : dict
        From `count_dependencies`; used up.
    retain_graph : bool
        Keep saved tensors for another pass.
    captured : dict or None
        Nodes whose complete gradient is wanted, filled here; None to accumulate into leaves.
    trace : object or None
        Where events are reported.
    """
    anomaly = watched()
    ready: list[Node] = [node for node in totals if counts[node] == 0]
    while ready:
        node = ready.pop()
        gradient = totals.pop(node)
        if gradient is not None:
            gradient = run_hooks(node, gradient, borrowed)
        if trace is not None:
            trace.visit(node, gradient, ready)
        if captured is not None and node in captured:
            captured[node] = gradient
        if isinstance(node, AccumulateGrad):
            if captured is None and gradient is not None:
                leaf = node
                leaf.accumulate(gradient, node not in borrowed)
                run_after_accumulation(leaf.variable)
            continue
        function: FunctionNode = node  # type: ignore[assignment]
        if captured is None and function.retains is not None and gradient is not None:
            retain(function, gradient)
        if captured is not None and not leads_on(function, counts):
            continue
        # [one-visit]
        results: list[Tensor | None] = [None] * len(function.inputs)
        if gradient is not None:
            # Who watches sees each contribution as a tensor of its own.
            whole = function.inputs[0].edge if function.op.adds is not None and anomaly is trace is None else None
            total = None if whole is None or whole in borrowed else totals.get(whole)
            results = function.apply(gradient, total) if anomaly is None else anomaly.apply(function, gradient)
        passes = function.op.passes
        for position, link in enumerate(function.inputs):
            edge = link.edge
            if edge is None or edge not in counts:
                continue
            contribution = results[position]
            total = totals.get(edge)
            action = "assign" if total is None else "add"
            if contribution is not None:
                check_gradient(function, position, link, contribution)
                if total is None:
                    total = contribution
                    if passes:
                        borrowed.add(edge)
                else:
                    total = accumulate(total, contribution)
                    borrowed.discard(edge)
            totals[edge] = total
            pending = counts[edge] - 1
            counts[edge] = pending
            if trace is not None and contribution is not None:
                trace.contribution(function, position, None, edge, contribution, total, action, pending)
            if pending == 0:
                ready.append(edge)
        if not retain_graph:
            function.release_variables()
        # [/one-visit]


def leads_on(node: Node, counts: dict[Node, int]) -> bool:
    """Whether an input of a node was counted, so that its gradient is wanted."""
    for link in node.inputs:  # noqa: SIM110 (a generator would cost more than the loop)
        if link.edge in counts:
            return True
    return False


def retain(function: FunctionNode, gradient: Tensor) -> None:
    """Add a node's complete gradient to the ``grad`` of its output, which asked to keep it and is still its output."""
    output = function.retains()
    if output is None:
        return
    meta: AutogradMeta = output.meta
    if meta is not None and meta.grad_fn is function:
        meta.grad = copied(gradient) if meta.grad is None else accumulate(meta.grad, gradient)


def run(
    roots: Sequence[Tensor], gradients: Sequence[Tensor | None], retain_graph: bool,
    inputs: Sequence[Tensor] | None,
) -> list[Tensor | None]:  # fmt: skip
    """Seed, count, process; the gradients of `inputs` where they are given, else accumulated into leaves."""
    recording = grad_enabled.get()
    grad_enabled.set(False)
    try:
        trace = recorder.get()
        totals: dict[Node, Tensor | None] = {}
        borrowed: set[Node] = set()
        for index, root in enumerate(roots):
            gradient = gradients[index]
            seed = seed_gradient(root, gradient, index)
            node = gradient_edge(root)
            if trace is not None:
                trace.seed(node, root, seed)
            total = totals.get(node)
            if total is not None:
                totals[node] = accumulate(total, seed)
                borrowed.discard(node)
            else:
                totals[node] = seed
                if gradient is not None:
                    borrowed.add(node)
        if inputs is None:
            counts = count_dependencies(totals)
            captured = None
        else:
            captured = dict.fromkeys([gradient_edge(tensor) for tensor in inputs])
            needed = nodes_that_reach(totals, set(captured))
            totals = {node: total for node, total in totals.items() if node in needed}
            counts = count_dependencies(totals, needed)
        if trace is not None:
            for node, count in counts.items():
                trace.dependency(node, count)
        process(totals, borrowed, counts, retain_graph, captured, trace)
        if trace is not None:
            trace.done()
        return [] if captured is None or inputs is None else [captured[gradient_edge(tensor)] for tensor in inputs]
    finally:
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
        if gradient is None:
            continue
        if isinstance(node, AccumulateGrad):
            node.accumulate(gradient, False)
            run_after_accumulation(tensor)
        else:
            meta: AutogradMeta = tensor.meta
            meta.grad = copied(gradient) if meta.grad is None else accumulate(meta.grad, gradient)


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
    for index, gradient in enumerate(results):
        tensor = wanted[index]
        if gradient is not None:
            answer.append(copied(gradient))
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
    if gradients is None:
        return roots, (None,) * len(roots)
    seeds = tuple(gradients) if isinstance(gradients, (tuple, list)) else (gradients,)
    for seed in seeds:
        if seed is not None and not isinstance(seed, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(seed).__name__}")
    if len(seeds) != len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(seeds)} gradients")
    return roots, seeds
