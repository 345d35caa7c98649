"""Products of matrices on the own kernel, on BLAS, and on whichever the size asks for."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import kael
from kael import blas, kernels
from kael.bench.tuning import Size, as_text, crossover

TWIN = pytest.mark.skipif(kernels.rung_of(kernels.chapter("ch14")) != "cython", reason="there is no choice elsewhere")
PROGRAM = """if True:
    import kael
    from kael import kernels
    numbers = kael.manual_seed(0)
    a, b = kael.randn(70, 300), kael.randn(300, 50)
    x = kael.randn(3, 40, 30)
    results = [a @ b, a.double() @ b.double(), x @ x.mT, (a > 0).long() @ (b > 0).long(), a @ b[:, 0], a[:0] @ b]
    a.requires_grad_()
    (a @ b).sum().backward()
    print([result.flatten().tolist() for result in [*results, a.grad]])
"""


def told(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program with other settings."""
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True, text=True, encoding="utf-8", check=False, env=os.environ | environment,
    )  # fmt: skip


@TWIN
@pytest.mark.parametrize("threads", ["1", "3"])
def test_both_ways_compute_the_same_to_rounding(threads: str) -> None:
    own, other, auto = (
        told(PROGRAM, KAEL_MATMUL=mode, KAEL_NUM_THREADS=threads).stdout for mode in ("own", "blas", "auto")
    )
    for mine, theirs in zip(eval(own), eval(other), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-4)
    assert len(own) > 1000
    assert auto == own  # no instruction set has a size of these for BLAS


@TWIN
def test_forced_products_of_floats_go_to_blas_and_others_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[str] = []
    monkeypatch.setattr(blas, "MODE", "blas")
    door = blas.chosen("matmul", lambda a, b, out: called.append("own"), "cython")
    monkeypatch.setattr(door, "blas", lambda a, b, out: called.append("blas"))
    for dtype in (np.float32, np.float64, np.int64):
        x = np.ones((4, 4), dtype)
        door(x, x, x)
    assert called == ["blas", "blas", "own"]


@TWIN
@pytest.mark.parametrize(("size", "who"), [(9, "own"), (10, "blas"), (11, "blas")])
def test_blas_takes_over_where_the_constant_of_the_instruction_set_says(
    monkeypatch: pytest.MonkeyPatch, size: int, who: str
) -> None:
    called: list[str] = []
    monkeypatch.setattr(blas, "MODE", "auto")
    monkeypatch.setitem(blas.CROSSOVER, kernels.instruction_set(kernels.chapter("ch14")), 1000)
    door = blas.chosen("matmul", lambda a, b, out: called.append("own"), "cython")
    monkeypatch.setattr(door, "blas", lambda a, b, out: called.append("blas"))
    x = np.ones((size, size), np.float32)
    door(x, x, x)
    assert called == [who]
    assert "from 1,000 multiplications on" in blas.said()


@TWIN
@pytest.mark.parametrize("mode", ["own", "blas"])
def test_operands_that_do_not_fit_are_refused_alike(mode: str) -> None:
    program = """if True:
        import kael, numpy
        from kael.kernels import table
        x = numpy.ones((2, 3), numpy.float32)
        for y in (x, x.T.astype(float), numpy.ones(3, numpy.float32)):
            for kernel in (table.matmul, table.matmul_batch):
                try:
                    kernel(x, y, numpy.ones((2, 2), numpy.float32))
                except (TypeError, ValueError) as error:
                    print(type(error).__name__, error)
    """
    assert told(program, KAEL_MATMUL=mode).stdout == told(program, KAEL_MATMUL="auto").stdout != ""


@pytest.mark.parametrize("setting", ["", "fast", "OWN", "own ", "auto,blas"])
def test_another_word_is_refused(setting: str) -> None:
    error = told("import kael", KAEL_MATMUL=setting).stderr
    assert error.endswith(f"RuntimeError: KAEL_MATMUL={setting}: choose auto, own or blas\n")


@pytest.mark.parametrize(
    ("setting", "rung", "reason"), [("own", "numpy", "its twin"), ("blas", "python", "ch14=numpy")]
)
def test_what_the_rung_rules_out_is_refused(setting: str, rung: str, reason: str) -> None:
    error = told("import kael", KAEL_MATMUL=setting, KAEL_KERNELS=f"ch14={rung}").stderr.splitlines()[-1]
    assert error.startswith(f"RuntimeError: KAEL_MATMUL={setting}: chapter 14 runs on its")
    assert reason in error


@TWIN
@pytest.mark.parametrize(("setting", "said"), [("own", "the own kernel"), ("blas", "NumPy's BLAS; BLAS ")])
def test_the_configuration_shows_who_multiplies(setting: str, said: str) -> None:
    line = told("import kael; kael.show_config()", KAEL_MATMUL=setting).stdout.splitlines()[3]
    assert line.startswith(f"products: KAEL_MATMUL={setting}: {said}")


@TWIN
def test_without_threadpoolctl_the_threads_of_blas_are_its_own() -> None:
    program = """if True:
        import sys
        sys.modules["threadpoolctl"] = None
        import kael
        kael.set_num_threads(2)
        print(kael.blas.limit_threads(2), kael.get_num_threads())
    """
    done = told(program, KAEL_MATMUL="blas")
    assert done.stdout == "False 2\n", done.stderr


@TWIN
def test_the_number_of_threads_reaches_blas_where_it_multiplies() -> None:
    pool = pytest.importorskip("threadpoolctl")
    assert pool
    program = """if True:
        import kael, threadpoolctl
        counts = lambda: {pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"}
        first = counts()
        kael.set_num_threads(2)
        print(first, counts())
    """
    one, two = told(program, KAEL_MATMUL="blas", OPENBLAS_NUM_THREADS="4").stdout.split()
    assert (one, two) == ("{1}", "{2}")


def sizes(*ratios: float) -> list[Any]:
    """Sizes of 8, 16, 24, ..., whose own time over that of BLAS is given."""
    return [Size(8 * (k + 1), "float32", ratio, 1.0) for k, ratio in enumerate(ratios)]


@pytest.mark.parametrize(
    ("ratios", "found"),
    [((2.0, 1.0, 1.3, 1.25), 24**3), ((1.0, 1.3, 1.2), None), ((1.3, 1.3), 8**3), ((0.5,), None)],
)
def test_the_crossover_is_where_blas_stays_ahead_by_the_margin(ratios: tuple[float, ...], found: int | None) -> None:
    assert crossover(sizes(*ratios)) == found
    assert as_text(sizes(*ratios), "v3").endswith(f'"v3": {found}')


def test_every_type_must_gain() -> None:
    both = [*sizes(1.0, 2.0, 2.0), *[size._replace(dtype="float64") for size in sizes(1.0, 1.0, 2.0)]]
    assert crossover(both) == 24**3


def test_every_instruction_set_has_its_entry() -> None:
    assert set(kernels.instruction_sets()) <= set(blas.CROSSOVER)
    assert kael.kernels.instruction_set(kernels.chapter("ch14")) in blas.CROSSOVER
