"""``kael bench matmul --assembly``: the innermost loop of chapter 14's twin, as the compiler made it, and its counts.

The built library is disassembled with GNU ``objdump``. The loop is found by what it does and not by where it stands: of
all stretches that end in a jump back to their beginning, hold no other jump, and spread a number over the lanes of a
register, it is the one with the most multiplications of packed float32.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from kael import kernels
from kael.config import aligned

__all__ = ["ROLES", "Instruction", "NoListing", "as_text", "counts", "hot_loop", "lanes", "listing", "role", "run"]

LINE = re.compile(r"\s*([0-9a-f]+):\t(\S+)\s*(.*)")
TARGET = re.compile(r"[0-9a-f]+")
LEAVES = ("j", "call", "ret")
WIDTH = {"zmm": 64, "ymm": 32, "xmm": 16}  # bytes of the registers
FLOAT = 4
ROLES = (
    "multiply and add", "multiply", "add", "spread a number of a", "load a vector of b", "copy a register",
    "store a vector", "step and count",
)  # fmt: skip
"""What an instruction is there for."""


class NoListing(RuntimeError):
    """There is nothing to disassemble, or nothing to do it with; the text says what to do."""


class Instruction(NamedTuple):
    """One instruction, in AT&T notation: the last operand is written.

    Attributes
    ----------
    operation : str
        Its mnemonic.
    operands : str
        What it works on; an address that it jumps to is left out.
    """

    operation: str
    operands: str


def hot_loop(disassembly: str) -> list[Instruction]:
    """The innermost loop with the most multiplications of packed float32 by a number that it spreads.

    Examples
    --------
    >>> text = " 10:\\tvbroadcastss (%rdi),%ymm0\\n 15:\\tvmulps %ymm0,%ymm1,%ymm2\\n 19:\\tjne 10 <f>\\n"
    >>> [instruction.operation for instruction in hot_loop(text)]
    ['vbroadcastss', 'vmulps', 'jne']

    Raises
    ------
    NoListing
        When no loop multiplies.
    """
    places: dict[int, int] = {}
    lines: list[Instruction] = []
    best: list[Instruction] = []
    most = straight = 0  # straight: since the last instruction that may leave
    for text in disassembly.splitlines():
        if not (line := LINE.match(text)):
            continue
        address, operation, operands = int(line[1], 16), line[2], line[3].strip()
        places[address] = len(lines)
        lines.append(Instruction(operation, operands))
        if not operation.startswith(LEAVES):
            continue
        target = TARGET.match(operands) if operation.startswith("j") and operation != "jmp" else None
        first = places.get(int(target[0], 16), -1) if target else -1
        if first >= straight:
            body = [*lines[first:-1], Instruction(operation, "")]
            found = counts(body)
            work = found.get("multiply and add", 0) + found.get("multiply", 0)
            if work > most and "spread a number of a" in found:
                most, best = work, body
        straight = len(lines)
    if not best:
        raise NoListing(
            "no loop of the twin multiplies vectors of float32 as the tile does: it was built without vector types"
        )
    return best


def role(instruction: Instruction) -> str:
    """What an instruction of the loop is there for, one of `ROLES`.

    Examples
    --------
    >>> role(Instruction("vfmadd231ps", "%zmm30,%zmm1,%zmm29"))
    'multiply and add'
    >>> role(Instruction("vmovups", "(%r9),%zmm1")), role(Instruction("add", "%rcx,%r9"))
    ('load a vector of b', 'step and count')
    """
    operation, operands = instruction
    name = operation.removeprefix("v")
    if name.startswith("fmadd") and name.endswith("ps"):
        return "multiply and add"
    if name in ("mulps", "addps"):
        return "multiply" if name == "mulps" else "add"
    if name in ("broadcastss", "movss", "shufps"):
        return "spread a number of a"
    if name in ("movups", "movaps", "movdqu", "movdqa"):
        if "(" not in operands:
            return "copy a register"
        return "store a vector" if operands.endswith(")") else "load a vector of b"
    return "step and count"


def counts(loop: Sequence[Instruction]) -> dict[str, int]:
    """How many instructions of each role a loop has, those it has none of left out."""
    found = Counter(map(role, loop))
    return {name: found[name] for name in ROLES if found[name]}


def lanes(loop: Sequence[Instruction]) -> int:
    """Numbers that one instruction multiplies: as many as its register holds."""
    operands = next(i.operands for i in loop if role(i) in ("multiply and add", "multiply"))
    return next(size for name, size in WIDTH.items() if name in operands) // FLOAT


def listing(chapter: ModuleType) -> list[Instruction]:
    """The loop of a twin that is built.

    Raises
    ------
    NoListing
        When the chapter runs on another rung, or there is no ``objdump``, or it finds no such loop.
    """
    if kernels.rung_of(chapter) != "cython" or chapter.__file__ is None:
        raise NoListing("chapter 14 does not run on its twin, so there is no machine code to show")
    tool = shutil.which("objdump")
    if tool is None:
        raise NoListing("objdump is not installed; it is a part of GNU binutils")
    line = [tool, "--disassemble", "--no-show-raw-insn", str(Path(chapter.__file__))]
    done = subprocess.run(line, capture_output=True, text=True, encoding="utf-8", errors="replace")
    if done.returncode:
        raise NoListing(f"objdump cannot read the twin: {done.stderr.strip()}")
    return hot_loop(done.stdout)


def as_text(loop: Sequence[Instruction], instruction_set: str) -> str:
    """The loop line by line with what each is there for, and the counts."""
    found, width = counts(loop), lanes(loop)
    lines = aligned([(i.operation, i.operands, role(i)) for i in loop])
    products = found.get("multiply and add", 0) + found.get("multiply", 0)
    table = aligned([(f"{number:>3}", name) for name, number in found.items()])
    return (
        f"{lines}\n\ninstruction set {instruction_set}, for each k:\n{table}\n{len(loop):>3}  together, "
        f"for {products} x {width} = {products * width} multiplications and as many additions"
    )


def run(as_json: bool) -> int:
    """Print the loop of the twin that is in use; returns the exit code."""
    chapter = kernels.chapter("ch14")
    try:
        loop = listing(chapter)
    except NoListing as error:
        print(f"kael bench matmul --assembly: {error}", file=sys.stderr)
        return 1
    name = kernels.instruction_set(chapter)
    print(json.dumps({"instruction_set": name, "loop": loop}, indent=1) if as_json else as_text(loop, name))
    return 0
