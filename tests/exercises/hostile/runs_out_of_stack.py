"""Calls itself through C until the stack is full."""

import sys


class Endless:
    def __repr__(self):
        return repr(self)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    sys.setrecursionlimit(10**9)
    return repr(Endless())
