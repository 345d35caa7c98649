"""The transformer that predicts the next token, and writes text by predicting again and again."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import Any, NamedTuple

from kael.autograd import is_grad_enabled, no_grad
from kael.creation import arange, ones, zeros
from kael.dtypes import bool as bool_dtype
from kael.generators import Generator
from kael.models.cache import KeyValueCache
from kael.models.sampling import AS_LIKELY, Sampling, next_tokens
from kael.nn import Dropout, Embedding, LayerNorm, Linear, Module, Sequential, init
from kael.nn.functional import gelu, scaled_dot_product_attention
from kael.nn.rotary import rotate
from kael.ops.joining import cat
from kael.tensors import Tensor

__all__ = ["GPT", "Attention", "Block", "GPTConfig", "Perceptron"]

POSITIONS = ("learned", "rotary")


class GPTConfig(NamedTuple):
    """The sizes of a `GPT`.

    Attributes
    ----------
    vocabulary : int
        How many different tokens there are.
    context : int
        How many tokens the model sees at most.
    width : int
        Numbers for each token, between the blocks.
    layers : int
        Blocks.
    heads : int
        Attentions beside each other in a block; they divide the width.
    dropout : float
        The share of numbers that training sets to 0, after each part of a block.
    positions : {"learned", "rotary"}
        How the model knows where a token is: by a vector for each place, or by turning queries and keys.
    bias : bool
        Whether linear layers and normalizations have one.
    """

    vocabulary: int
    context: int = 64
    width: int = 96
    layers: int = 4
    heads: int = 4
    dropout: float = 0.0
    positions: str = "learned"
    bias: bool = True


class Attention(Module):
    """Causal attention of several heads: each token gathers from itself and those before it.

    Parameters
    ----------
    config : GPTConfig
        The sizes.
    """

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.rotary = config.positions == "rotary"
        self.dropout = config.dropout
        self.attend = Linear(config.width, 3 * config.width, bias=config.bias)
        self.project = Linear(config.width, config.width, bias=config.bias)

    def forward(self, x: Tensor, cache: KeyValueCache | None = None, layer: int = 0) -> Tensor:
        """From ``(B, L, width)`` to the same; with a cache, L tokens after those that it holds."""
        batch, length, width = x.shape
        q, k, v = [self.split(part) for part in self.attend(x).split(width, -1)]
        past = 0 if cache is None else cache.length
        if self.rotary:
            places = arange(past, past + length)
            q, k = rotate(q, places), rotate(k, places)
        mask = None
        if cache is not None:
            k, v = cache.extended(layer, k, v)
            if past:
                mask = ones(length, past + length, dtype=bool_dtype).tril(past)
        y = scaled_dot_product_attention(
            q, k, v, attn_mask=mask, dropout_p=self.dropout if self.training else 0.0, is_causal=mask is None
        )
        projected: Tensor = self.project(y.transpose(1, 2).reshape(batch, length, width))
        return projected

    def split(self, x: Tensor) -> Tensor:
        """The heads as an axis: ``(B, L, width)`` to ``(B, heads, L, width / heads)``."""
        batch, length, width = x.shape
        return x.reshape(batch, length, self.heads, width // self.heads).transpose(1, 2)


class Perceptron(Module):
    """Two linear layers with GELU between them, four times as wide inside; for each token alone.

    Parameters
    ----------
    config : GPTConfig
        The sizes.
    """

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.widen = Linear(config.width, 4 * config.width, bias=config.bias)
        self.project = Linear(4 * config.width, config.width, bias=config.bias)

    def forward(self, x: Tensor) -> Tensor:
        """From ``(*, width)`` to the same."""
        y: Tensor = self.project(gelu(self.widen(x)))
        return y


class Block(Module):
    """Attention, then a perceptron; each is given what is normalized, and adds to what is not.

    Parameters
    ----------
    config : GPTConfig
        The sizes.
    """

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.first_norm = LayerNorm(config.width, bias=config.bias)
        self.attention = Attention(config)
        self.second_norm = LayerNorm(config.width, bias=config.bias)
        self.perceptron = Perceptron(config)
        self.dropout = Dropout(config.dropout)

    def forward(self, x: Tensor, cache: KeyValueCache | None = None, layer: int = 0) -> Tensor:
        """From ``(B, L, width)`` to the same."""
        x = x + self.dropout(self.attention(self.first_norm(x), cache, layer))
        y: Tensor = x + self.dropout(self.perceptron(self.second_norm(x)))
        return y


class GPT(Module):
    """Scores for the next token at every place of a text; shape ``(B, L)`` of tokens to ``(B, L, vocabulary)``.

    Blocks with normalization first, after an embedding whose table is also the last layer's weight.

    Parameters
    ----------
    config : GPTConfig
        The sizes; or its fields by name.

    Raises
    ------
    ValueError
        When the heads do not divide the width, rotary positions meet heads of odd size, or a size is below 1.

    Notes
    -----
    Weights start normal with standard deviation 0.02, those that add to the running sum with ``0.02 / sqrt(2 layers)``,
    so that the sum does not grow with depth. Radford et al., Language Models are Unsupervised Multitask Learners, 2019.
    Rotary positions: Su et al., RoFormer, 2021.

    Examples
    --------
    >>> import kael
    >>> from kael.models import GPT
    >>> model = GPT(vocabulary=10, context=8, width=16, layers=1, heads=2)
    >>> model(kael.zeros(1, 5, dtype=kael.int64)).shape
    (1, 5, 10)
    """

    def __init__(self, config: GPTConfig | None = None, **sizes: Any) -> None:
        super().__init__()
        config = GPTConfig(**sizes) if config is None else config._replace(**sizes)
        check(config)
        self.config = config
        self.tokens = Embedding(config.vocabulary, config.width)
        if config.positions == "learned":
            self.places = Embedding(config.context, config.width)
        self.dropout = Dropout(config.dropout)
        self.blocks = Sequential(*(Block(config) for _ in range(config.layers)))
        self.norm = LayerNorm(config.width, bias=config.bias)
        self.head = Linear(config.width, config.vocabulary, bias=False)
        self.head.weight = self.tokens.weight
        for name, parameter in self.named_parameters():
            if name.endswith("project.weight"):
                init.normal_(parameter, 0.0, 0.02 / sqrt(2 * config.layers))
            elif name.endswith("weight") and "norm" not in name:
                init.normal_(parameter, 0.0, 0.02)
            elif name.endswith("bias"):
                init.zeros_(parameter)

    def forward(self, tokens: Tensor, cache: KeyValueCache | None = None) -> Tensor:
        """Scores for what follows each token.

        Parameters
        ----------
        tokens : Tensor of shape (B, L)
            Numbers of tokens; with a cache, those after the ones that it holds.
        cache : KeyValueCache, optional
            Takes the keys and values of these tokens too.

        Raises
        ------
        ValueError
            For more tokens than the context holds.
        RuntimeError
            For a cache while gradients are recorded.
        """
        if cache is not None and is_grad_enabled():
            raise RuntimeError("GPT: a cache has no history to go back through; call the model in kael.no_grad()")
        past, length = 0 if cache is None else cache.length, tokens.shape[-1]
        if past + length > self.config.context:
            raise ValueError(
                f"GPT: {past + length} tokens, but the context holds {self.config.context}; give the last ones"
            )
        x = self.tokens(tokens)
        if self.config.positions == "learned":
            x = x + self.places.weight[past : past + length]
        x = self.dropout(x)
        for layer, block in enumerate(self.blocks):
            x = block(x, cache, layer)
        if cache is not None:
            cache.length += length
        scores: Tensor = self.head(self.norm(x))
        return scores

    def new_cache(self, batch: int) -> KeyValueCache:
        """An empty cache for so many texts."""
        config = self.config
        shape = (batch, config.heads, config.context, config.width // config.heads)
        return KeyValueCache(config.layers, shape, self.tokens.weight.dtype)

    def generate(
        self, tokens: Tensor, count: int, *, sampling: Sampling = AS_LIKELY, stop: int | None = None,
        generator: Generator | None = None, cached: bool = True,
    ) -> Tensor:  # fmt: skip
        """The tokens, and after them those that the model writes.

        Parameters
        ----------
        tokens : Tensor of shape (B, L)
            How each text begins; at least one token.
        count : int
            How many are written, at most.
        sampling, stop, generator, cached
            As `stream`.

        Returns
        -------
        Tensor of shape (B, L + written)

        Examples
        --------
        >>> import kael
        >>> _ = kael.manual_seed(0)
        >>> model = kael.models.GPT(vocabulary=5, context=4, width=8, layers=1, heads=1)
        >>> model.generate(kael.tensor([[1]]), 3, sampling=kael.models.Sampling(temperature=0)).shape
        (1, 4)
        """
        return cat([tokens, *self.stream(tokens, count, sampling=sampling, stop=stop, generator=generator,
                                         cached=cached)], 1)  # fmt: skip

    def stream(
        self, tokens: Tensor, count: int, *, sampling: Sampling = AS_LIKELY, stop: int | None = None,
        generator: Generator | None = None, cached: bool = True,
    ) -> Iterator[Tensor]:  # fmt: skip
        """The tokens that the model writes, one after the other, each of shape (B, 1).

        Parameters
        ----------
        tokens : Tensor of shape (B, L)
            How each text begins; at least one token.
        count : int
            How many are written, at most.
        sampling : Sampling
            How the next token is drawn from the scores.
        stop : int, optional
            A token after which all is said: nothing follows when every text has written it.
        generator : Generator, optional
            Where random numbers come from; the default generator when left out.
        cached : bool
            Keep the keys and values of what was read, so that a token costs what one token costs. False reads all of
            the text again for each; what is written is the same but for rounding.

        Raises
        ------
        ValueError
            When there is no token to begin with.

        Notes
        -----
        A text that outgrows the context is read on from its last half: at most `context` tokens are seen, at least half
        as many.
        """
        if tokens.ndim != 2 or tokens.shape[1] == 0:
            raise ValueError(
                f"GPT: tokens are {tuple(tokens.shape)}; give (texts, length) with at least one token each"
            )
        training = self.training
        self.eval()
        try:
            text = tokens
            cache, begin = None, 0
            ended = zeros(tokens.shape[0], 1, dtype=bool_dtype)
            for _ in range(count):
                with no_grad():
                    start = window(text.shape[1], self.config.context)
                    if cache is None or start != begin or not cached:
                        cache, begin = self.new_cache(tokens.shape[0]), start
                    scores = self(text[:, begin + cache.length :], cache)[:, -1]
                    token = next_tokens(scores, text, sampling, generator)
                yield token
                text = cat([text, token], 1)
                if stop is not None:
                    ended = ended | (token == stop)
                    if ended.all():
                        return
        finally:
            self.train(training)


def window(length: int, context: int) -> int:
    """Where the part of a text begins that the model sees: it moves by half a context when the text outgrows it.

    Examples
    --------
    >>> [window(length, 4) for length in (1, 4, 5, 6, 7, 8, 9)]
    [0, 0, 2, 2, 4, 4, 6]
    """
    step = max(context // 2, 1)
    return max(0, -(-(length - context) // step)) * step


def check(config: GPTConfig) -> None:
    """Refuse sizes that do not fit."""
    for name in ("vocabulary", "context", "width", "layers", "heads"):
        if getattr(config, name) < 1:
            raise ValueError(f"GPT: {name} is {getattr(config, name)}; it must be 1 or more")
    if config.width % config.heads:
        raise ValueError(f"GPT: the width {config.width} cannot be divided among {config.heads} heads")
    if config.positions not in POSITIONS:
        raise ValueError(f"GPT: positions are {config.positions!r}; choose {' or '.join(POSITIONS)}")
    if config.positions == "rotary" and config.width // config.heads % 2:
        raise ValueError(
            f"GPT: heads are {config.width // config.heads} wide, and rotary positions turn pairs; choose an even size"
        )
