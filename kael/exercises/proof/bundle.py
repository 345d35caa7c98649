"""Several Cython answers built as one module, since a build takes seconds and a proof needs dozens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

__all__ = ["BUNDLE", "bundled"]

BUNDLE = "together.pyx"
"""The name of a file that holds the functions of several."""


def bundled(texts: Sequence[str], folder: Path) -> list[Path]:
    """Answers that run the functions of several Cython files, built as one module since that takes one build.

    The functions of each file get its number behind their names; everything else at the top of a file has to bear being
    there more than once.
    """
    folder.mkdir(parents=True)
    together = folder / BUNDLE
    pieces, paths = [], []
    for number, text in enumerate(texts):
        names = re.findall(r"^(?:cpdef|cdef|def)\b[^\n=]*?(\w+)\(", text, re.MULTILINE)
        for name in names:
            text = re.sub(rf"\b{name}\(", f"{name}_{number}(", text)
        pieces.append(text)
        paths.append(folder / f"answer{number}.py")
        found = "".join(f"{name} = getattr(module, '{name}_{number}', None)\n" for name in names)
        paths[-1].write_text(
            "from pathlib import Path\n\nfrom kael.exercises.twins import load_twin\n\n"
            f"module = load_twin(Path({str(together)!r}))\n{found}",
            encoding="utf-8",
        )
    together.write_text("\n\n".join(pieces), encoding="utf-8")
    return paths
