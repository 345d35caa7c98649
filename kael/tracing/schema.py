"""Records as JSON, version 1, described in ``schema.json``."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

from kael.tracing.model import Contribution, Gradient, GraphTensor, Node, Pass, Step

__all__ = ["VERSION", "decode", "encode"]

VERSION = 1


def encode(title: str, code: str, passes: list[Pass]) -> str:
    """The text of a record; safe inside a ``script`` element, for ``<``, ``>`` and ``&`` are escaped."""
    document = {
        "schema": "kael-trace",
        "version": VERSION,
        "title": title,
        "code": code,
        "passes": [_pass_to_json(record) for record in passes],
    }
    text = json.dumps(_finite(document), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def decode(text: str) -> tuple[str, str, list[Pass]]:
    """Title, code and passes from the text of a record.

    Raises
    ------
    ValueError
        When the text is no record, or one of a version that this kael does not read.
    """
    document = json.loads(text)
    if not isinstance(document, dict) or document.get("schema") != "kael-trace":
        raise ValueError("from_json: this is no record of kael; its schema should be kael-trace")
    if document.get("version") != VERSION:
        raise ValueError(
            f"from_json: the record has version {document.get('version')} but this kael reads version {VERSION}; "
            "record the pass again"
        )
    return document["title"], document["code"], [_pass_from_json(record) for record in document["passes"]]


def _pass_to_json(record: Pass) -> dict[str, Any]:
    data = asdict(record)
    data["nodes"] = [{"number": number, **node} for number, node in data["nodes"].items()]
    for step in data["steps"]:
        step["mirrored"] = [{"node": node, "gradient": gradient} for node, gradient in step["mirrored"]]
    return data


def _pass_from_json(data: dict[str, Any]) -> Pass:
    nodes = {node.pop("number"): Node(**node) for node in map(dict, data["nodes"])}
    return Pass(
        data["counted"], nodes, [_tensor(entry) for entry in data["tensors"]],
        [_step(step) for step in data["steps"]], data["finished"],
    )  # fmt: skip


def _tensor(data: dict[str, Any]) -> GraphTensor:
    known = {"shape": tuple(data["shape"]), "value": _number(data["value"]), "grad": _gradient(data["grad"])}
    return GraphTensor(**{**data, **known})


def _step(data: dict[str, Any]) -> Step:
    known = {
        "gradient": _gradient(data["gradient"]),
        "contributions": [_contribution(passed) for passed in data["contributions"]],
        "mirrored": [(write["node"], _gradient(write["gradient"])) for write in data["mirrored"]],
    }
    return Step(**{**data, **known})


def _contribution(data: dict[str, Any]) -> Contribution:
    return Contribution(**{**data, **{name: _gradient(data[name]) for name in ("gradient", "total", "before")}})


def _gradient(data: dict[str, Any] | None) -> Gradient | None:
    if data is None:
        return None
    return Gradient(tuple(data["shape"]), _number(data["value"]), data["buffer"])


def _finite(data: Any) -> Any:
    """The data with what JSON has no number for (nan, inf, -inf) as text."""
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return repr(data) if isinstance(data, float) and not math.isfinite(data) else data


def _number(data: Any) -> Any:
    """The elements of a tensor with those texts turned back into numbers."""
    if isinstance(data, list):
        return [_number(value) for value in data]
    return float(data) if isinstance(data, str) else data
