"""Takes the process down with it."""

import ctypes


def backward(graph, loss):
    ctypes.string_at(0)
