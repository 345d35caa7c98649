"""A transformer that learns a text: what can be chosen, how it is trained, and how a checkpoint gives it back."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi
from pathlib import Path
from typing import Any, NamedTuple

from kael.autograd import no_grad
from kael.data import BytePairTokenizer, CharacterTokenizer, DataLoader, RandomSampler, TextDataset
from kael.data.text import Corpus
from kael.data.tokenizer import Tokenizer
from kael.generators import Generator
from kael.models import GPT
from kael.nn import Module
from kael.nn.functional import cross_entropy
from kael.optim import AdamW
from kael.optim.lr_scheduler import LambdaLR
from kael.random import manual_seed
from kael.serialization import NotAFile
from kael.tensors import Tensor
from kael.training.checkpoint import read_checkpoint
from kael.training.loop import Training

__all__ = ["GPTRun", "GPTSettings", "gpt_run", "load_gpt", "next_token_loss"]

KIND = "gpt"
TOKENS = ("characters", "bytepairs")
WARM_UP = 100
"""Steps in which the step size grows to its full size: Adam's means know little before."""
PROMPT = 32
"""Characters of the validation text that a trained model goes on from."""
LAST = 0.05
"""The part of the step size that is left at the last step."""


class GPTSettings(NamedTuple):
    """What can be chosen about the training.

    Attributes
    ----------
    seed : int
        Decides the first weights, the windows and the dropout.
    steps : int
        Changes of the weights.
    batch_size, context : int
        Windows in a batch, and tokens in a window.
    width, layers, heads, dropout, positions
        Of the model; see `kael.models.GPTConfig`.
    lr : float
        The largest step size; it grows for 100 steps and then falls along half a cosine.
    weight_decay : float
        Of AdamW.
    tokens : {"characters", "bytepairs"}
        What the text is cut into.
    merges : int
        Pairs that are joined, for byte pairs.
    """

    seed: int = 0
    steps: int = 2500
    batch_size: int = 16
    context: int = 64
    width: int = 96
    layers: int = 4
    heads: int = 4
    dropout: float = 0.0
    positions: str = "learned"
    lr: float = 6e-3
    weight_decay: float = 0.1
    tokens: str = "characters"
    merges: int = 512


class GPTRun(NamedTuple):
    """A training of a GPT.

    Attributes
    ----------
    model : GPT
        What learns.
    training : Training
        Its training.
    tokenizer : Tokenizer
        How the text was cut.
    evaluate : callable
        The mean loss over the validation text, in nats for each token and for each character.
    about : dict
        What a checkpoint says, so that `load_gpt` finds the model again.
    """

    model: GPT
    training: Training
    tokenizer: Tokenizer
    evaluate: Callable[[], dict[str, float]]
    about: dict[str, Any]


def gpt_run(settings: GPTSettings, corpus: Corpus, tokenizer: Tokenizer | None = None) -> GPTRun:
    """A training from the beginning.

    Parameters
    ----------
    settings : GPTSettings
        How to train.
    corpus : Corpus
        The text; the last tenth is not trained on.
    tokenizer : Tokenizer, optional
        How it is cut; made from the text when left out.

    Raises
    ------
    ValueError
        When the text is too short for a window, or a setting is out of range.
    """
    tokenizer = made_tokenizer(settings, corpus) if tokenizer is None else tokenizer
    manual_seed(settings.seed)
    model = GPT(
        vocabulary=tokenizer.vocab_size, context=settings.context, width=settings.width, layers=settings.layers,
        heads=settings.heads, dropout=settings.dropout, positions=settings.positions,
    )  # fmt: skip
    windows = TextDataset(tokenizer.encode(corpus.train), settings.context)
    sampler = RandomSampler(windows, replacement=True, num_samples=len(windows), generator=Generator(settings.seed))
    optimizer = AdamW(model.parameters(), lr=settings.lr, betas=(0.9, 0.99), weight_decay=settings.weight_decay)
    training = Training(
        model, optimizer, DataLoader(windows, settings.batch_size, sampler=sampler, drop_last=True), next_token_loss,
        scheduler=LambdaLR(optimizer, lambda step: part_of_lr(step, settings.steps)), clip=1.0,
    )  # fmt: skip
    held_out = TextDataset(tokenizer.encode(corpus.validation), settings.context, settings.context)
    characters = len(corpus.validation) / len(held_out.tokens)
    about = {
        "kind": KIND, "settings": settings._asdict(), "config": model.config._asdict(),
        "tokenizer": tokenizer.to_json(), "prompt": corpus.validation[:PROMPT],
        "corpus": [corpus.name, corpus.length, corpus.sha256],
    }  # fmt: skip

    def evaluate() -> dict[str, float]:
        loss = mean_loss(model, held_out)
        return {"validation": loss / characters, "validation per token": loss}

    return GPTRun(model, training, tokenizer, evaluate, about)


def made_tokenizer(settings: GPTSettings, corpus: Corpus) -> Tokenizer:
    """The tokenizer of a text: characters of all of it, so that none is unknown, or pairs of what is trained on."""
    if settings.tokens == "characters":
        return CharacterTokenizer.train(corpus.text)
    if settings.tokens == "bytepairs":
        return BytePairTokenizer.train(corpus.train, 256 + settings.merges)
    raise ValueError(f"tokens are {settings.tokens!r}; choose {' or '.join(TOKENS)}")


def next_token_loss(model: Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    """The mean of ``-log`` of the chance that the model gives to each next token."""
    tokens, targets = batch
    scores = model(tokens)
    return cross_entropy(scores.reshape(-1, scores.shape[-1]), targets.reshape(-1))


def mean_loss(model: Module, windows: TextDataset, at_once: int = 64) -> float:
    """The mean loss over all windows, each token as much as any other."""
    total = 0.0
    with no_grad():
        for batch in DataLoader(windows, at_once):
            total += next_token_loss(model, batch).item() * len(batch[0])
    return total / len(windows)


def part_of_lr(step: int, steps: int) -> float:
    """The part of the step size for a step, from 0 on."""
    fall = LAST + (1 - LAST) * (1 + cos(pi * min(step / steps, 1.0))) / 2
    return min(1.0, (step + 1) / WARM_UP) * fall


def load_gpt(path: Path | str) -> tuple[GPT, Tokenizer, dict[str, Any]]:
    """The model of a checkpoint in evaluation mode, its tokenizer, and what the checkpoint says of itself.

    Raises
    ------
    NotAFile
        When the file is cut off, or no checkpoint of a GPT.
    OSError
        When it cannot be read.
    """
    about, state, _ = read_checkpoint(path)
    if about.get("kind") != KIND:
        raise NotAFile(f"{path} is a checkpoint, but not of a GPT")
    model = GPT(**about["config"])
    model.load_state_dict(state["model"])
    model.eval()
    return model, Tokenizer.from_json(about["tokenizer"]), about
