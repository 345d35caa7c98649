"""Sends its own process a signal."""

import signal


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    signal.raise_signal(signal.SIGTERM)
