"""Puts the sources that a page's table of names points to on the site, with an anchor for each line."""

from __future__ import annotations

import html
import sys
from pathlib import Path

from sphinx.application import Sphinx

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
    """Write the listings beside the finished pages."""
    if exception is not None or app.builder.format != "html":
        return
    root = Path(app.srcdir).parent
    sys.path.append(str(root))  # the tests are no part of the package
    from tests.names import CHAPTERS, DECISION_0005

    for file in {name.file for name in DECISION_0005 + CHAPTERS}:
        path = file.relative_to(root)
        target = Path(app.outdir) / "listings" / f"{path.as_posix()}.html"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(listing(path.as_posix(), file.read_text(encoding="utf-8")), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Sphinx's entry point."""
    app.connect("build-finished", write_listings)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
