"""``kael train gpt``: a transformer learns a text."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kael.data import python_docs
from kael.data.text import Corpus
from kael.generators import Generator
from kael.models import Sampling
from kael.models.gpt import POSITIONS
from kael.training.checkpoint import load_checkpoint, read_checkpoint
from kael.training.curve import check_target, save_metrics
from kael.training.fitting import fit
from kael.training.gpt import TOKENS, GPTRun, GPTSettings, gpt_run, load_gpt
from kael.training.loop import NotFinite
from kael.training.options import INTERRUPTED, Shown, positive, run_options, share, threads, vacant, whole
from kael.training.sample_command import pieces

__all__ = ["gpt_parser", "train"]

EVERY = 250
WRITTEN = 300
CHOSEN = ("seed", "batch_size", "context", "width", "layers", "heads", "dropout", "positions", "lr", "tokens", "merges")


def gpt_parser(parser: argparse.ArgumentParser) -> None:
    """What ``kael train gpt`` takes."""
    base = GPTSettings()
    add = parser.add_argument
    add("--steps", type=whole(1), help=f"changes of the weights (default {base.steps})")
    add("--text", type=Path, metavar="FILE", help="the text to learn, in UTF-8 (default Python's own help texts)")
    run_options(parser, "gpt.safetensors")
    add("--seed", type=whole(0), help=f"decides every random number (default {base.seed})")
    add("--batch-size", type=whole(1), help=f"windows per step (default {base.batch_size})")
    add("--context", type=whole(1), help=f"tokens in a window (default {base.context})")
    add("--width", type=whole(1), help=f"numbers for each token (default {base.width})")
    add("--layers", type=whole(1), help=f"blocks (default {base.layers})")
    add("--heads", type=whole(1), help=f"attentions in a block (default {base.heads})")
    add("--dropout", type=share, help=f"default {base.dropout}")
    add("--positions", choices=POSITIONS, help=f"default {base.positions}")
    add("--lr", type=positive, help=f"the largest step size (default {base.lr})")
    add("--tokens", choices=TOKENS, help=f"what the text is cut into (default {base.tokens})")
    add("--merges", type=whole(0), help=f"pairs to join, for bytepairs (default {base.merges})")


def train(options: argparse.Namespace) -> int:
    """Train until all steps are made or Ctrl-C is pressed, then let the model write."""
    if options.plot is not None:
        check_target(options.plot)
    with threads(options.threads):
        run, steps = begun(options)
        training = run.training
        parameters = sum(parameter.numel() for parameter in run.model.parameters())
        size = f"{run.tokenizer.vocab_size} tokens, {parameters:,} parameters"
        print(f"{size}, steps {training.step + 1} to {steps}", flush=True)
        try:
            with Shown(steps, training.step, plain=options.plain) as show:
                outcome = fit(
                    training, steps, evaluate=run.evaluate, every=EVERY, checkpoint=options.checkpoint,
                    metrics=options.metrics, about=run.about, show=show,
                )  # fmt: skip
        except NotFinite as error:
            print(f"kael train: {error}", file=sys.stderr)
            return 1
        if options.plot is not None and show.reports:
            save_metrics(options.plot, show.reports)
            print(f"loss curve in {options.plot}")
        if outcome.why == "interrupted":
            print(
                f"kael train: stopped after step {outcome.step}; `kael train gpt --resume --checkpoint "
                f"{options.checkpoint}` goes on",
                file=sys.stderr,
            )
            return INTERRUPTED
        last = next(iter(show.reports[-1].evaluation.values())) if show.reports else training.best
        print(f"validation loss {last:.4f} nats a character; checkpoint in {options.checkpoint}\n")
        sampling = Sampling(temperature=0.8, top_k=20)
        for piece in pieces(run.model, run.tokenizer, run.about["prompt"], WRITTEN, sampling, Generator(0)):
            print(piece, end="", flush=True)
        print()
        return 0


def begun(options: argparse.Namespace) -> tuple[GPTRun, int]:
    """The training that is asked for, fresh or from its checkpoint, and the number of its last step."""
    path = options.checkpoint
    chosen = {name: value for name in CHOSEN if (value := getattr(options, name)) is not None}
    if not options.resume:
        vacant(path)
    corpus = python_docs() if options.text is None else read_text(options.text)
    print(corpus, flush=True)
    if not options.resume:
        settings = GPTSettings(**chosen)._replace(steps=options.steps or GPTSettings().steps)
        return gpt_run(settings, corpus), settings.steps
    about, _, _ = read_checkpoint(path)
    saved = GPTSettings(**about["settings"])
    for name, value in chosen.items():
        if value != getattr(saved, name):
            option = f"--{name.replace('_', '-')}"
            raise ValueError(f"{option} is {value} but {path} was trained with {getattr(saved, name)}")
    if about["corpus"][2] != corpus.sha256:
        raise ValueError(f"{path} was trained on another text: {about['corpus'][0]}, {about['corpus'][1]:,} characters")
    _, tokenizer, _ = load_gpt(path)
    settings = saved._replace(steps=options.steps or saved.steps)
    run = gpt_run(settings, corpus, tokenizer)
    load_checkpoint(path, run.training)
    return run, settings.steps


def read_text(path: Path) -> Corpus:
    """A text to learn.

    Raises
    ------
    ValueError
        When it is not UTF-8, or empty.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8: {error.reason} at byte {error.start}; save it as UTF-8") from None
    if not text:
        raise ValueError(f"{path} is empty")
    return Corpus(path.name, text)
