"""From the scores of all tokens to the one that is written."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from kael.generators import Generator
from kael.nn.functional import softmax
from kael.ops.cumulative import cumsum
from kael.ops.drawing import multinomial
from kael.ops.elementwise import where
from kael.ops.masking import masked_fill
from kael.ops.reduction import argmax
from kael.ops.scattering import gather, scatter
from kael.ops.sorting import sort, topk
from kael.tensors import Tensor

__all__ = ["AS_LIKELY", "Sampling", "next_tokens"]


class Sampling(NamedTuple):
    """How the next token is drawn; the limits apply in the order in which they stand here.

    Attributes
    ----------
    repetition : float
        Positive scores of tokens that the text has are divided by it, negative ones multiplied: above 1 they become
        less likely. Keskar et al., CTRL, 2019.
    no_repeat : int
        No run of so many tokens is written twice; 0 for no such limit.
    temperature : float
        Divides the scores: below 1 likely tokens become likelier, and 0 takes the likeliest, drawing nothing.
    top_k : int, optional
        Only the so many likeliest tokens are drawn from. Fan et al., Hierarchical Neural Story Generation, 2018.
    top_p : float
        Of these, only the fewest that together have at least this probability. Holtzman et al., The Curious Case of
        Neural Text Degeneration, 2020.
    """

    repetition: float = 1.0
    no_repeat: int = 0
    temperature: float = 1.0
    top_k: int | None = None
    top_p: float = 1.0


AS_LIKELY = Sampling()
"""Every token as often as the model finds it likely."""


def next_tokens(scores: Tensor, text: Tensor, sampling: Sampling, generator: Generator | None = None) -> Tensor:
    """One token for each text.

    Parameters
    ----------
    scores : Tensor of shape (B, vocabulary)
        Of each token to be the next.
    text : Tensor of shape (B, L)
        What stands before it.
    sampling : Sampling
        How it is drawn.
    generator : Generator, optional
        Where random numbers come from.

    Returns
    -------
    Tensor of shape (B, 1)

    Raises
    ------
    ValueError
        For a limit outside its range.

    Examples
    --------
    >>> import kael
    >>> scores, text = kael.tensor([[1.0, 3.0, 2.0]]), kael.tensor([[1]])
    >>> next_tokens(scores, text, Sampling(temperature=0))
    tensor([[1]])
    >>> next_tokens(scores, text, Sampling(temperature=0, repetition=2.0))
    tensor([[2]])
    """
    check(sampling)
    if sampling.repetition != 1:
        said = gather(scores, 1, text)
        penalty = sampling.repetition
        scores = scatter(scores, 1, text, where(said > 0, said / penalty, said * penalty))
    if sampling.no_repeat:
        scores = without_repeats(scores, text, sampling.no_repeat)
    if sampling.temperature == 0:
        return argmax(scores, 1, keepdim=True)
    scores = scores / sampling.temperature
    if sampling.top_k is not None and sampling.top_k < scores.shape[1]:
        scores = masked_fill(scores, scores < topk(scores, sampling.top_k, 1).values[:, -1:], -inf)
    chances = softmax(scores, 1)
    if sampling.top_p < 1:
        ordered, places = sort(chances, 1, descending=True)
        before = cumsum(ordered, 1) - ordered
        chances = scatter(chances, 1, places, masked_fill(ordered, before >= sampling.top_p, 0.0))
    return multinomial(chances, 1, generator=generator)


def without_repeats(scores: Tensor, text: Tensor, size: int) -> Tensor:
    """Scores in which no token ends a run of `size` tokens that the text has; as they were where none is left."""
    barred = scores.clone()
    for number, said in enumerate(text.tolist()):
        last = said[len(said) - size + 1 :]
        runs = [said[start : start + size] for start in range(len(said) - size + 1)]
        for token in {run[-1] for run in runs if run[:-1] == last}:
            barred[number, token] = -inf
        if (barred[number] == -inf).all():
            barred[number] = scores[number]
    return barred


def check(sampling: Sampling) -> None:
    """Refuse a limit outside its range."""
    faults = {
        "repetition": (sampling.repetition > 0, "above 0"),
        "no_repeat": (sampling.no_repeat >= 0, "0 or more"),
        "temperature": (0 <= sampling.temperature < inf, "0 or more"),
        "top_k": (sampling.top_k is None or sampling.top_k >= 1, "1 or more"),
        "top_p": (0 < sampling.top_p <= 1, "above 0 and at most 1"),
    }
    for name, (right, wanted) in faults.items():
        if not right:
            raise ValueError(f"sampling: {name} is {getattr(sampling, name)}; it must be {wanted}")
