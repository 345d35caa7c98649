"""Programs as readers have them, run with kael under PyTorch's name."""

from pathlib import Path

import pytest

from tests.snippets.running import PROGRAMS, alike, printed

EACH = pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
EXPECTED = Path(__file__).with_name("expected")


@EACH
def test_prints_what_it_prints_with_pytorch(path):
    ours = printed(path, "kael")
    expected = (EXPECTED / f"{path.stem}.txt").read_text(encoding="utf-8")
    assert alike(ours, expected), f"{ours}\nwith PyTorch:\n{expected}"


@EACH
def test_the_expectation_is_pytorchs(path):
    pytest.importorskip("torch")
    assert alike(printed(path, "torch"), (EXPECTED / f"{path.stem}.txt").read_text(encoding="utf-8"))


def test_there_are_more_than_ten():
    assert len(PROGRAMS) > 10
    assert {path.stem for path in EXPECTED.glob("*.txt")} == {path.stem for path in PROGRAMS}


def test_another_number_or_word_is_a_difference():
    assert alike("loss 0.1234", "loss 0.1235")
    assert not alike("loss 0.1234", "loss 0.2235")
    assert not alike("loss 1", "gain 1")
