"""Reads the built book in headless Chromium: ``python -m tests.book.browser.run [--screenshots DIR] [PAGE ...]``."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kael.book.packages import install, node
from kael.book.server import server

ROOT = Path(__file__).resolve().parents[3]
CHECK = Path(__file__).with_name("check.mjs")
ALLOWED = json.loads(Path(__file__).with_name("allowed.json").read_text(encoding="utf-8"))


def chromium() -> str | None:
    """The browser: the program that KAEL_CHROMIUM names, or the first known one on the path."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return os.environ.get("KAEL_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def read(site: Path, pages: Sequence[str] = (), screenshots: Path | None = None) -> dict[str, Any]:
    """What the checks of ``check.mjs`` find on a site, and how much they looked at.

    Parameters
    ----------
    site : Path
        The folder of the pages.
    pages : sequence of str
        Paths of pages in it; all that are not generated indices when left out.
    screenshots : Path, optional
        A folder for pictures of each page: light, dark and 320 px wide.
    """
    browser = chromium()
    assert browser, "no Chromium on this machine"
    everything = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    wanted = list(pages) or [name for name in everything if not name.startswith(("_", "genindex", "listings"))]
    with server(site) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        options = {
            "origin": f"http://127.0.0.1:{served.server_address[1]}",
            "pages": wanted,
            "chromium": browser,
            "modules": str(install(ROOT / "book", dev=True)),
            "allowed": ALLOWED,
            "screenshots": str(screenshots.resolve()) if screenshots else None,
        }
        command = [str(node()), str(CHECK), json.dumps(options)]
        ran = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=900, check=False)
        served.shutdown()
    assert ran.returncode == 0, ran.stderr
    result: dict[str, Any] = json.loads(ran.stdout)
    return result


def main() -> int:
    """Print the findings on the built book; returns 1 when there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="as ladder.html; every page when left out")
    parser.add_argument("--screenshots", type=Path, metavar="DIR", help="put pictures of the pages there")
    options = parser.parse_args()
    result = read(ROOT / "book" / "_build" / "html", options.pages, options.screenshots)
    findings = [f"{check}: {finding}" for check, found in result["found"].items() for finding in found]
    print("\n".join(findings) or "nothing found", result["seen"], sep="\n")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
