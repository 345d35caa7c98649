"""The views of a record: text, Markdown, JSON, HTML."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from kael.tracing.model import Pass, shown
from kael.tracing.page import document, element
from kael.tracing.schema import decode, encode
from kael.tracing.table import Table, markdown, table_of, text

__all__ = ["Views"]


class Views:
    """Recorded passes and the ways to look at them.

    Parameters
    ----------
    title : str
        What the record shows.
    code : str
        The code that made it, for the caption of the HTML view.
    passes : list of Pass, optional
        The passes.
    """

    def __init__(self, title: str = "", code: str = "", passes: list[Pass] | None = None) -> None:
        self.title = title
        self.code = code
        self.passes: list[Pass] = [] if passes is None else passes
        self.run: dict[str, Any] | None = None

    def table(self, *, whole: bool = False) -> str:
        """The worked table of each backward pass, in plain text.

        Parameters
        ----------
        whole : bool
            Show every step; otherwise a table of more than 60 steps shows a repetition by its first and last steps.
        """
        return self._each(lambda record: text(_table(record, whole)), "")

    def to_markdown(self, *, whole: bool = False) -> str:
        """The worked table of each backward pass, in Markdown.

        Parameters
        ----------
        whole : bool
            Show every step, as for `table`.
        """
        return self._each(lambda record: markdown(_table(record, whole)), "### ")

    def to_json(self) -> str:
        """The record as JSON, in the format of ``kael/tracing/schema.json``."""
        return encode(self.title, self.code, self.passes)

    @classmethod
    def from_json(cls, record: str) -> Views:
        """The views of a record read back from `to_json`.

        Raises
        ------
        ValueError
            When the text is no record, or one of another version.
        """
        return Views(*decode(record))

    def to_html(self, *, assets: bool = True, page: bool = False, error: str = "") -> str:
        """The record as HTML: picture, table and text as they stand, stepped through where scripts run.

        Parameters
        ----------
        assets : bool
            Carry style and script; False where the page brings ``stepper.css`` and ``stepper.mjs``.
        page : bool
            A whole page instead of an element.
        error : str
            An error to show above the record.
        """
        made = element(self.title, self.code, self.passes, assets=assets, run=self.run, error=error)
        return document(self.title, made) if page else made

    def _repr_html_(self) -> str:
        """What a notebook shows; a book that serves the stepper itself sets KAEL_TRACE_ASSETS=linked."""
        return self.to_html(assets=os.environ.get("KAEL_TRACE_ASSETS") != "linked")

    def __repr__(self) -> str:
        walked = sum(1 for record in self.passes if record.steps)
        return f"<{type(self).__name__} of {walked} backward pass{'' if walked == 1 else 'es'}>"

    def _each(self, view: Callable[[Pass], str], mark: str) -> str:
        walked = shown(self.passes)
        if not walked:
            return "no backward ran\n"
        parts = []
        for number, record in enumerate(walked, 1):
            heading = f"{mark}backward {number} of {len(walked)}\n\n" if len(walked) > 1 else ""
            parts.append(heading + view(record))
        return "\n".join(parts)


def _table(record: Pass, whole: bool) -> Table:
    return table_of(record, None) if whole else table_of(record)
