"""Declares its failure expected."""

import pytest


def __getattr__(name):
    if not name.startswith("__"):
        pytest.xfail("known")
    raise AttributeError(name)
