"""A build with KAEL_DEBUG=1 checks indices: shown by a read out of range, before anything else is trusted to it."""

from __future__ import annotations

import os

import numpy as np
import pytest

from tests.kernels.rungs import load_rungs

TWINS = {name: module for name, module in load_rungs("ch12_elementwise").items() if name.startswith("cython")}


@pytest.mark.skipif(os.environ.get("KAEL_DEBUG") != "1", reason="built and run with KAEL_DEBUG=1 only")
def test_a_read_out_of_range_raises_in_every_twin() -> None:
    assert TWINS
    for twin in TWINS.values():
        beyond = np.arange(4.0)[:3]
        assert twin.checked_read(beyond, 2) == 2.0
        with pytest.raises(IndexError, match="Out of bounds"):
            twin.checked_read(beyond, 3)
