"""Results in the formats that people, programs and gradebooks read: the sum of points is the same in each."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from kael.exercises.formats import classroom50, gradescope, json, junit, text
from kael.exercises.results import Results
from kael.exercises.saving import save

__all__ = ["FORMATS", "render", "write"]

FORMATS: dict[str, Callable[[Results], str]] = {
    "text": text.render,
    "json": json.render,
    "junit": junit.render,
    "gradescope": gradescope.render,
    "classroom50": lambda results: classroom50.render(results, environment=os.environ),
}
"""What ``kael ex check --format`` and ``kael grade`` can write, by name."""


def render(results: Results, form: str = "text") -> str:
    """Results as a text.

    Parameters
    ----------
    results : Results
        What came of the checks.
    form : str
        One of `FORMATS`.

    Raises
    ------
    ValueError
        When there is no such format.

    Examples
    --------
    >>> render(Results())
    'total: 0 of 0 points\\n'
    """
    if form not in FORMATS:
        raise ValueError(f"format {form!r} is not known; choose from {', '.join(FORMATS)}")
    return FORMATS[form](results)


def write(results: Results, form: str, target: Path) -> list[Path]:
    """Write results to a file, and for JUnit kael's JSON beside it.

    Whoever reads the file finds the old one or the new one whole, whatever happens meanwhile.

    Parameters
    ----------
    results : Results
        What came of the checks.
    form : str
        One of `FORMATS`.
    target : Path
        The file; its folder is made where it is missing.

    Returns
    -------
    list of Path
        What was written.
    """
    texts = {target: render(results, form)}
    if form == "junit":
        texts[target.with_suffix(".json")] = render(results, "json")
    target.parent.mkdir(parents=True, exist_ok=True)
    for path, said in texts.items():
        save(path, said.encode())
    return list(texts)
