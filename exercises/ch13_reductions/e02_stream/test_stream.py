"""Streams at any height, rising and falling, with empty pieces, infinities and nan."""

import math
from itertools import chain

import pytest

from kael.testing import assert_equal, assert_tensor, traced

INF, NAN = math.inf, math.nan


def exact(scores):
    """Logsumexp of finite scores, all at hand."""
    top = max(scores)
    return top + math.log(math.fsum(math.exp(x - top) for x in scores))


def told(function, pieces):
    """What comes back, or the name of the error."""
    try:
        return function(iter(pieces))
    except (OverflowError, ValueError, ZeroDivisionError, IndexError) as error:
        return type(error).__name__


@pytest.fixture
def drawn(numbers):
    """Pieces of random scores around 0."""
    return [numbers.normal(size=count).tolist() for count in (3, 5, 2, 7)]


def moved(pieces, heights):
    """Every piece raised to a height of its own."""
    return [[x + height for x in piece] for piece, height in zip(pieces, heights, strict=True)]


def test_small_scores(answer, drawn, because):
    apart = [exact(piece) for piece in drawn]
    reason = because("stream_logsumexp of four pieces around 0", sum_of_logs=sum(apart), last_piece=apart[-1])
    assert_tensor(told(answer.stream_logsumexp, drawn), exact([*chain(*drawn)]), because=reason)


def test_high_and_low_scores(answer, drawn, because):
    for height in (1000.0, -1000.0):
        pieces = moved(drawn, [height] * 4)
        reason = because(f"stream_logsumexp of four pieces around {height:g}", "no_shift")
        assert_tensor(told(answer.stream_logsumexp, pieces), exact([*chain(*pieces)]), because=reason)


def test_a_larger_piece_comes_later(answer, drawn, because):
    pieces = moved(drawn, [0.0, 1.0, 2.0, 3.0])
    total, top = 0.0, -INF
    for piece in pieces:
        top = max(top, *piece)
        total += math.fsum(math.exp(x - top) for x in piece)
    up, top = 0.0, max(pieces[0])
    for piece in pieces:
        up, top = up * math.exp(max(0.0, max(piece) - top)), max(top, *piece)
        up += math.fsum(math.exp(x - top) for x in piece)
    reason = because(
        "stream_logsumexp of four pieces, each higher than the one before",
        not_rescaled=top + math.log(total), wrong_way=top + math.log(up), last_piece=exact(pieces[-1]),
    )  # fmt: skip
    assert_tensor(told(answer.stream_logsumexp, pieces), exact([*chain(*pieces)]), because=reason)


def test_steps_of_a_thousand(answer, drawn, because):
    for heights in ([0.0, 1000.0, 2000.0, 3000.0], [3000.0, 0.0, -3000.0, 1000.0]):
        pieces = moved(drawn, heights)
        reason = because(f"stream_logsumexp of pieces around {heights}", "first_peak")
        assert_tensor(told(answer.stream_logsumexp, pieces), exact([*chain(*pieces)]), because=reason)


def test_empty_pieces(answer, drawn, because):
    pieces = [[], drawn[0], [], drawn[1], []]
    reason = because("stream_logsumexp of pieces with empty ones among them", "empty_piece")
    assert_tensor(told(answer.stream_logsumexp, pieces), exact(drawn[0] + drawn[1]), because=reason)


def test_no_scores(answer, because):
    for pieces in ([], [[]], [[], []]):
        got = str(told(answer.stream_logsumexp, pieces))
        assert_equal(got, "-inf", because=because(f"stream_logsumexp of the pieces {pieces}", "empty_stream"))


def test_infinities_and_nan(answer, because):
    for pieces, expected, key in [
        ([[-INF, -INF], [-INF]], "-inf", "inf_minus_inf"),
        ([[-INF, 2.0], [-INF]], "2.0", "inf_minus_inf"),
        ([[1.0, INF], [2.0, INF]], "inf", "plus_inf"),
        ([[INF], [-INF, 1.0]], "inf", "plus_inf"),
        ([[NAN, 1.0], [2.0]], "nan", "nan_lost"),
        ([[1.0], [3.0, NAN, 2.0]], "nan", "nan_lost"),
        ([[INF], [NAN]], "nan", "nan_lost"),
        ([[NAN], [INF]], "nan", "nan_lost"),
    ]:
        got = str(told(answer.stream_logsumexp, pieces))
        assert_equal(got, expected, because=because(f"stream_logsumexp of the pieces {pieces}", key))


def test_nothing_is_kept(answer, because):
    def long_stream():
        for number in range(800):
            yield [float(number)] * 100

    with traced() as memory:
        answer.stream_logsumexp(long_stream())
    got = "little memory" if memory.most < 100_000 else f"{memory.most:,} bytes"
    reason = because("stream_logsumexp of 800 pieces of 100 scores: how much memory?", "keeps_scores")
    assert_equal(got, "little memory", because=reason)
