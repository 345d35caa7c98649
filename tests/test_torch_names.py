"""What kael has of PyTorch's names is counted, and what it has not raises with its name."""

import pytest

import kael
from tests.torch_names import compared, found


@pytest.fixture(scope="module")
def table():
    return compared(pytest.importorskip("torch"))


def test_names_of_every_place_are_counted(table):
    assert len(table["torch"][0]) > 200
    assert len(table["nn.functional"][0]) > 40
    assert len(table["Tensor"][0]) > 250
    assert all(has for has, _ in table.values())


def test_a_missing_name_raises_an_attribute_error_that_has_it(table):
    for place, (_, lacks) in table.items():
        owner = found(kael, "" if place == "torch" else place)
        for name in lacks:
            with pytest.raises(AttributeError, match=name):
                getattr(owner, name)
