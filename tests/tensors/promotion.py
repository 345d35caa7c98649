"""PyTorch's promotion table, written down: ``python -m tests.tensors.promotion`` writes it anew from PyTorch itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64")
NUMBERS = {"True": True, "3": 3, "2.5": 2.5}
OPERANDS = (*DTYPES, *[f"0-d {name}" for name in DTYPES], *NUMBERS)
TABLE = Path(__file__).with_name("promotion.txt")


def operand(k: Any, name: str) -> Any:
    """A tensor with one axis, a 0-d tensor, or a number."""
    if name in NUMBERS:
        return NUMBERS[name]
    dtype = getattr(k, name.removeprefix("0-d "))
    return k.ones((), dtype=dtype) if name.startswith("0-d ") else k.ones(2, dtype=dtype)


def cells(k: Any) -> dict[tuple[str, str], str]:
    """What a library says of each pair of operands."""
    return {
        (x, y): str(k.result_type(operand(k, x), operand(k, y))).rpartition(".")[2] for x in OPERANDS for y in OPERANDS
    }


def stored() -> dict[tuple[str, str], str]:
    """The table as it was written down."""
    rows = [line.split(" | ") for line in TABLE.read_text(encoding="utf-8").splitlines()]
    head = [name.strip() for name in rows[0][1:]]
    return {(row[0].strip(), y): cell.strip() for row in rows[1:] for y, cell in zip(head, row[1:], strict=True)}


def main() -> None:
    """Ask PyTorch, and write its table."""
    import torch

    found = cells(torch)
    lines = [" | ".join(f"{name:<11}" for name in ("", *OPERANDS)).rstrip()]
    for x in OPERANDS:
        lines.append(" | ".join(f"{name:<11}" for name in (x, *[found[x, y] for y in OPERANDS])).rstrip())
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
