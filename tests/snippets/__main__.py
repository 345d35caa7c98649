"""Writes down what each program prints with PyTorch: ``python -m tests.snippets``."""

from pathlib import Path

from tests.snippets.running import PROGRAMS, printed

if __name__ == "__main__":
    folder = Path(__file__).with_name("expected")
    folder.mkdir(exist_ok=True)
    for program in PROGRAMS:
        (folder / f"{program.stem}.txt").write_text(printed(program, "torch"), encoding="utf-8")
