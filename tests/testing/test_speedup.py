"""`speedup` compares times: it ends when the quotient is reached, and soon where it is out of reach."""

import time

import pytest

from kael.testing import speedup


def rest() -> None:
    time.sleep(0.002)


class Counted:
    """A call that counts how often it was made."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.calls = 0

    def __call__(self) -> None:
        self.calls += 1
        time.sleep(self.seconds)


def test_the_quotient_is_that_of_the_best_times() -> None:
    waits = iter([0.05, 0.004, 0.05, 0.05, 0.05] + [0.05] * 20)
    ratio = speedup(lambda: time.sleep(next(waits)), lambda: time.sleep(0.001), enough=2)
    assert 1 < ratio < 10


def test_it_ends_once_the_quotient_is_reached() -> None:
    answer = Counted(0.0)
    assert speedup(rest, answer, enough=2) >= 2
    assert answer.calls == 5


def test_it_tries_longer_while_the_quotient_is_not_reached() -> None:
    answer = Counted(0.002)
    speedup(rest, answer, enough=10)
    assert answer.calls == 25


def test_it_ends_soon_where_the_quotient_is_out_of_reach() -> None:
    answer, long_one = Counted(0.02), Counted(0.3)
    assert speedup(lambda: None, answer, enough=10) < 1
    assert speedup(lambda: None, long_one, enough=10) < 1
    assert (answer.calls, long_one.calls) == (5, 1)


def test_it_ends_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = Counted(0.002)
    monkeypatch.setattr("kael.testing.times.PATIENCE", 0.0)
    assert speedup(rest, answer, enough=10) < 10
    assert answer.calls == 1
