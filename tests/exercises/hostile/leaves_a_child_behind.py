"""Starts a process that goes on when this one is over, and holds its streams."""

import ctypes
import os
import time

PARENT = os.getpid()


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    if os.getpid() == PARENT and ctypes.CDLL(None).fork() == 0:
        time.sleep(20)
        ctypes.CDLL(None)._exit(0)
    return lambda *arguments: None
