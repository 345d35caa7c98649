"""The cases of ``kael bench matmul``: squares, a batch, a transposed operand, a vector, and the kernel beside BLAS."""

from __future__ import annotations

import numpy as np

from kael import kernels
from kael.bench.cases import NUMPY, Array, Call, Case, Formula, forward, numbers

__all__ = ["GROUP", "OWN", "cases"]

KIND = "matmul"
GROUP = "matmul"
OWN = "own matmul kernel"
SIZES = (8, 32, 64, 128, 256, 512, 1024)
LARGE = (512, 1024, 2048)
FLOAT = 4  # bytes


def cases() -> list[Case]:
    """Products through the library, then the kernel alone."""
    squares = [product(f"{n}x{n} @ {n}x{n}", times, numbers(n, n), numbers(n, n, seed=1)) for n in SIZES]
    batch = product("16 products of 64x48 @ 48x64", times, numbers(16, 64, 48), numbers(16, 48, 64, seed=1))
    turned = product("A @ B.T, 512x512", times_turned, numbers(512, 512), numbers(512, 512, seed=1))
    vector = product("matrix @ vector, 1024x1024", times, numbers(1024, 1024), numbers(1024, seed=1))
    return [*squares, batch, turned, vector, *[own(n) for n in LARGE]]


def times(_library: object, a: Array, b: Array) -> Array:
    """The product, of arrays or tensors."""
    return a @ b


def times_turned(_library: object, a: Array, b: Array) -> Array:
    """The product with the second operand transposed, which is a view."""
    return a @ b.T


def product(name: str, formula: Formula, a: Array, b: Array) -> Case:
    """A product in every library; each element of a meets one element of every column of b."""
    columns = 1 if b.ndim == 1 else b.shape[-1]
    elements = a.size + b.size + a.size // a.shape[-1] * columns
    return forward(
        KIND, name, formula, a, b, numpy=lambda a, b: formula(np, a, b), group=GROUP,
        traffic=FLOAT * elements, work=2 * a.size * columns,
    )  # fmt: skip


def own(n: int) -> Case:
    """The twin's kernel and NumPy's BLAS, both writing into a matrix that exists."""
    a, b, out = numbers(n, n), numbers(n, n, seed=1), np.empty((n, n), np.float32)

    def multiply() -> Array:
        kernels.chapter("ch14").matmul(a, b, out)
        return out

    def blas() -> Call:
        return lambda: np.matmul(a, b, out=out)

    return Case(
        KIND, f"own kernel, {n}x{n}", None, blas, own=lambda: multiply, group=OWN, versus=NUMPY,
        traffic=3 * FLOAT * n * n, work=2 * n**3,
    )  # fmt: skip
