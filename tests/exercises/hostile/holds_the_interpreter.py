"""Never comes back from C, and lets no other thread run meanwhile."""

import re


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    re.match("(a+)+$", "a" * 50 + "b")
