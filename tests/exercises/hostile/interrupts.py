"""Behaves as if somebody had pressed Ctrl-C."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise KeyboardInterrupt
