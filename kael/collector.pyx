"""Which objects Python's garbage collector looks at.

Its full collections visit every object it knows, again and again: in a program that holds a graph of a million nodes,
they cost more than making the graph. A graph cannot lead back to itself, for an operation's inputs exist before it
does; so the engine leaves what it makes for one out of the collector's sight. A hook or a context of the reader's may
close a cycle. From the first one on, whatever the engine makes is looked at, as other objects are.
"""

cdef extern from "Python.h":
    void PyObject_GC_UnTrack(object)
    void PyObject_GC_Track(object)
    bint PyObject_GC_IsTracked(object)

cdef bint looking = False


cpdef object leave_out(object it):
    """Let the collector pass over an object of a graph, while no graph can be part of a cycle; gives the object."""
    if not looking and it is not None:
        PyObject_GC_UnTrack(it)
    return it


cpdef void leave_out_record(object node, object inputs, object saved, object output) noexcept:
    """Let it pass over all that an operation leaves behind."""
    if not looking:
        PyObject_GC_UnTrack(node)
        PyObject_GC_UnTrack(inputs)
        PyObject_GC_UnTrack(saved)
        PyObject_GC_UnTrack(output)


cpdef void take_in(object it) noexcept:
    """Let the collector look at an object that was left out."""
    if not PyObject_GC_IsTracked(it):
        PyObject_GC_Track(it)


cpdef void look_at_graphs() noexcept:
    """Let the collector look at whatever the engine makes from now on."""
    global looking
    looking = True
