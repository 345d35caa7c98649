"""Rung 3, the twin: the counts and the ready stack as C arrays of integers."""

cimport numpy as cnp
from libc.stdint cimport int64_t

import numpy as np

from chapters.ch15_graph.checks import check_graph, check_index, check_vector

cnp.import_array()

__all__ = ["count_dependencies", "ready_order"]


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


cdef class Graph:
    """An index graph whose arrays have been checked and packed, and room for a stack of all its nodes."""

    cdef cnp.ndarray offsets, inputs, stack
    cdef Py_ssize_t nodes
    cdef const int64_t* cut
    cdef const int64_t* source

    def __cinit__(self, str op, cnp.ndarray offsets, cnp.ndarray inputs, Py_ssize_t root, str name, cnp.ndarray out):
        check_vector(op, "offsets", offsets, "q")
        check_vector(op, "inputs", inputs, "q")
        self.offsets, self.inputs = np.ascontiguousarray(offsets), np.ascontiguousarray(inputs)
        self.cut, self.source = <int64_t*> self.offsets.data, <int64_t*> self.inputs.data
        self.nodes = self.offsets.size - 1
        if not sound(self.cut, self.source, self.nodes, self.inputs.size):
            check_graph(op, offsets, inputs)
        check_index(op, "root", root, self.nodes)
        check_vector(op, name, out, "q", self.nodes)
        self.stack = np.empty(self.nodes, np.int64)


# [count-dependencies]
def count_dependencies(cnp.ndarray offsets, cnp.ndarray inputs, Py_ssize_t root, cnp.ndarray counts):
    """For each node that the root leads to, count the edges that point to it."""
    cdef Graph graph = Graph("count_dependencies", offsets, inputs, root, "counts", counts)
    cdef cnp.ndarray waiting = np.empty(graph.nodes, np.int64)
    count(graph.cut, graph.source, graph.nodes, root, <int64_t*> waiting.data, <int64_t*> graph.stack.data)
    counts[...] = waiting


# [counted]
cdef Py_ssize_t count(
    const int64_t* cut, const int64_t* source, Py_ssize_t nodes, Py_ssize_t root, int64_t* waiting, int64_t* stack
) noexcept nogil:
    """Fill `waiting` and return how many nodes were reached."""
    cdef Py_ssize_t node, child, position, depth = 1, reached = 1
    for node in range(nodes):
        waiting[node] = -1
    waiting[root] = 0
    stack[0] = root
    while depth > 0:
        depth -= 1
        node = stack[depth]
        for position in range(cut[node], cut[node + 1]):
            child = source[position]
            if child < 0:
                continue
            if waiting[child] < 0:
                waiting[child] = 0
                stack[depth] = child
                depth += 1
                reached += 1
            waiting[child] += 1
    return reached
# [/counted]
# [/count-dependencies]


# [ready-order]
def ready_order(cnp.ndarray offsets, cnp.ndarray inputs, Py_ssize_t root, cnp.ndarray order):
    """The order in which a backward pass runs the nodes: each one when its last contribution has arrived."""
    cdef Graph graph = Graph("ready_order", offsets, inputs, root, "order", order)
    cdef cnp.ndarray waiting = np.empty(graph.nodes, np.int64), ran = np.full(graph.nodes, -1, np.int64)
    cdef int64_t* stack = <int64_t*> graph.stack.data
    cdef Py_ssize_t reached = count(graph.cut, graph.source, graph.nodes, root, <int64_t*> waiting.data, stack)
    cdef Py_ssize_t done = run(graph.cut, graph.source, root, <int64_t*> waiting.data, stack, <int64_t*> ran.data)
    if done < reached:
        raise ValueError(f"ready_order: the graph has a cycle; {reached - done} of {reached} nodes wait for ever")
    order[...] = ran


cdef Py_ssize_t run(
    const int64_t* cut, const int64_t* source, Py_ssize_t root, int64_t* waiting, int64_t* ready, int64_t* ran
) noexcept nogil:
    """Fill `ran` and return how many nodes ran."""
    cdef Py_ssize_t node, child, position, depth = 0, done = 0
    if waiting[root] == 0:
        ready[0] = root
        depth = 1
    while depth > 0:
        depth -= 1
        node = ready[depth]
        ran[done] = node
        done += 1
        for position in range(cut[node], cut[node + 1]):
            child = source[position]
            if child < 0:
                continue
            waiting[child] -= 1
            if waiting[child] == 0:
                ready[depth] = child
                depth += 1
    return done
# [/ready-order]
