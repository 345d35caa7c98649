"""``kael sample``: the model of a checkpoint writes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from kael.data import Tokenizer
from kael.generators import Generator
from kael.models import GPT, Sampling
from kael.training.gpt import load_gpt
from kael.training.options import whole

__all__ = ["main", "pieces"]


def pieces(
    model: GPT, tokenizer: Tokenizer, prompt: str, count: int, sampling: Sampling, generator: Generator | None
) -> Iterator[str]:
    """A text as it grows: a token need not end where a character does, so what is whole is handed on."""
    tokens = tokenizer.encode(prompt)
    said: list[int] = tokens.tolist()
    told = tokenizer.decode(said)
    yield told
    for token in model.stream(tokens.unsqueeze(0), count, sampling=sampling, generator=generator):
        said.append(int(token.item()))
        text = tokenizer.decode(said)
        if not text.endswith("\ufffd"):
            yield text[len(told) :]
            told = text


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``kael sample``: a checkpoint's model writes; returns the exit code."""
    parser = argparse.ArgumentParser(prog="kael sample", description="Let the model of a checkpoint write.")
    add = parser.add_argument
    add("checkpoint", type=Path, help="what `kael train gpt` saved")
    add("--prompt", help="how the text begins (default: as the text that the model was tested on)")
    add("--count", type=whole(1), default=500, help="tokens to write (default %(default)s)")
    add("--temperature", type=float, default=0.8, help="0 takes the likeliest token (default %(default)s)")
    add("--top-k", type=whole(1), help="draw from so many tokens")
    add(
        "--top-p", type=float, default=1.0, help="draw from the fewest tokens of this probability (default %(default)s)"
    )
    add(
        "--repetition", type=float, default=1.0, help="above 1, what was said becomes less likely (default %(default)s)"
    )
    add("--no-repeat", type=whole(0), default=0, metavar="N", help="write no run of N tokens twice")
    add("--seed", type=whole(0), help="the same seed writes the same text")
    options = parser.parse_args(arguments)
    sampling = Sampling(options.repetition, options.no_repeat, options.temperature, options.top_k, options.top_p)
    generator = None if options.seed is None else Generator(options.seed)
    try:
        model, tokenizer, about = load_gpt(options.checkpoint)
        prompt = about["prompt"] if options.prompt is None else options.prompt
        for piece in pieces(model, tokenizer, prompt, options.count, sampling, generator):
            print(piece, end="", flush=True)
    except (ValueError, KeyError) as error:
        print(f"kael sample: {error.args[0] if error.args else error}", file=sys.stderr)
        return 1
    print()
    return 0
