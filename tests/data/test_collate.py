"""Samples become batches as in PyTorch, and those that do not agree are refused."""

from typing import Any, NamedTuple

import numpy as np
import pytest

import kael
from kael.data import default_collate


class Point(NamedTuple):
    x: float
    y: int


SAMPLES = {
    "integers": [1, 2, 3],
    "floats": [0.5, 1.5],
    "bools": [True, False],
    "strings": ["a", "b"],
    "bytes": [b"a", b"b"],
    "arrays": [np.arange(3, dtype=np.float32), np.ones(3, np.float32)],
    "NumPy's numbers": [np.float32(1.0), np.float32(2.0)],
    "NumPy's integers": [np.int64(1), np.int64(2)],
    "tuples": [(1, 0.5), (2, 1.5)],
    "lists": [[1, 0.5], [2, 1.5]],
    "dicts": [{"x": 1, "y": "a"}, {"x": 2, "y": "b"}],
    "a nest": [{"x": (1, [np.zeros(2)])}, {"x": (2, [np.ones(2)])}],
    "named tuples": [Point(0.5, 1), Point(1.5, 2)],
}


def plain(batch: Any) -> Any:
    """A batch with the type and dtype of each part as text, the same under both libraries."""
    if isinstance(batch, dict):
        return {key: plain(part) for key, part in batch.items()}
    if isinstance(batch, (tuple, list)):
        # PyTorch makes lists of plain tuples, and keeps those with names.
        return type(batch).__name__ if hasattr(batch, "_fields") else "", [plain(part) for part in batch]
    if hasattr(batch, "tolist"):
        return str(batch.dtype).partition(".")[2], batch.tolist()
    return batch


@pytest.mark.parametrize("kind", SAMPLES)
def test_batches_are_pytorchs(kind):
    data = pytest.importorskip("torch.utils.data")
    assert plain(default_collate(SAMPLES[kind])) == plain(data.default_collate(SAMPLES[kind]))


def test_tensors_are_stacked():
    assert default_collate([kael.zeros(2), kael.ones(2)]).tolist() == [[0, 0], [1, 1]]


@pytest.mark.parametrize(
    ("samples", "error", "text"),
    [
        ([None, None], TypeError, "samples are NoneType; .* pass collate_fn for others"),
        ([1, "a"], TypeError, "sample 0 is int but sample 1 is str"),
        ([], ValueError, "there is no sample"),
        ([kael.zeros(2), kael.zeros(3)], ValueError, r"sample 0 has shape \(2,\) but sample 1 has shape \(3,\)"),
        ([np.zeros(2), np.zeros(3)], ValueError, r"sample 0 has shape \(2,\) but sample 1 has shape \(3,\)"),
        ([(1, 2), (1,)], ValueError, "sample 0 has length 2 but sample 1 has length 1"),
        ([{"a": 1}, {"b": 1}], ValueError, r"sample 0 has keys \['a'\] but sample 1 has keys \['b'\]"),
    ],
)
def test_samples_that_do_not_agree_are_refused(samples, error, text):
    with pytest.raises(error, match=text):
        default_collate(samples)
