"""Puts the sources that pages lead to on the site: ``listings/kael/storage.py.html#L10`` is line 10 of that file."""

from __future__ import annotations

import html
import re
from pathlib import Path

from sphinx.application import Sphinx

LINK = re.compile(r'href="(?:\.\./)*listings/([\w./-]+)\.html#L')
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{path}</title>
<link rel="icon" href="data:,">
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 1rem; font-family: system-ui, sans-serif; }}
h1 {{ font-size: 1.25rem; overflow-wrap: anywhere; }}
pre {{ overflow-x: auto; line-height: 1.4; counter-reset: line; }}
pre span {{ counter-increment: line; }}
pre span::before {{ content: counter(line); display: inline-block; width: 3rem; padding-right: 1rem; }}
pre span:target {{ outline: 2px solid; }}
</style>
</head>
<body>
<main>
<article>
<h1>{path}</h1>
<pre tabindex="0">{lines}</pre>
</article>
</main>
</body>
</html>
"""


def listing(path: str, text: str) -> str:
    """The page of one source."""
    lines = "\n".join(
        f'<span id="L{number}">{html.escape(line, quote=False)}</span>'
        for number, line in enumerate(text.splitlines(), start=1)
    )
    return PAGE.format(path=path, lines=lines)


def write_listings(app: Sphinx, exception: Exception | None) -> None:
    """Write a listing for each source that a finished page has a link to."""
    if exception is not None or app.builder.format != "html":
        return
    site, root = Path(app.outdir), Path(app.srcdir).parent
    texts = [page.read_text(encoding="utf-8") for page in site.rglob("*.html")]
    for path in sorted({path for text in texts for path in LINK.findall(text)}):
        target = site / "listings" / f"{path}.html"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(listing(path, (root / path).read_text(encoding="utf-8")), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Sphinx's entry point."""
    app.connect("build-finished", write_listings)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
