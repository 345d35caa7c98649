"""How the next token is drawn: each limit alone, on scores that one can follow."""

from collections import Counter

import pytest

import kael
from kael.models import Sampling, next_tokens

LIKELY = kael.tensor([0.5, 0.3, 0.15, 0.05])


def drawn(sampling, scores=None, text=(0,), count=4000):
    """How often each token is drawn."""
    scores = LIKELY.log() if scores is None else scores
    many = next_tokens(
        scores.unsqueeze(0).expand(count, -1), kael.tensor([list(text)] * count), sampling, kael.Generator(0)
    )
    return Counter(many.flatten().tolist())


def shares(sampling, **options):
    found = drawn(sampling, **options)
    return [found[token] / sum(found.values()) for token in range(4)]


def test_tokens_are_drawn_as_often_as_they_are_likely():
    assert shares(Sampling()) == pytest.approx(LIKELY.tolist(), abs=0.03)


def test_a_temperature_of_one_half_squares_the_chances():
    squared = LIKELY * LIKELY
    assert shares(Sampling(temperature=0.5)) == pytest.approx((squared / squared.sum()).tolist(), abs=0.03)


def test_a_temperature_of_zero_takes_the_likeliest_and_draws_nothing():
    generator = kael.Generator(3)
    state = generator.get_state()
    token = next_tokens(LIKELY.log().unsqueeze(0), kael.tensor([[0]]), Sampling(temperature=0), generator)
    assert token.tolist() == [[0]]
    assert generator.get_state().tolist() == state.tolist()


def test_top_k_leaves_the_likeliest():
    assert shares(Sampling(top_k=2)) == pytest.approx([0.625, 0.375, 0, 0], abs=0.03)
    assert set(drawn(Sampling(top_k=9))) == {0, 1, 2, 3}


def test_top_p_leaves_the_fewest_that_reach_it():
    assert set(drawn(Sampling(top_p=0.7))) == {0, 1}
    assert set(drawn(Sampling(top_p=0.85))) == {0, 1, 2}
    assert set(drawn(Sampling(top_p=1e-9))) == {0}


def test_top_p_counts_among_those_that_top_k_leaves():
    assert set(drawn(Sampling(top_k=2, top_p=0.6))) == {0}


def test_what_was_said_becomes_less_likely():
    scores = kael.tensor([2.0, 1.5, -1.0, -1.2])
    assert drawn(Sampling(temperature=0, repetition=2.0), scores, (0, 0)) == {1: 4000}
    scores = kael.tensor([-9.0, -9.0, -1.0, -1.2])
    assert drawn(Sampling(temperature=0, repetition=2.0), scores, (2,)) == {3: 4000}


def test_no_run_is_written_twice():
    assert set(drawn(Sampling(no_repeat=2), text=(1, 0, 2, 1))) == {1, 2, 3}
    assert set(drawn(Sampling(no_repeat=3), text=(1, 0, 2, 1))) == {0, 1, 2, 3}
    assert set(drawn(Sampling(no_repeat=1), text=(1, 0, 2))) == {3}


def test_where_every_token_would_repeat_nothing_is_barred():
    assert set(drawn(Sampling(no_repeat=1), text=(0, 1, 2, 3))) == {0, 1, 2, 3}


def test_each_text_has_limits_of_its_own():
    scores = LIKELY.log().unsqueeze(0).expand(2, -1)
    tokens = next_tokens(scores, kael.tensor([[0, 1], [1, 0]]), Sampling(temperature=0, no_repeat=1))
    assert tokens.tolist() == [[2], [2]]
    tokens = next_tokens(scores, kael.tensor([[0, 2], [1, 3]]), Sampling(temperature=0, no_repeat=1))
    assert tokens.tolist() == [[1], [0]]


@pytest.mark.parametrize(
    ("name", "value"),
    [("temperature", -1.0), ("temperature", float("nan")), ("top_k", 0), ("top_p", 0.0), ("top_p", 1.1),
     ("repetition", 0.0), ("no_repeat", -1)],
)  # fmt: skip
def test_a_limit_outside_its_range_is_refused(name, value):
    with pytest.raises(ValueError, match=f"sampling: {name} is {value}; it must be"):
        drawn(Sampling(**{name: value}))
