"""`kael bench matmul --assembly`: the loop is found and counted, in made listings and in the library that is built."""

import json
import shutil
from types import SimpleNamespace

import pytest

from kael import kernels
from kael.bench import assembly, command
from kael.bench.assembly import Instruction, NoListing, counts, hot_loop, lanes

PROLOGUE = "library.so:     file format elf64-x86-64\n\n0000000000000010 <f>:\n"
SSE2 = [
    "movups (%rsi),%xmm1", "movss (%rdi),%xmm0", "shufps $0x0,%xmm0,%xmm0", "movaps %xmm0,%xmm2", "mulps %xmm1,%xmm2",
    "addps %xmm2,%xmm3", "mulps %xmm1,%xmm0", "addps %xmm0,%xmm4", "sub $0x1,%rdx", "jne {first} <f+0x4>",
]  # fmt: skip
SMALLER = ["vbroadcastss (%rdi),%ymm0", "vmulps %ymm0,%ymm1,%ymm2", "jne {first} <f>"]
LEAVING = ["shufps $0x0,%xmm0,%xmm0", "mulps %xmm0,%xmm1", "je 900 <f+0x900>", "mulps %xmm0,%xmm2", "jne {first} <f>"]
CALLING = ["shufps $0x0,%xmm0,%xmm0", "mulps %xmm0,%xmm3", "mulps %xmm0,%xmm1", "call 900 <g>", "jne {first} <f>"]


def disassembled(*pieces):
    """Pieces of code one after the other; a jump in one leads to its beginning."""
    address, lines = 0x10, []
    for piece in pieces:
        first = f"{address:x}"
        for text in piece:
            operation, _, operands = text.format(first=first).partition(" ")
            lines.append(f"   {address:x}:\t{operation:<6} {operands}")
            address += 4
    return PROLOGUE + "\n".join(lines)


def built():
    """The loop of the twin that is built; skips where there is none or nothing to read it with."""
    if shutil.which("objdump") is None:
        pytest.skip("objdump is not installed")
    chapter = kernels.load("ch14_matmul", kernels.available("ch14")[0])
    try:
        return assembly.listing(chapter), kernels.instruction_set(chapter)
    except NoListing as error:
        pytest.skip(str(error))


def test_the_loop_with_the_most_multiplications_is_found_among_others():
    loop = hot_loop(disassembled(SMALLER, SSE2, SMALLER))
    assert len(loop) == len(SSE2) and loop[0] == Instruction("movups", "(%rsi),%xmm1")
    assert lanes(loop) == 4 and lanes(hot_loop(disassembled(SMALLER))) == 8


def test_sums_of_products_in_lanes_are_not_taken_for_the_tile():
    dot = ["movups (%rsi),%xmm0", *["mulps %xmm1,%xmm0"] * 9, "jne {first} <g>"]
    assert hot_loop(disassembled(dot, SSE2)) == hot_loop(disassembled(SSE2))


@pytest.mark.parametrize("other", [LEAVING, CALLING])
def test_a_stretch_that_jumps_or_calls_inside_is_no_innermost_loop(other):
    assert len(hot_loop(disassembled(other, SMALLER))) == len(SMALLER)


def test_every_instruction_is_counted_under_what_it_is_for():
    found = counts(hot_loop(disassembled(SSE2)))
    assert found == {
        "multiply": 2, "add": 2, "spread a number of a": 2, "load a vector of b": 1, "copy a register": 1,
        "step and count": 2,
    }  # fmt: skip


def test_a_library_that_multiplies_no_vectors_is_said_to_have_none():
    with pytest.raises(NoListing, match="without vector types"):
        hot_loop(disassembled(["mulss %xmm0,%xmm1", "jne {first} <f>"]))


def test_the_tile_of_the_built_library_stays_in_registers():
    loop, instruction_set = built()
    found = counts(loop)
    tall = {"v4": 14}.get(instruction_set, 6)
    fused = instruction_set != "baseline"
    assert found["multiply and add" if fused else "multiply"] == 2 * tall
    assert found.get("load a vector of b", 0) <= 2
    assert "store a vector" not in found
    assert lanes(loop) == {"v4": 16, "v3": 8}.get(instruction_set, 4)


def test_the_command_prints_the_loop_and_its_counts(monkeypatch, capsys):
    loop = hot_loop(disassembled(SSE2))
    monkeypatch.setattr(assembly, "listing", lambda chapter: loop)
    assert command.main(["matmul", "--assembly"]) == 0
    shown = capsys.readouterr().out
    assert "mulps" in shown and "2 x 4 = 8 multiplications" in shown and f"{len(SSE2)}  together" in shown
    assert command.main(["matmul", "--assembly", "--json"]) == 0
    assert [Instruction(*pair) for pair in json.loads(capsys.readouterr().out)["loop"]] == loop


def test_without_objdump_or_a_twin_the_command_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.setattr(kernels, "rung_of", lambda chapter: "cython")
    monkeypatch.setattr(kernels, "chapter", lambda name: SimpleNamespace(__name__="k", __file__="k.so"))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert command.main(["matmul", "--assembly"]) == 1
    assert "objdump is not installed; it is a part of GNU binutils" in capsys.readouterr().err
    monkeypatch.setattr(kernels, "rung_of", lambda chapter: "numpy")
    assert command.main(["matmul", "--assembly"]) == 1
    assert "does not run on its twin" in capsys.readouterr().err


def test_a_library_that_objdump_cannot_read_is_named_as_such(monkeypatch, tmp_path):
    if shutil.which("objdump") is None:
        pytest.skip("objdump is not installed")
    (tmp_path / "kernels.so").write_text("no machine code", encoding="utf-8")
    monkeypatch.setattr(kernels, "rung_of", lambda chapter: "cython")
    with pytest.raises(NoListing, match="objdump cannot read the twin"):
        assembly.listing(SimpleNamespace(__file__=str(tmp_path / "kernels.so")))
