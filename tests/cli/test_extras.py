"""The extras that errors and `kael doctor` name are those of pyproject.toml."""

import re
import tomllib
from pathlib import Path

from kael.extras import EXTRAS

ROOT = Path(__file__).parents[2]


def test_the_table_is_that_of_pyproject():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    names = {extra: tuple(re.split(r"[<>=!~ ;\[]", line)[0] for line in lines) for extra, lines in declared.items()}
    assert names == EXTRAS
