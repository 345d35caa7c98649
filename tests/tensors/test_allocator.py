"""What the library does with the cache for large results: switches, counts, and memory that goes back."""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
from pathlib import Path

import pytest

import kael
from kael import kernels

TWIN = pytest.mark.skipif(kernels.rung_of(kernels.chapter("ch11")) != "cython", reason="the cache is the twin's")


def told(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program with other settings."""
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True, text=True, encoding="utf-8", check=False, env=os.environ | environment,
    )  # fmt: skip


@TWIN
@pytest.mark.parametrize("nbytes", [0, 12_345_678])
def test_the_environment_sets_the_limit(nbytes: int) -> None:
    program = "import kael; x = kael.ones(1000, 1000) + 1; del x; print(*kael.cache_info())"
    held, in_use, _, limit, _, _ = map(int, told(program, KAEL_CACHE_BYTES=str(nbytes)).stdout.split())
    assert (in_use, limit) == (0, nbytes)
    assert (held > 0) == (nbytes > 0)


@pytest.mark.parametrize(
    "setting",
    ["-5", "abc", "1e9", "", " 1", "1_000", "\u0661", "99999999999999999999", str(sys.maxsize + 1), "9" * 5000],
)
def test_a_limit_that_is_no_number_of_bytes_is_refused(setting: str) -> None:
    error = told("import kael", KAEL_CACHE_BYTES=setting, PYTHONUTF8="1").stderr
    assert error.endswith(
        f"RuntimeError: KAEL_CACHE_BYTES={setting}: it must be a whole number of bytes, from 0 for no cache to "
        f"{sys.maxsize}; without it the limit is {1 << 30}\n"
    )


@TWIN
@pytest.mark.parametrize(
    ("setting", "line"),
    [
        ("0", "cache: off, set by KAEL_CACHE_BYTES"),
        (str(sys.maxsize), f"cache: at most {sys.maxsize:,} bytes of large freed results, set by KAEL_CACHE_BYTES"),
    ],
)
def test_the_configuration_shows_the_limit(setting: str, line: str) -> None:
    assert told("import kael; kael.show_config()", KAEL_CACHE_BYTES=setting).stdout.splitlines()[1] == line


def test_without_the_twin_the_configuration_shows_no_cache() -> None:
    shown = told("import kael; kael.show_config()", KAEL_KERNELS="ch11=python").stdout
    assert shown.splitlines()[1] == "cache: none, for ch11 does not run on its twin"


@TWIN
def test_a_debug_run_overwrites_what_is_freed() -> None:
    program = (
        "import ctypes, kael; x = kael.ones(1000, 1000) * 2; at = x.data_ptr(); del x; print(ctypes.string_at(at, 4))"
    )
    assert told(program, KAEL_DEBUG="1", KAEL_CACHE_BYTES="100000000").stdout == "b'\\xff\\xff\\xff\\xff'\n"


@TWIN
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="this system does not tell what a process holds")
def test_emptying_the_cache_gives_pages_back_to_the_system() -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * mmap.PAGESIZE

    if not kael.cache_info().limit:
        pytest.skip("the cache is switched off")
    size = 1 << 20
    tensors = [kael.ones(size) * k for k in range(16)]
    assert kael.cache_info().in_use >= 64 << 20
    tensors.clear()
    full = resident()
    kael.empty_cache()
    assert kael.cache_info().held == 0
    assert full - resident() > 48 << 20


@TWIN
def test_a_result_of_the_twin_may_be_freed_on_another_rung() -> None:
    x = kael.ones(1 << 20) + 1
    before = kael.cache_info()
    if not before.limit:
        pytest.skip("the cache is switched off")
    with kernels.use("ch11", "numpy"):
        y = x + 1
        del x
        assert kael.cache_info() == (0, 0, 0, 0, 0, 0)
    assert kael.cache_info().in_use == before.in_use - (4 << 20)
    assert y[0].item() == 3.0
