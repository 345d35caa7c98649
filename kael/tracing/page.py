"""A record as HTML: complete as it stands, and stepped through where scripts run."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

from kael.tracing.drawing import in_words, keys_shown, svg
from kael.tracing.graph import Graph, graph_of
from kael.tracing.model import Pass, shown
from kael.tracing.table import Row, Table, table_of

__all__ = ["document", "element"]

FOLDER = Path(__file__).parent
_UNBROKEN = ' class="kt-short"'


def element(
    title: str, code: str, passes: list[Pass], *, assets: bool, run: dict[str, Any] | None = None, error: str = ""
) -> str:
    """The custom element of a record.

    Parameters
    ----------
    title, code : str
        What the record shows and the code that made it, both in the caption.
    passes : list of Pass
        What to show.
    assets : bool
        Carry the style and the script inside; False where the page brings them.
    run : dict, optional
        What the stepper needs to run the code again with other values.
    error : str
        An error that ended the code, shown above the record.
    """
    figures, steps = [], []
    walked = shown(passes)
    for number, record in enumerate(walked, 1):
        named = f"{title} (backward {number} of {len(walked)})" if len(walked) > 1 else title
        drawn = graph_of(record)
        table, keys = table_of(record), keys_shown(record, drawn)
        for row in table.rows:
            row.changed = {key: row.changed[key] for key in sorted(keys & row.changed.keys())}
        steps.append(_steps(table, drawn))
        figures.append(_figure(named or "Backward pass", code if number == 1 else "", record, drawn, table))
    data = json.dumps({"passes": steps, "run": run}, ensure_ascii=False, separators=(",", ":"))
    data = data.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    trouble = f'<pre class="kt-error" role="alert">{escape(error)}</pre>' if error else ""
    nothing = "" if figures else "<p>no backward ran</p>"
    style = f"<style>{_asset('stepper.css')}</style>" if assets else ""
    script = f'<script type="module">{_asset("stepper.mjs")}</script>' if assets else ""
    return (
        f"{style}<kael-trace>{trouble}{''.join(figures)}{nothing}"
        f'<script type="application/json" class="kt-data">{data}</script></kael-trace>{script}'
    )


def document(title: str, body: str) -> str:
    """A page of its own around an element."""
    name = escape(title or "Backward pass")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{name}</title></head>\n<body><main><h1>{name}</h1>{body}</main></body></html>\n"
    )


def _asset(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _figure(title: str, code: str, record: Pass, drawn: Graph, table: Table) -> str:
    history = [row.changed for row in table.rows]
    shown = f'<pre class="kt-code"><code>{escape(code)}</code></pre>' if code else ""
    return (
        f'<figure class="kt" aria-label="{escape(title)}">'
        f'<figcaption><span class="kt-title">{escape(title)}</span>{shown}</figcaption>'
        f"{_scrolling('kt-graph', f'Graph of {title}', svg(record, drawn, history, title))}"
        '<details class="kt-words"><summary>The graph in words</summary>'
        f"<p>{escape(in_words(record, drawn))}</p></details>"
        f"{_scrolling('kt-table', f'Table of {title}', _table(table))}"
        f'<p class="kt-closing">{escape(table.closing)}</p></figure>'
    )


def _scrolling(kind: str, name: str, inside: str) -> str:
    """A part that may be wider than the page: it scrolls by itself, and by keyboard too."""
    return f'<div class="{kind}" role="group" tabindex="0" aria-label="{escape(name)}">{inside}</div>'


def _table(table: Table) -> str:
    """The whole table; each cell also carries its heading, for narrow screens, where a row becomes a list."""
    heads = "".join(f'<th scope="col" role="columnheader">{escape(name)}</th>' for name in table.columns)
    body = "".join(f'<tr role="row">{_cells(table, row)}</tr>' for row in table.rows)
    return (
        f'<table role="table"><thead role="rowgroup"><tr role="row">{heads}</tr></thead>'
        f'<tbody role="rowgroup">{body}</tbody></table>'
    )


def _cells(table: Table, row: Row) -> str:
    cells: list[str] = []
    for name, lines in zip(table.columns, row.cells, strict=True):
        tag, attributes = ("td", ' role="cell"') if cells else ("th", ' scope="row" role="rowheader"')
        inside = "".join(f"<span{_UNBROKEN if len(line) <= 26 else ''}>{escape(line)}</span>" for line in lines)
        cells.append(f'<{tag}{attributes} data-label="{escape(name)}"><div>{inside}</div></{tag}>')
    return "".join(cells)


def _steps(table: Table, drawn: Graph) -> list[dict[str, Any]]:
    """What the stepper shows at each step: the box, the arrows, the gradients that changed, the sentence."""
    owners = drawn.owners()
    steps = []
    for row in table.rows:
        box = None if row.node is None else owners.get(f"n{row.node}")
        arrows = [] if box is None else [f"{box}-{position}" for position in row.passed]
        said = f"Step {row.cells[0][0]} of {table.rows[-1].cells[0][0]}. {row.said}"
        steps.append({"box": box, "arrows": arrows, "grads": row.changed, "said": said})
    return steps
