"""Reads memory that is not there."""

import ctypes


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return ctypes.string_at(0)
