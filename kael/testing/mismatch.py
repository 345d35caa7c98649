"""The error that a check raises: five lines, each with its own word in front."""

from __future__ import annotations

from kael.testing.because import Because

__all__ = ["Mismatch"]


class Mismatch(AssertionError):
    """An answer differs from what was expected.

    Parameters
    ----------
    because : Because
        The question.
    expected, got : str
        Both sides in words.
    cause : str
        What most likely happened; the question's own cause when empty.

    Examples
    --------
    >>> from kael.testing import Because, Mismatch
    >>> print(Mismatch(Because("double(2)", cause="it was squared"), "4", "8"))
    called:       double(2)
    expected:     4; got 8
    likely cause: it was squared
    """

    def __init__(self, because: Because, expected: str, got: str, cause: str = "") -> None:
        lines = [
            ("called", because.called),
            ("expected", f"{expected}; got {got}"),
            ("likely cause", cause or because.cause or "no mistake that this check knows gives this value"),
            ("read", because.read),
            ("run again", because.again),
        ]
        super().__init__("\n".join(f"{word + ':':<14}{said}" for word, said in lines if said))
