"""Peak memory of a training step beside PyTorch's, and whether ten thousand steps leave anything behind.

Memory is what the process holds, asked of the operating system; where it cannot be asked, nothing is measured.
"""

from __future__ import annotations

import json
from statistics import median
from typing import NamedTuple

from kael.bench.overhead import OTHER, answer, libraries

__all__ = ["MODELS", "Peak", "growth", "peaks"]

RESIDENT = """\
import pathlib, sys

status = pathlib.Path("/proc/self/status")


def held(name):
    line = next(line for line in status.read_text(encoding="utf-8").splitlines() if line.startswith(name + ":"))
    return int(line.split()[1]) * 1024


def resident():
    return held("VmRSS")


def peak():
    return held("VmHWM")  # getrusage's would begin at what the parent process held at most
"""
STEPS = """\
import importlib, json

from kael.bench.steps import gpt, mlp

library = importlib.import_module(sys.argv[1])
if sys.argv[1] == "torch":
    library.set_num_threads(1)


def step(weights, loss):
    loss().backward()
    with library.no_grad():
        for weight in weights:
            weight -= 0.01 * weight.grad
            weight.grad = None
"""
PEAK = """
large = {"mlp": (mlp, 4096, (784, 2048, 2048, 10)), "gpt": (gpt, 16, 128, 192, 4)}
small = {"mlp": (mlp, 8, (784, 16, 10)), "gpt": (gpt, 2, 8, 16, 1)}


def model(sizes=large):
    make, *given = sizes[sys.argv[2]]
    return make(library, *given)


step(*model(small))
weights, loss = model()
before = resident()
for _ in range(10):
    step(weights, loss)
print(json.dumps([before, peak() - before]))
"""
GROWTH = """
import gc

gc.disable()
weights, loss = mlp(library, 32, (784, 64, 64, 10))
sizes = []
for number in range(int(sys.argv[2]) + 1):
    step(weights, loss)
    if number % (int(sys.argv[2]) // 10) == 0:
        sizes.append(resident())
print(json.dumps(sizes))
"""
MODELS = {"mlp": "784-2048-2048-10, batch 4096", "gpt": "4 layers of width 192, 16 x 128 tokens"}


class Peak(NamedTuple):
    """The bytes that training steps of a model needed at most, beyond parameters and data."""

    model: str
    library: str
    size: int


def available() -> bool:
    """Whether this system tells what a process holds."""
    from pathlib import Path

    return Path("/proc/self/status").exists()


def peaks() -> list[Peak]:
    """Each model's peak in kael and, where it is installed, in PyTorch: the middle one of three interpreters.

    A step is one of ten: only after some of them does the memory that is freed and taken lie as it will in a training.
    """
    return [
        Peak(model, library, int(median(one_peak(model, library) for _ in range(3))))
        for model in MODELS
        for library in (("kael", OTHER) if OTHER in libraries() else ("kael",))
    ]


def one_peak(model: str, library: str) -> int:
    """The peak of one interpreter, in bytes."""
    return int(json.loads(answer("-c", RESIDENT + STEPS + PEAK, library, model))[1])


def growth(steps: int = 10_000) -> list[int]:
    """What the process holds at eleven moments of so many MLP steps with the garbage collector off, in bytes."""
    sizes: list[int] = json.loads(answer("-c", RESIDENT + STEPS + GROWTH, "kael", str(steps)))
    return sizes
