"""JSON for what crosses, and bytes in it."""

from __future__ import annotations

import binascii
import json
from typing import Any

import numpy as np

__all__ = ["MOST_BYTES", "Garbled", "dumps", "known_dtype", "to_bytes", "to_text"]

MOST_BYTES = 1 << 26
"""Bytes that one array may claim."""


class Garbled(Exception):
    """What came is not what the protocol knows."""


_slow = json.JSONEncoder(separators=(",", ":")).encode
_maker: Any = getattr(json.encoder, "c_make_encoder", None)
_encode = _maker and _maker(None, None, json.encoder.encode_basestring_ascii, None, ":", ",", False, False, True)


def dumps(value: Any) -> str:
    """A value as JSON, by an encoder that is made once: what crosses is short and comes often."""
    return "".join(_encode(value, 0)) if _encode else _slow(value)


def to_text(data: Any) -> str:
    """Bytes as text."""
    return binascii.b2a_base64(data, newline=False).decode("ascii")


def to_bytes(text: str) -> bytes:
    """Bytes from their text."""
    return binascii.a2b_base64(text, strict_mode=True)


def known_dtype(text: str) -> np.dtype[Any]:
    """An element type of plain numbers or text.

    Raises
    ------
    Garbled
        When it is another.
    """
    kind = np.dtype(text) if isinstance(text, str) and len(text) < 12 else None
    if kind is None or kind.kind not in "biufcSU" or not kind.isnative or kind.itemsize > MOST_BYTES:
        raise Garbled(f"elements of type {text!r:.40}")
    return kind
