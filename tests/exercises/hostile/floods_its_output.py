"""Prints without end."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    while True:
        print("x" * 1_000_000)
