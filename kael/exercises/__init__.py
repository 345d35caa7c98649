"""The exercises: what a reader's file imports, and what runs and proves their checks."""

__all__ = ["NotAvailable", "NotStarted", "Refused", "blank"]


class NotStarted(Exception):
    """Raised where an exercise has not been begun."""


class NotAvailable(Exception):
    """Raised where an exercise needs something that this machine has not got, such as a compiler."""


class Refused(Exception):
    """Raised where a command cannot do what was asked; the text says what to do instead."""


class LibraryCalled(Exception):
    """Raised where an answer calls what its exercise rules out."""


class _Blank:
    """A cell of a table that the reader has still to fill."""

    def __repr__(self) -> str:
        return "blank"


blank = _Blank()
