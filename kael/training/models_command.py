"""``kael models``: what can be trained, how large it is, and by which command."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from kael.data import python_docs
from kael.models import GPT, MLP, LeNet
from kael.nn import Module
from kael.training.digits import Settings
from kael.training.gpt import GPTSettings

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``kael models``; returns the exit code."""
    argparse.ArgumentParser(prog="kael models", description="List the models that kael trains.").parse_args(arguments)
    gpt = GPTSettings()
    characters = len(set(python_docs().text))
    sizes = f"{gpt.layers} layers of width {gpt.width}, {gpt.context} characters of context"
    model = GPT(vocabulary=characters, context=gpt.context, width=gpt.width, layers=gpt.layers, heads=gpt.heads)
    rows = [
        ("digits", "perceptron on 8x8 handwritten digits", MLP(64, *Settings().hidden, 10)),
        ("mnist", "convolutional network on 28x28 handwritten digits, from a folder of IDX files", LeNet()),
        ("gpt", f"transformer on text: {sizes}", model),
    ]
    for name, what, made in rows:
        print(f"kael train {name:7} {parameters(made):>9,} parameters  {what}")
    return 0


def parameters(model: Module) -> int:
    """How many numbers a model learns."""
    return sum(parameter.numel() for parameter in model.parameters())
