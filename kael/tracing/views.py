"""The views of a record: text, Markdown."""

from __future__ import annotations

from collections.abc import Callable

from kael.tracing.model import Pass
from kael.tracing.table import markdown, table_of, text

__all__ = ["Views"]


class Views:
    """Recorded passes and the ways to look at them.

    Parameters
    ----------
    title : str
        What the record shows.
    """

    def __init__(self, title: str = "") -> None:
        self.title = title
        self.passes: list[Pass] = []

    def table(self) -> str:
        """The worked table of each backward pass, in plain text."""
        return self._each(lambda record: text(table_of(record)), "")

    def to_markdown(self) -> str:
        """The worked table of each backward pass, in Markdown."""
        return self._each(lambda record: markdown(table_of(record)), "### ")

    def _each(self, view: Callable[[Pass], str], mark: str) -> str:
        walked = [record for record in self.passes if record.steps]
        if not walked:
            return "no backward ran\n"
        parts = []
        for number, record in enumerate(walked, 1):
            heading = f"{mark}backward {number} of {len(walked)}\n\n" if len(walked) > 1 else ""
            parts.append(heading + view(record))
        return "\n".join(parts)
