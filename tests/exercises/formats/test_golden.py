"""Each format says what it said, and what its documentation asks for."""

import json
import re
from pathlib import Path

import pytest

from tests.exercises.formats.sample import GOLDEN, RENDERED

SCHEMAS = Path(__file__).parent / "schemas"


@pytest.mark.parametrize("name", RENDERED)
def test_golden_file_is_what_is_rendered(name: str) -> None:
    assert RENDERED[name]() == (GOLDEN / name).read_bytes().decode("utf-8")


@pytest.mark.parametrize("name", RENDERED)
def test_no_character_that_a_reader_would_choke_on(name: str) -> None:
    said = (GOLDEN / name).read_bytes().decode("utf-8")
    assert re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff\ufffe\uffff]", said) == []


@pytest.mark.parametrize("name", RENDERED)
def test_a_megabyte_of_output_is_capped(name: str) -> None:
    assert (GOLDEN / name).stat().st_size < 20_000


@pytest.mark.parametrize(
    ("name", "schema"),
    [("results.json", "kael"), ("gradescope.json", "gradescope"), ("classroom50.json", "classroom50")],
)
def test_json_keeps_to_its_schema(name: str, schema: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    asked = json.loads((SCHEMAS / f"{schema}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(asked)
    jsonschema.Draft202012Validator(asked).validate(json.loads((GOLDEN / name).read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("name", "schema", "field"),
    [("results.json", "kael", "points"), ("classroom50.json", "classroom50", "max-score")],
)
def test_a_schema_rejects_points_that_are_not_whole(name: str, schema: str, field: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    asked = json.loads((SCHEMAS / f"{schema}.schema.json").read_text(encoding="utf-8"))
    said = json.loads((GOLDEN / name).read_text(encoding="utf-8"))
    said[field] += 0.5
    assert not jsonschema.Draft202012Validator(asked).is_valid(said)


def test_xml_keeps_to_its_schema() -> None:
    xmlschema = pytest.importorskip("xmlschema")
    xmlschema.XMLSchema(str(SCHEMAS / "junit.xsd")).validate(str(GOLDEN / "results.xml"))


def test_the_xml_schema_rejects_a_case_with_two_ends() -> None:
    xmlschema = pytest.importorskip("xmlschema")
    said = (GOLDEN / "results.xml").read_text(encoding="utf-8").replace("</failure>", "</failure><error/>", 1)
    assert not xmlschema.XMLSchema(str(SCHEMAS / "junit.xsd")).is_valid(said)
