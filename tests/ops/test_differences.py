"""Each deliberate difference from PyTorch, run in both libraries."""

import pytest

import kael
from tests.ops.differences import DIFFERENCES

ROWS = pytest.mark.parametrize("row", DIFFERENCES, ids=lambda row: row.about)


@ROWS
def test_kael_does_what_the_row_says(row):
    assert row.shown(kael) == row.kael


@ROWS
def test_pytorch_does_what_the_row_says(row):
    torch = pytest.importorskip("torch")
    assert row.shown(torch) == row.torch


def test_every_row_is_a_difference():
    assert all(row.kael != row.torch for row in DIFFERENCES)
