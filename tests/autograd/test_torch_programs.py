"""Programs about leaves, backward, hooks, modes, functions and Python's protocols, in kael and in PyTorch."""

from pathlib import Path

import pytest

import kael
from tests.programs import in_kaels_words, read, shown

PROGRAMS = read(Path(__file__).with_name("programs.txt"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_libraries_show_the_same(name):
    torch = pytest.importorskip("torch")
    ours, theirs = shown(PROGRAMS[name], kael), shown(PROGRAMS[name], torch)
    assert ours[0] == in_kaels_words(theirs[0]), (ours, theirs)


def test_there_are_many_programs():
    assert len(PROGRAMS) > 180
