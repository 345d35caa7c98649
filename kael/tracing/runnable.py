"""Traces that a page can make again: a function, its source in the caption, its parameters as fields."""

from __future__ import annotations

import inspect
import json
import textwrap
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kael.tracing.trace import Trace

__all__ = ["rerun", "runnable"]

FILE = "<the code above>"


def runnable(
    function: Callable[..., Any], title: str = "", choices: Mapping[str, Sequence[str]] | None = None, /, **values: Any
) -> Trace:
    """Run a function that reports to a trace, and make its parameters the fields of the HTML view.

    Parameters
    ----------
    function : callable
        Takes the trace first and then parameters that all have defaults: numbers, bools, or texts out of `choices`.
        It must stand on its own: what it uses it imports in its body, from the standard library and the plain
        chapters, so that a browser can run it.
    title : str
        What the trace shows; the first line of the function's docstring when left out.
    choices : mapping of str to sequence of str, optional
        For each parameter that is a text, the texts to choose from.
    **values
        Other values than the defaults.

    Returns
    -------
    Trace
        The record; in the page, *Run* makes it again with the values of the fields.

    Raises
    ------
    TypeError
        When a parameter has no default, or one that no field can hold.
    """
    source = textwrap.dedent(inspect.getsource(function)).rstrip()
    trace = _prepared(function, source, title, _fields(function, choices or {}, values))
    function(trace, **values)
    return trace


def rerun(run: str, values: str) -> str:
    """The HTML of a trace made again, in a page.

    An error of the function is shown above what had been recorded by then.

    Parameters
    ----------
    run : str
        The ``run`` part of the element's data, as JSON.
    values : str
        The values of its fields, as JSON.
    """
    told, chosen = json.loads(run), json.loads(values)
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(told["source"], FILE, "exec"), names)
    function = names[told["function"]]
    fields = [{**field, "value": chosen[field["name"]]} for field in told["fields"]]
    trace = _prepared(function, told["source"], told["title"], fields)
    error = ""
    try:
        function(trace, **chosen)
    except Exception as raised:
        error = "".join(traceback.format_exception_only(raised)).strip()
    return trace.to_html(assets=False, error=error)


def _prepared(function: Callable[..., Any], source: str, title: str, fields: list[dict[str, Any]]) -> Trace:
    """An empty trace whose caption is the function's source and the call with these values."""
    name = function.__name__
    trace = Trace(title or (inspect.getdoc(function) or name).splitlines()[0].rstrip("."))
    defaults = inspect.signature(function).parameters
    others = [f"{f['name']}={f['value']!r}" for f in fields if f["value"] != defaults[f["name"]].default]
    trace.code = f"{source}\n\n{name}({', '.join(['trace', *others])})"
    trace.run = {"source": source, "function": name, "title": trace.title, "fields": fields}
    return trace


def _fields(
    function: Callable[..., Any], choices: Mapping[str, Sequence[str]], values: dict[str, Any]
) -> list[dict[str, Any]]:
    """The fields of a function's parameters after the first, with the values in force."""
    fields = []
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        name = parameter.name
        if parameter.default is parameter.empty:
            raise TypeError(f"runnable: {function.__name__} has no default for {name}; give it one")
        value = values.get(name, parameter.default)
        if name in choices:
            fields.append({"name": name, "kind": "choice", "value": value, "choices": list(choices[name])})
        elif isinstance(value, bool):
            fields.append({"name": name, "kind": "switch", "value": value})
        elif isinstance(value, int | float):
            fields.append({"name": name, "kind": "number", "value": value})
        else:
            raise TypeError(
                f"runnable: {name} is a {type(value).__name__}; a field holds a number, a bool, or one of `choices`"
            )
    return fields
