"""Rung 3, the twin of the walks over an index graph: the same stacks, as C arrays."""

cimport numpy as cnp
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

import numpy as np

from chapters.ch15_graph.checks import check_graph, check_index, check_vector

cnp.import_array()

__all__ = ["reachable", "topological_backward_order"]


cdef bint sound(const int64_t* offsets, const int64_t* inputs, Py_ssize_t nodes, Py_ssize_t edges) noexcept nogil:
    """Whether two arrays are an index graph."""
    cdef Py_ssize_t k
    if nodes < 0 or offsets[0] != 0 or offsets[nodes] != edges:
        return False
    for k in range(nodes):
        if offsets[k] > offsets[k + 1]:
            return False
    for k in range(edges):
        if inputs[k] < -1 or inputs[k] >= nodes:
            return False
    return True


cdef Py_ssize_t nodes_of(str op, cnp.ndarray offsets, cnp.ndarray inputs) except -1:
    """How many nodes an index graph has; what is wrong is said by `check_graph`."""
    cdef Py_ssize_t nodes = offsets.size - 1
    if not sound(<int64_t*> cnp.PyArray_DATA(offsets), <int64_t*> cnp.PyArray_DATA(inputs), nodes, inputs.size):
        check_graph(op, offsets, inputs)
    return nodes


cdef cnp.ndarray packed(str op, str name, cnp.ndarray x, str code):
    """One axis of int64 or bool, without gaps between the elements."""
    check_vector(op, name, x, code)
    return np.ascontiguousarray(x)


# [topological-backward-order]
def topological_backward_order(cnp.ndarray offsets, cnp.ndarray inputs, cnp.ndarray out):
    """Write the nodes in an order in which each one comes before the nodes of its inputs."""
    offsets = packed("topological_backward_order", "offsets", offsets, "q")
    inputs = packed("topological_backward_order", "inputs", inputs, "q")
    cdef Py_ssize_t nodes = nodes_of("topological_backward_order", offsets, inputs)
    check_vector("topological_backward_order", "out", out, "q", nodes)
    cdef cnp.ndarray order = np.empty(nodes, np.int64)
    cdef Py_ssize_t cycle = backward_order(
        <int64_t*> cnp.PyArray_DATA(offsets),
        <int64_t*> cnp.PyArray_DATA(inputs),
        nodes,
        <int64_t*> cnp.PyArray_DATA(order),
    )
    if cycle >= 0:
        raise ValueError(f"topological_backward_order: node {cycle} is an input of itself, over a cycle")
    if cycle == -2:
        raise MemoryError(f"topological_backward_order: no memory for the stack of {nodes} nodes")
    out[...] = order


cdef Py_ssize_t backward_order(
    const int64_t* offsets, const int64_t* inputs, Py_ssize_t nodes, int64_t* out
) noexcept nogil:
    """Fill `out` from its end; -1 when done, a node on a cycle, or -2 when memory is short."""
    cdef Py_ssize_t start, node, child, depth, last = nodes, cycle = -1
    cdef int64_t* position = <int64_t*> malloc((nodes + 1) * sizeof(int64_t))
    cdef int64_t* stack = <int64_t*> malloc((nodes + 1) * sizeof(int64_t))
    cdef char* state = <char*> malloc(nodes + 1)  # 0 not seen, 1 on the stack, 2 done
    if position == NULL or stack == NULL or state == NULL:
        cycle = -2
        nodes = 0
    for node in range(nodes):
        position[node] = offsets[node]
        state[node] = 0
    # [order-loop]
    for start in range(nodes):
        if state[start] != 0:
            continue
        stack[0] = start
        depth = 1
        state[start] = 1
        while depth > 0:
            node = stack[depth - 1]
            if position[node] == offsets[node + 1]:
                depth -= 1
                state[node] = 2
                last -= 1
                out[last] = node
                continue
            child = inputs[position[node]]
            position[node] += 1
            if child < 0 or state[child] == 2:
                continue
            if state[child] == 1:
                cycle = child
                break
            state[child] = 1
            stack[depth] = child
            depth += 1
        if cycle >= 0:
            break
    # [/order-loop]
    free(position)
    free(stack)
    free(state)
    return cycle
# [/topological-backward-order]


# [reachable]
def reachable(cnp.ndarray offsets, cnp.ndarray inputs, Py_ssize_t root, cnp.ndarray out):
    """Mark every node that the root leads to over inputs, the root included."""
    offsets = packed("reachable", "offsets", offsets, "q")
    inputs = packed("reachable", "inputs", inputs, "q")
    cdef Py_ssize_t nodes = nodes_of("reachable", offsets, inputs)
    check_index("reachable", "root", root, nodes)
    check_vector("reachable", "out", out, "?", nodes)
    cdef cnp.ndarray marks = np.zeros(nodes, np.bool_)
    cdef int64_t* stack = <int64_t*> malloc(nodes * sizeof(int64_t))
    if stack == NULL:
        raise MemoryError(f"reachable: no memory for the stack of {nodes} nodes")
    mark(
        <int64_t*> cnp.PyArray_DATA(offsets),
        <int64_t*> cnp.PyArray_DATA(inputs),
        root,
        <char*> cnp.PyArray_DATA(marks),
        stack,
    )
    free(stack)
    out[...] = marks


cdef void mark(
    const int64_t* offsets, const int64_t* inputs, Py_ssize_t root, char* seen, int64_t* stack
) noexcept nogil:
    """Mark what `root` leads to; each node is pushed once, so the stack never holds more than all of them."""
    cdef Py_ssize_t node, child, position, depth = 1
    # [reachable-loop]
    seen[root] = 1
    stack[0] = root
    while depth > 0:
        depth -= 1
        node = stack[depth]
        for position in range(offsets[node], offsets[node + 1]):
            child = inputs[position]
            if child >= 0 and not seen[child]:
                seen[child] = 1
                stack[depth] = child
                depth += 1
    # [/reachable-loop]
# [/reachable]
