"""Sets the formulas of the pages with KaTeX while the book is built; a formula that cannot be set is a warning."""

from __future__ import annotations

import json
import subprocess
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

from kael.book.packages import node

LOGGER = logging.getLogger(__name__)


class Typesetter:
    """A Node process that sets one formula after another; started with the first."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None

    def html(self, modules: Path, latex: str, display: bool) -> str:
        """The HTML of a formula, with MathML inside for screen readers.

        Raises
        ------
        ValueError
            When KaTeX refuses it, with what it says.
        """
        if self.process is None:
            command = [str(node()), str(Path(__file__).with_name("katex.cjs")), str(modules)]
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, encoding="utf-8")
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps({"latex": latex, "displayMode": display}), file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise ValueError(answer["error"])
        html: str = answer["html"]
        return html

    def close(self, app: Sphinx, exception: Exception | None) -> None:
        """End the process: it stops when there is nothing more to read."""
        if self.process is not None:
            self.process.communicate()
            self.process = None


TYPESETTER = Typesetter()


def _set(translator: HTML5Translator, math: nodes.Element, display: bool) -> str:
    try:
        return TYPESETTER.html(Path(translator.builder.srcdir) / "node_modules", math.astext(), display)
    except ValueError as error:
        LOGGER.warning("broken formula: %s", error, location=math)
        return f'<span class="katex-error">{escape(math.astext())}</span>'


def visit_inline(translator: HTML5Translator, math: nodes.math) -> None:
    """A formula in a line of text."""
    translator.body.append(f'<span class="math">{_set(translator, math, False)}</span>')
    raise nodes.SkipNode


def visit_block(translator: HTML5Translator, math: nodes.math_block) -> None:
    """A formula on a line of its own, with its number if it has a label."""
    translator.body.append(translator.starttag(math, "div", CLASS="math"))
    if math["number"]:
        translator.body.append(f'<span class="eqno">({get_node_equation_number(translator, math)})')
        translator.add_permalink_ref(math, "Link to this equation")
        translator.body.append("</span>")
    translator.body.append(f"{_set(translator, math, True)}</div>")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx's entry point."""
    app.add_html_math_renderer("kael", inline_renderers=(visit_inline, None), block_renderers=(visit_block, None))
    app.connect("build-finished", TYPESETTER.close)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
