"""Says that this machine cannot run it, so that it is left out of the total."""

from kael.exercises import NotAvailable


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotAvailable("it needs a C compiler")
