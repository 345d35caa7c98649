"""Writes three hundred million characters past Python's own streams."""

import os


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    for _ in range(300):
        os.write(2, b"x" * 1_000_000)
    return lambda *arguments: None
