"""Whatever an answering process sends, the side of the checks takes data or nothing."""

import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chapters.flat import Buffer
from kael.exercises.isolation.checking import Checking, Isolation, Lost
from kael.exercises.isolation.peer import LARGEST


class Forger:
    """Stands in for an answering process: sends given bytes for every question, and then no more."""

    def __init__(self, replies: bytes) -> None:
        self.reading, self.writing = io.BytesIO(replies), io.BytesIO()
        self.lost: Lost | None = None
        self.stopped: BaseException | None = None
        self.file = Path("answer.py")

    def ended(self) -> Lost:
        """As of a process that has ended."""
        self.lost = Lost("crash", "ended", "")
        return self.lost

    def spoilt(self, why: str) -> Lost:
        """As of a process that sends what is no answer."""
        self.lost = Lost("crash", f"no answer: {why}", "")
        return self.lost


def message(body: Any, news: Any = (), states: Any = (), dropped: Any = (), released: Any = ()) -> bytes:
    """A message as the protocol frames it."""
    data = json.dumps([body, news, states, dropped, released]).encode()
    return len(data).to_bytes(4, "big") + data


def reply(value: Any, news: Any = (), states: Any = ()) -> bytes:
    """A reply with a value."""
    return message(["=", value], news, states)


def asked(replies: bytes) -> Any:
    """What a check gets for a question."""
    return Checking(Forger(replies)).ask("repr", None)  # type: ignore[arg-type]


def test_a_reply_by_the_rules_is_taken() -> None:
    assert asked(reply(["t", 1, 2.5, ["s", "YQ=="]])) == (1, 2.5, b"a")


NUMBERS = [[1, "a", "d"], [3, "o", ["chapters.flat.Buffer"]]]


@pytest.mark.parametrize(
    "replies",
    [
        b"",
        b"\0\0",
        b"forged: test_bias_at_axis_1 passed\n",
        (LARGEST + 1).to_bytes(4, "big"),
        (10).to_bytes(4, "big") + b"[1, 2",
        (7).to_bytes(4, "big") + b"garbage",
        (1000).to_bytes(4, "big") + b"[" * 1000,
        message(["=", 1])[:-1],
        message("pass"),
        message(["pass", 1]),
        message({"event": "end", "state": "pass"}),
        reply({"__class__": "Mismatch"}),
        reply(["no such tag", 1]),
        reply(["r", 99]),
        reply(["y", 99]),
        reply(["i", "f" * 100_000]),
        reply(["t", *[["t"]] * 3, {"a": 1}]),
        reply(json.loads('["t",' * 200 + "1" + "]" * 200)),
        reply(["x", 2, "object", []]),
        reply(["x", 1, "object", ["__reduce__"]]),
        reply(["x", 1, "object", ["__eq__"]]),
        reply(["b", ["r", 1], "__init__"], [[1, "l", None]], [[1, []]]),
        reply(["n", "O", "AAAAAAAAAAA="]),
        reply(["d", "O"]),
        reply(["D", "spam"]),
        reply(["u", "int", "Int", [], "text"]),
        reply(["u", "type", "Int", [], 1]),
        reply(["N", "chapters.flat.Buffer", 1]),
        reply(["N", "subprocess.Popen", 1]),
        reply(1, [[1, "G", ["os", "system"]]], [[1, 0]]),
        reply(1, [[1, "o", ["subprocess.Popen"]]], [[1, [[], {}, None]]]),
        reply(1, [[1, "o", ["chapters.flat.Buffer", "Mine", ["tolist"]]]], [[1, [[], {}, None]]]),
        reply(1, [[1, "o", ["chapters.ch15_graph.graph.ComputationGraph"]]], [[1, [[], {"__class__": 1}, None]]]),
        reply(1, [[1, "o", ["chapters.ch11_memory.kernels.Arena"]]], [[1, [[], {}, None]]]),
        reply(1, [[1, "o", ["chapters..flat.Buffer"]]], [[1, [[], {}, None]]]),
        reply(1, [[2, "l", None]], [[2, []]]),
        reply(1, [[1, "l", None], [1, "l", None]], []),
        reply(1, [[1, "a", "w"]], [[1, ""]]),
        reply(1, [[1, "M", ["<f8", [10**6, 10**6], [0, 1], True]]], []),
        reply(1, [[1, "M", ["<f8", [2], [0], True]]], [[1, "AAAA"]]),
        reply(1, [[1, "M", ["O", [1], [0], True]]], [[1, "AAAAAAAAAAA="]]),
        reply(1, [[1, "M", ["<f8", [2], [0], True]], [3, "A", [1, False, 800, "ndarray", "<f8", [2], [8], True]]], []),
        reply(1, [[1, "M", ["<f8", [2], [0], True]], [3, "A", [1, False, 0, "ndarray", "<f8", [2], [-8], True]]], []),
        reply(1, [[1, "M", ["<f8", [1], [0], True]],
                  [3, "A", [1, False, 0, "ndarray", "<f8", [10**9], [0], True]]], []),
        reply(1, NUMBERS, [[1, ""], [3, [[["r", 1], ["t", 0, 10**12], "d"], {}, None]]]),
        message(["!", [None, ["builtins.ValueError", "os.system", "x", None, [], None]]]),
        message(["!", [None, ["builtins.ValueError", "builtins.ValueError", 3, None, [], None]]]),
        message(["!", "builtins.ValueError"]),
    ],
)  # fmt: skip
def test_a_reply_against_the_rules_is_the_end_of_the_process(replies: bytes) -> None:
    with pytest.raises(Lost) as caught:
        asked(replies)
    assert caught.value.state == "crash"


def test_errors_are_of_known_classes_only() -> None:
    for kind in ("builtins.SystemExit", "_pytest.outcomes.Exit", "_pytest.outcomes.Skipped", "unheard.Of"):
        told = ["!", [None, [kind, "", "0", [0], [], None]]]
        with pytest.raises(Exception, match="0") as caught:
            asked(message(told))
        assert type(caught.value).__module__ == "answer"
        assert not isinstance(caught.value, pytest.skip.Exception | Lost)


def test_a_process_asks_for_nothing_but_what_a_check_lent() -> None:
    class Trace:
        public = 1
        _private = 2

    def lent(question: list[Any]) -> str:
        """What the process is told when it asks that of a trace that a check has lent."""
        forger = Forger(b"")
        peer = Checking(forger)  # type: ignore[arg-type]
        number = peer.shared.pack(Trace())[1]
        told: list[bytes] = []
        peer.write = told.append  # type: ignore[method-assign, assignment]
        op, *rest = question
        peer.reply(op, [["y", number], *rest], None)
        return json.loads(told[0][4:])[0][0]

    assert lent(["get", "public"]) == "="
    for question in (
        ["get", "_private"], ["get", "__class__"], ["get", "__init__"], ["set", "__class__", 1],
        ["special", "__reduce__", ["t"]],        ["special", "__class__", ["t"]], ["method", "__init__", ["t"], ["t"]],
        ["load", "x"], ["end"], ["call", 1, 2],
    ):  # fmt: skip
        assert lent(question) == "!", question


def test_functions_and_modules_show_nothing_of_themselves() -> None:
    peer = Checking(Forger(b""))  # type: ignore[arg-type]

    def callback() -> None:
        """Lent to an answer."""

    for thing in (callback, Checking, os.getcwd, (n for n in ())):
        for name in ("__globals__", "gi_frame", "mro", "func_globals", "__self__", "f_back"):
            assert not peer.may_see(thing, name), (thing, name)
    with pytest.raises(TypeError, match="gave the answer a module"):
        peer.shared.pack(os)


@pytest.fixture
def isolation() -> Iterator[Isolation]:
    found = Isolation()
    yield found
    found.close()


Answers = Callable[[str], Any]


def test_a_forged_reply_gives_no_more_than_a_value(isolation: Isolation, tmp_path: Path) -> None:
    """Who writes a reply of their own has given an answer, and has to give the right one."""
    file = tmp_path / "answer.py"
    file.write_text(
        "import gc\n\n\ndef double(x):\n"
        "    peer = next(p for p in gc.get_objects() if type(p).__name__ == 'Answering')\n"
        "    peer.send(['=', 'pass'])\n    return 2 * x\n",
        encoding="utf-8",
    )
    answer = isolation.load(file, 10.0)
    assert answer.double(2) == "pass"
    isolation.over()
    assert isolation.load(file, 10.0).double is not None


def test_a_buffer_from_there_is_a_buffer_here() -> None:
    found = asked(reply(["r", 3], NUMBERS, [[1, "AAAAAAAA8D8="], [3, [[["r", 1], ["t", 1], "d"], {}, None]]]))
    assert isinstance(found, Buffer)
    assert found.tolist() == [1.0]
