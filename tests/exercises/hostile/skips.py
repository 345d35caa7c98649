"""Has its checks skipped."""

import pytest


def __getattr__(name):
    if not name.startswith("__"):
        pytest.skip("not today")
    raise AttributeError(name)
