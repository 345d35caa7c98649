"""What takes too long for every change: sanitizers, long fuzzing, every install, every proof process by process.

The stages are of the kind of `.ci/run`. The random examples are those of a seed, which is printed: ``SEED=20260101``
before the command draws those of that night again.
"""

from __future__ import annotations

import os
import sys
from datetime import date

from stages import Stage, main

# Each of these stages has the tree in a folder of its own: what is compiled there differs, or is not compiled at all.
BUILD = """
export PYTHONSAFEPATH=
"$PYTHON" -m venv venv
python=venv/bin/python
"$python" -m pip install -q -c .ci/constraints.txt numpy cython setuptools pytest hypothesis
"""
# Flags that come last win: optimized as the twins are, with both sanitizers, one of them would compile for minutes.
SANITIZING = """
printf '#!/bin/sh\\nexec gcc "$@" -O1 -g1 -fsanitize=address,undefined -fno-omit-frame-pointer\\n' > cc
chmod +x cc
CC="$PWD/cc" KAEL_BUILD=cython KAEL_BUILD_SETS=baseline,v3 "$python" setup.py -q build_ext --inplace
"""
# A bad access ends a run; undefined behaviour is told on the error stream and the run goes on, so that one run shows
# all of it. It is looked for in what the run says, so pytest may not capture that stream from C. First a shift that is
# undefined must be found, or the rest would prove nothing. Leaks are not looked for: CPython and NumPy keep memory
# until the end (tests/ops/test_leaks.py looks for ours). What asks for more memory than there is gets none, as
# elsewhere, for there are tests that ask. Freed results go back to the heap at once: what the library's cache held
# would look alive. Left out are graphs of tens of thousands of nodes, which take minutes each.
SANITIZED = """
export UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
export PYTHONMALLOC=malloc PYTHONSAFEPATH= PYTHONDONTWRITEBYTECODE=1 KAEL_CACHE_BYTES=0
said="$PWD/said"
preloaded="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
watched() {{
    LD_PRELOAD="$preloaded" "$WORK/sanitized/venv/bin/python" -X faulthandler "$@" 2>&1 | tee "$said"
}}
echo 'int shifted(int places) {{ return 1 << places; }}' > shifted.c
"$WORK/sanitized/cc" -shared -fPIC shifted.c -o shifted.so
watched -c 'import ctypes; ctypes.CDLL("./shifted.so").shifted(40)'
grep -q 'runtime error: shift exponent 40' "$said"
cd "$WORK/sanitized"
watched -m pytest -q --capture=sys -p no:cacheprovider -k "not deep and not hundred_thousand and not million" {tests}
if grep -q 'runtime error:' "$said"; then
    exit 1
fi
"""
# What a stage draws it says in its first line.
FUZZ = """
export PYTHONSAFEPATH= PYTHONDONTWRITEBYTECODE=1
cd "$WORK/built"
for rung in {rungs}; do
    echo "seed $SEED, KAEL_FUZZ={times}, $rung"
    env KAEL_FUZZ={times} "$rung" venv/bin/python -m pytest -q -s -p no:cacheprovider --hypothesis-seed="$SEED" {tests}
done
"""

GRAPHS = (
    "tests/chapters/test_random_graphs.py tests/chapters/test_define_by_run.py "
    "tests/kernels/test_ch07_broadcasting.py tests/kernels/test_ch12_elementwise.py"
)
PROGRAMS = "tests/ops/test_stateful.py tests/ops/test_random_programs.py tests/ops/test_random_indices.py"

STAGES = (
    Stage("sanitized", "build with the address and undefined-behaviour sanitizers", BUILD + SANITIZING),
    *[
        Stage(f"sanitized-{key}", f"sanitizers: {tests}", SANITIZED.format(tests=tests), after=("sanitized",))
        for key, tests in {
            "ops": "tests/ops",
            "chapters": "tests/chapters",
            "kernels": "tests/kernels",
            "autograd": "tests/autograd",
            "nn": "tests/nn tests/optim tests/tensors",
        }.items()
    ],
    Stage(
        "built",
        "build for the long fuzzing, and PyTorch",
        BUILD
        + """
        KAEL_BUILD=cython "$python" setup.py -q build_ext --inplace
        "$python" -m pip install -q torch==2.13.0
        """,
    ),
    Stage(
        "programs",
        "random programs beside PyTorch",
        FUZZ.format(times=10, rungs="KAEL_KERNELS=cython", tests=PROGRAMS),
        after=("built",),
    ),
    Stage(
        "lower",
        "random programs beside PyTorch, engine and kernels a rung lower",
        FUZZ.format(times=2, rungs="KAEL_ENGINE=python KAEL_KERNELS=numpy", tests=PROGRAMS),
        after=("built",),
    ),
    Stage(
        "graphs",
        "random graphs and random operands",
        FUZZ.format(times=50, rungs="KAEL_KERNELS=cython", tests=GRAPHS),
        after=("built",),
    ),
    Stage(
        "table",
        "every case of the table beside PyTorch",
        'export PYTHONSAFEPATH= && cd "$WORK/built" && venv/bin/python -m tests.compare_torch',
        after=("built",),
    ),
    Stage(
        "sweep",
        "every float32 through the elementary functions",
        'export PYTHONSAFEPATH= && cd "$WORK/built" && venv/bin/python -m tests.kernels.sweep',
        after=("built",),
    ),
    Stage(
        "installs",
        "every install and every command of the README",
        'KAEL_TEST_INSTALLS=all PYTHONSAFEPATH= "$WORK/built/venv/bin/python" -m pytest -q tests/packaging',
        after=("built",),
    ),
    Stage(
        "proofs",
        "every exercise proven, each answer in a process apart from its checks",
        'export PYTHONSAFEPATH= && cd "$WORK/built" && venv/bin/python -m kael.cli ex verify --isolated',
        after=("built",),
    ),
    Stage(
        "scaling",
        "cost of a node from a thousand to a million",
        'export PYTHONSAFEPATH= && cd "$WORK/built" && venv/bin/python -m kael.cli bench scaling',
        after=("built",),
        alone=True,
    ),
)

if __name__ == "__main__":
    os.environ.setdefault("SEED", f"{date.today():%Y%m%d}")
    print(f"SEED={os.environ['SEED']}", flush=True)
    sys.exit(main(stages=STAGES))
