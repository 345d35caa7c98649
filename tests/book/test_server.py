"""The built book is shown on loopback with the types that a browser insists on."""

import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

import pytest

from kael.book import __main__ as commands
from kael.book.server import server


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    for name in ("index.html", "a.mjs", "a.wasm", "a.json"):
        (tmp_path / name).write_text("ü", encoding="utf-8")
    with server(tmp_path) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{served.server_address[1]}"
        served.shutdown()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("index.html", "text/html; charset=utf-8"),
        ("a.mjs", "text/javascript"),
        ("a.wasm", "application/wasm"),
        ("a.json", "application/json"),
    ],
)
def test_files_have_the_type_that_a_browser_insists_on(address: str, name: str, kind: str) -> None:
    with build_opener(ProxyHandler({})).open(f"{address}/{name}") as answer:
        assert (answer.headers["Content-Type"], answer.read().decode("utf-8")) == (kind, "ü")


def test_only_loopback_is_listened_on(tmp_path: Path) -> None:
    with server(tmp_path) as served:
        assert served.server_address[0] == "127.0.0.1"


def test_a_command_that_fails_says_why_and_returns_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("kael.book.folders.package_root", lambda: tmp_path)
    monkeypatch.chdir(tmp_path)
    assert commands.main(["build"]) == 1
    assert "outside the clone" in capsys.readouterr().err


def test_a_site_that_was_not_built_is_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(commands, "clone", lambda: tmp_path)
    assert commands.main(["check"]) == 1
    assert "there is no site" in capsys.readouterr().err


@pytest.mark.parametrize("chapter", ["", "*", "ch99", "ch1[12]", "../ch11_memory"])
def test_a_notebook_that_is_not_there_is_named(chapter: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(["notebooks", "--run", chapter]) == 1
    assert f"no notebook for {chapter!r}" in capsys.readouterr().err


def test_a_browser_that_leaves_is_no_fault(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "large.bin").write_bytes(bytes(30_000_000))
    with server(tmp_path) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        with socket.create_connection(("127.0.0.1", served.server_address[1])) as leaving:
            leaving.sendall(b"GET /large.bin HTTP/1.0\r\n\r\n")
            leaving.recv(100)
            leaving.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        served.shutdown()
    assert capfd.readouterr().err == ""
