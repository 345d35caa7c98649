"""Results as JUnit XML, for Jenkins and whatever else reads pytest's reports.

One ``testsuite`` an exercise, one ``testcase`` a check, with its points as properties. A check that did not pass is a
``failure``; one that ran out of time or took the process with it is an ``error``. ``skipped`` says "not available" and
nothing else: an answer that calls ``pytest.skip`` has failed.

The elements and attributes are those of https://github.com/testmoapp/junitxml, which collects what tools agree on, and
what pytest writes itself. Jenkins shows properties of test cases where its step says ``keepProperties: true``
(jenkinsci/junit-plugin, pull requests 541 and 546). The schema that its other plugin, xunit, and pytest's own tests go
by (``testing/example_scripts/junit-10.xsd`` in pytest's repository) knows none, though pytest's ``record_property``
writes them; so the points also stand in a JSON file beside the XML.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from itertools import groupby

from kael.exercises.formats.rows import Row, rows
from kael.exercises.results import Results

__all__ = ["render"]

ELEMENTS = {"timeout": "error", "crash": "error", "not available": "skipped"}


def render(results: Results) -> str:
    """An XML document in UTF-8.

    Parameters
    ----------
    results : Results
        What came of the checks.

    Examples
    --------
    >>> print(render(Results()), end="")
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="kael" tests="0" failures="0" errors="0" skipped="0" />
    """
    listed = list(rows(results))
    root = ET.Element("testsuites", {"name": "kael", **_counts(listed)})
    for _, group in groupby(listed, key=lambda row: id(row.result)):
        _suite(root, list(group))
    ET.indent(root, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(root: ET.Element, listed: list[Row]) -> None:
    result = listed[0].result
    suite = ET.SubElement(root, "testsuite", {"name": result.exercise.id, **_counts(listed)})
    facts = {
        "title": result.exercise.title, "file": result.file.as_posix(), "sha256": result.sha256,
        "seed": result.seed, "score": result.score, "points": result.points,
    }  # fmt: skip
    _properties(suite, facts)
    for row in listed:
        case = ET.SubElement(suite, "testcase", {"classname": f"kael.{result.exercise.id}", "name": row.check.name})
        _properties(case, {"state": row.check.state, "score": row.score, "points": row.points})
        if not row.passed:
            said = {"message": row.headline, "type": row.check.state}
            ET.SubElement(case, _element(row), said).text = row.text


def _properties(parent: ET.Element, facts: dict[str, object]) -> None:
    listed = ET.SubElement(parent, "properties")
    for name, value in facts.items():
        ET.SubElement(listed, "property", {"name": name, "value": str(value)})


def _element(row: Row) -> str:
    return "" if row.passed else ELEMENTS.get(row.check.state, "failure")


def _counts(listed: list[Row]) -> dict[str, str]:
    kinds = Counter(map(_element, listed))
    counts = {"failures": kinds["failure"], "errors": kinds["error"], "skipped": kinds["skipped"]}
    return {"tests": str(len(listed)), **{name: str(count) for name, count in counts.items()}}
