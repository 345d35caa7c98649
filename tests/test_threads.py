"""How many threads work: the number and its errors, and what happens to calls that fail, fork, meet or are stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import kael
from kael import kernels, workers
from kael.dividing import Divided
from kael.kernels import table


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Leave the number of threads as it was."""
    before = kael.get_num_threads()
    yield
    kael.set_num_threads(before)


def told(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program with other settings."""
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True, text=True, encoding="utf-8", check=False, env=os.environ | environment, timeout=60,
    )  # fmt: skip


def test_one_thread_works_where_nobody_asks_for_more() -> None:
    kept = {name: value for name, value in os.environ.items() if name != "KAEL_NUM_THREADS"}
    program = "import kael; print(kael.get_num_threads())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=kept)
    assert done.stdout == "1\n"


@pytest.mark.parametrize("count", [1, 2, 7, np.int64(3)])
def test_the_number_that_is_set_is_the_number(count: int) -> None:
    kael.set_num_threads(count)
    assert kael.get_num_threads() == count


@pytest.mark.parametrize(
    ("number", "error"),
    [
        (0, "set_num_threads expects a positive integer, but got 0"),
        (-3, "set_num_threads expects a positive integer, but got -3"),
        (2.0, "set_num_threads expects an int, but got float"),
        ("2", "set_num_threads expects an int, but got str"),
        (None, "set_num_threads expects an int, but got NoneType"),
        (True, "set_num_threads expects an int, but got bool"),
    ],
)
def test_what_is_no_number_of_threads_is_refused(number: Any, error: str) -> None:
    before = kael.get_num_threads()
    with pytest.raises(RuntimeError) as caught:
        kael.set_num_threads(number)
    assert str(caught.value) == error
    assert kael.get_num_threads() == before


def test_the_environment_sets_the_number() -> None:
    assert told("import kael; print(kael.get_num_threads())", KAEL_NUM_THREADS="3").stdout == "3\n"


@pytest.mark.parametrize("setting", ["0", "-1", "two", "", " 2", "2.0", "1_0", "\u0662", "9" * 30])
def test_a_setting_that_is_no_number_of_threads_is_refused(setting: str) -> None:
    error = told("import kael", KAEL_NUM_THREADS=setting, PYTHONUTF8="1").stderr
    assert error.endswith(
        f"RuntimeError: KAEL_NUM_THREADS={setting}: it must be a whole number of threads, from 1 on; without it there "
        "is 1\n"
    )


def test_one_thread_calls_the_kernel_itself() -> None:
    kael.set_num_threads(2)
    kael.set_num_threads(1)
    assert table.add is kernels.chapter("ch12").add


def test_another_rung_is_not_divided() -> None:
    kael.set_num_threads(2)
    with kernels.use("ch12", "numpy") as module:
        assert table.exp is module.exp
    assert isinstance(table.exp, Divided) == (kernels.rung_of(kernels.chapter("ch12")) == "cython")


def test_programs_compute_the_same_on_any_number_of_threads() -> None:
    def step() -> list[bytes]:
        kael.manual_seed(0)
        x, w = kael.randn(600, 1100, requires_grad=True), kael.randn(1100, 700, requires_grad=True)
        y = kael.nn.functional.gelu(x @ w)
        loss = kael.nn.functional.cross_entropy(y, kael.arange(600) % 700)
        loss.backward()
        tensors = [y.detach(), loss.detach(), x.grad, w.grad, x.detach().exp().sum(0), x.detach().softmax(1)]
        return [t.numpy().tobytes() for t in tensors if t is not None]

    kael.set_num_threads(1)
    alone = step()
    assert len(alone) == 6
    for count in (2, 3, 7):
        kael.set_num_threads(count)
        assert step() == alone


def test_a_refused_call_says_the_same_on_any_number_of_threads() -> None:
    x, out = np.zeros((3000, 1000), np.float32), np.zeros((3000, 1000), np.int64)
    with pytest.raises(TypeError) as alone:
        kernels.chapter("ch12").exp(x, out)
    kael.set_num_threads(2)
    with pytest.raises(TypeError) as divided:
        table.exp(x, out)
    assert str(divided.value) == str(alone.value)


def wait_for(count: int, seen: list[int]) -> None:
    """Until so many have been seen, but not for ever."""
    end = time.monotonic() + 10
    while len(seen) < count and time.monotonic() < end:
        time.sleep(0.001)


def test_every_part_is_computed_once_and_by_several_threads() -> None:
    seen: list[int] = []
    whose: set[int] = set()

    def kernel(part: int) -> None:
        seen.append(part)
        whose.add(threading.get_ident())
        wait_for(2, seen)  # so that the first to come does not do everything

    workers.run(3, kernel, [(k,) for k in range(20)], {})
    assert sorted(seen) == list(range(20))
    assert 2 <= len(whose) <= 3


def test_what_a_part_raises_reaches_the_caller_after_all_parts_that_were_begun() -> None:
    begun: list[int] = []
    ended: list[int] = []

    def kernel(part: int) -> None:
        begun.append(part)
        wait_for(3, begun)
        if part == 1:
            raise MemoryError("no memory for part 1")
        time.sleep(0.05)
        ended.append(part)

    with pytest.raises(MemoryError, match="no memory for part 1"):
        workers.run(3, kernel, [(k,) for k in range(50)], {})
    assert sorted(ended) == sorted(set(begun) - {1})
    assert len(begun) < 50


def test_calls_from_inside_a_part_are_done() -> None:
    done: list[tuple[int, int]] = []

    def kernel(part: int) -> None:
        workers.run(3, lambda inner: done.append((part, inner)), [(k,) for k in range(4)], {})

    workers.run(3, kernel, [(k,) for k in range(5)], {})
    assert sorted(done) == [(part, inner) for part in range(5) for inner in range(4)]


def test_several_threads_call_at_once() -> None:
    kael.set_num_threads(2)
    x = kael.randn(1500, 1000)
    expected = x.exp().numpy().tobytes()
    wrong: list[int] = []

    def call(k: int) -> None:
        for _ in range(10):
            if x.exp().numpy().tobytes() != expected:
                wrong.append(k)

    callers = [threading.Thread(target=call, args=(k,)) for k in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert wrong == []


def test_operands_are_let_go_after_a_call() -> None:
    kael.set_num_threads(3)
    x = np.ones((3000, 1000), np.float32)
    out = np.empty_like(x)
    for _ in range(3):
        table.exp(x, out)
    end = time.monotonic() + 5
    while (sys.getrefcount(x), sys.getrefcount(out)) != (2, 2) and time.monotonic() < end:
        time.sleep(0.001)  # a helper that came too late is about to let go
    assert (sys.getrefcount(x), sys.getrefcount(out)) == (2, 2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own() -> None:
    program = """if True:
        import os, kael
        from kael import workers
        kael.set_num_threads(3)
        x = kael.randn(3000, 1000)
        expected = x.exp().numpy().tobytes()
        threads = len(workers.helpers.threads)
        child = os.fork()
        if not child:
            none = len(workers.helpers.threads)
            same = x.exp().numpy().tobytes() == expected
            os._exit(0 if same and none == 0 and len(workers.helpers.threads) == threads else 1)
        print(threads, os.waitpid(child, 0)[1], x.exp().numpy().tobytes() == expected)
    """
    done = told(program)
    assert done.stdout == "2 0 True\n", done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent to processes otherwise there")
def test_an_interrupt_reaches_the_caller_when_parts_are_done() -> None:
    begun: list[int] = []
    ended: list[int] = []

    def kernel(part: int) -> None:
        begun.append(part)
        if threading.current_thread() is threading.main_thread():
            wait_for(2, begun)
            os.kill(os.getpid(), signal.SIGINT)
        else:
            time.sleep(0.2)
        ended.append(part)

    with pytest.raises(KeyboardInterrupt):
        workers.run(2, kernel, [(k,) for k in range(1000)], {})
    assert len(begun) < 1000
    assert len(begun) - len(ended) <= 1  # the caller's own part, which the interrupt cut short
    assert set(begun) - set(ended) <= {0, 1}


def test_the_interpreter_ends_cleanly_with_threads() -> None:
    program = """if True:
        import atexit, kael
        x = kael.randn(3000, 1000)
        atexit.register(lambda: print(kael.isfinite(x.exp()).all().item()))
        kael.set_num_threads(3)
        x.exp()
        print(x.exp().shape)
    """
    done = told(program)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "(3000, 1000)\nTrue\n"


def test_where_no_thread_can_be_started_the_caller_does_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(workers, "helpers", workers.Helpers())
    monkeypatch.setattr(threading.Thread, "start", refuse)
    done: list[int] = []
    workers.run(4, done.append, [(k,) for k in range(9)], {})
    assert done == list(range(9))


@pytest.mark.parametrize(
    ("before", "setting", "line"),
    [
        ("", None, "threads: 1 for a large call, the default; KAEL_NUM_THREADS sets another"),
        ("", "2", "threads: 2 for a large call, set by KAEL_NUM_THREADS"),
        ("kael.set_num_threads(3); ", "2", "threads: 3 for a large call, set by the program"),
        ("kael.set_num_threads(3); ", None, "threads: 3 for a large call, set by the program"),
    ],
)
def test_the_configuration_shows_the_number(before: str, setting: str | None, line: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "KAEL_NUM_THREADS"}
    if setting is not None:
        environment["KAEL_NUM_THREADS"] = setting
    done = subprocess.run(
        [sys.executable, "-c", f"import kael; {before}kael.show_config()"],
        capture_output=True, text=True, encoding="utf-8", check=True, env=environment,
    )  # fmt: skip
    assert done.stdout.splitlines()[2] == line
