"""Shows a built book at an address of this machine."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

__all__ = ["serve", "server"]


class Handler(SimpleHTTPRequestHandler):
    """Serves files with the types that modules and WebAssembly need, whatever this machine's registry says."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
        ".json": "application/json",
        ".html": "text/html; charset=utf-8",
    }

    def copyfile(self, source: Any, outputfile: Any) -> None:
        """Send a file; a browser that leaves the page before it has it all is no fault."""
        with suppress(ConnectionError):
            super().copyfile(source, outputfile)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: a reader's terminal is not a log."""


def server(folder: Path, port: int = 0) -> ThreadingHTTPServer:
    """A server of `folder` on loopback; port 0 takes a free one.

    Raises
    ------
    OSError
        When the port is taken.
    """
    return ThreadingHTTPServer(("127.0.0.1", port), partial(Handler, directory=str(folder)))


def serve(folder: Path, port: int = 8000) -> None:
    """Serve `folder` on loopback until Ctrl+C; when the port is taken, on a free one."""
    try:
        site = server(folder, port)
    except OSError:
        site = server(folder)
    with site:
        print(f"The book is at http://127.0.0.1:{site.server_address[1]}/index.html (Ctrl+C stops)", flush=True)
        try:
            site.serve_forever()
        except KeyboardInterrupt:
            print()
