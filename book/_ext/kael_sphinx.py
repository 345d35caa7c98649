"""What the book adds to Sphinx: it takes out scripts that a CDN would serve, and links each page to its notebook."""

from pathlib import Path
from typing import Any

from docutils import nodes
from myst_nb.core import render
from sphinx.application import Sphinx


def drop_remote_scripts(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Leave out thebe, which jupyter-book puts on every page and which loads itself from a CDN."""

    def remote(script: object) -> bool:
        return "THEBE" in str(getattr(script, "attributes", script)) or "thebe" in str(getattr(script, "filename", ""))

    context["script_files"] = [script for script in context.get("script_files", []) if not remote(script)]


def offer_notebook(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """End a chapter's page with a link to its notebook."""
    notebook = f"notebooks/{page}.ipynb"
    if (Path(app.srcdir) / "_build" / "static" / notebook).is_file():
        target = context["pathto"](f"_static/{notebook}", resource=True)
        context["body"] += (
            f'<p class="kael-notebook"><a href="{target}" download>This page as a notebook</a> '
            f"(or, in the clone: <code>kael lab {page.split('_')[0]}</code>)</p>"
        )


def name_folded_cells(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Let a folded cell be called by the words it shows ("Show code cell content"), not by a hidden label."""
    if "body" in context:
        context["body"] = context["body"].replace(' aria-label="Toggle hidden content"', "")


def merge_streams(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Join the pieces in which a kernel sent what one cell printed; on a busy machine they end in mid-line."""
    merged: list[dict[str, Any]] = []
    for output in outputs:
        if merged and output["output_type"] == "stream" and output.get("name") == merged[-1].get("name"):
            merged[-1]["text"] += output["text"]
        else:
            merged.append(output)
    return merged


def trim_listings(app: Sphinx, doctree: nodes.document) -> None:
    """End a quoted region at its last line of code: the formatter wants blank lines before the closing tag."""
    for block in doctree.findall(nodes.literal_block):
        text = block.astext().rstrip("\n")
        block.rawsource = text
        block[:] = [nodes.Text(text)]


def setup(app: Sphinx) -> dict[str, bool]:
    """Sphinx's entry point."""
    # myst-nb's own puts a line break between the pieces.
    render.coalesce_streams = merge_streams
    app.connect("doctree-read", trim_listings)
    app.connect("html-page-context", drop_remote_scripts, priority=900)
    app.connect("html-page-context", offer_notebook, priority=910)
    app.connect("html-page-context", name_folded_cells, priority=920)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
