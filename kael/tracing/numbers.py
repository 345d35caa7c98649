"""How numbers, shapes and buffers are written in every view."""

from __future__ import annotations

from typing import Any

from kael.tracing.model import Gradient

__all__ = ["SHOWN_IN_PICTURES", "buffer_name", "gradient_text", "value_text"]

SHOWN_CHARACTERS = 40
SHOWN_IN_PICTURES = 18


def _scalar(value: Any) -> str:
    """A number on its own: as Python prints it, or to six digits where that is shorter."""
    exact = repr(value)
    return exact if len(exact) <= 8 or not isinstance(value, float) else f"{value:.6g}"


def _element(value: Any) -> str:
    """A number in a list: without the ``.0`` of a whole number, so that rows stay short."""
    if isinstance(value, list):
        return "[" + ", ".join(map(_element, value)) + "]"
    return f"{value:.4g}" if isinstance(value, float) else repr(value)


def value_text(value: Any, shape: tuple[int, ...], most: int = SHOWN_CHARACTERS) -> str:
    """The elements of a tensor, or its shape where they take more than `most` characters."""
    if value is None:
        return f"shape {shape}"
    text = _element(value) if isinstance(value, list) else _scalar(value)
    return text if len(text) <= most else f"shape {shape}"


def gradient_text(gradient: Gradient, most: int = SHOWN_CHARACTERS) -> str:
    """The elements of a gradient, or its shape."""
    return value_text(gradient.value, gradient.shape, most)


def buffer_name(number: int) -> str:
    """The name of a piece of memory."""
    return f"b{number}"
