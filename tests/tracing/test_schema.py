"""Records as JSON: read back the same, refused when they are something else, as the schema says."""

import json
from pathlib import Path

import pytest

import kael.tracing.schema
from kael.tracing.running_example import running_example_trace
from kael.tracing.trace import Trace
from kael.tracing.views import Views
from tests.tracing.samples import Array, chain, running_example

SCHEMA = json.loads(Path(kael.tracing.schema.__file__).with_name("schema.json").read_text(encoding="utf-8"))


def with_infinities():
    x, w = Array([1.0, float("nan"), float("inf")]), Array(2.0)
    trace = Trace(x=x, w=w)
    trace.forward(0, "sum", [x], w)
    trace.seed(0, w, Array(1.0))
    trace.visit(0, Array(float("-inf")), None)
    trace.done()
    return trace


@pytest.mark.parametrize("make", [running_example, running_example_trace, with_infinities, lambda: chain(40), Trace])
def test_a_record_read_back_has_the_same_views(make):
    trace = make()
    again = Views.from_json(trace.to_json())
    assert again.table() == trace.table()
    assert again.to_json() == trace.to_json()
    assert again.title == trace.title


@pytest.mark.parametrize("make", [running_example, running_example_trace, with_infinities, Trace])
def test_a_record_follows_the_schema(make):
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(make().to_json()))


def test_the_schema_is_of_the_version_that_is_written():
    assert SCHEMA["properties"]["version"]["const"] == kael.tracing.schema.VERSION


def test_what_json_has_no_number_for_is_text():
    json.loads(with_infinities().to_json(), parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


def test_another_version_is_refused():
    record = running_example().to_json().replace('"version":1', '"version":9')
    with pytest.raises(ValueError, match="the record has version 9 but this kael reads version 1"):
        Views.from_json(record)


def test_something_else_is_refused():
    with pytest.raises(ValueError, match="this is no record of kael"):
        Views.from_json("[1, 2]")
