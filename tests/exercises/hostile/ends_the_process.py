"""Ends the process with the exit code of success."""

import os


def __getattr__(name):
    os._exit(0)
