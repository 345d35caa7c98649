"""Datasets and loaders: order, seeds, batches, digits."""

import sys

import pytest

import kael
from kael.data import DataLoader, Dataset, TensorDataset, load_digits


class Squares(Dataset):
    def __getitem__(self, index):
        return {"x": index, "y": (kael.tensor(float(index)), index * index)}

    def __len__(self):
        return 5


def dealt(loader) -> list[int]:
    return [value for (batch,) in loader for value in batch.tolist()]


def test_without_shuffle_the_order_is_kept():
    loader = DataLoader(TensorDataset(kael.arange(7)), batch_size=3)
    assert [batch.tolist() for (batch,) in loader] == [[0, 1, 2], [3, 4, 5], [6]]
    assert len(loader) == 3


def test_drop_last():
    loader = DataLoader(TensorDataset(kael.arange(7)), batch_size=3, drop_last=True)
    assert dealt(loader) == [0, 1, 2, 3, 4, 5] and len(loader) == 2


def test_each_pass_deals_every_sample_once_in_a_new_order():
    loader = DataLoader(TensorDataset(kael.arange(20)), batch_size=6, shuffle=True, generator=kael.Generator(0))
    first, second = dealt(loader), dealt(loader)
    assert sorted(first) == sorted(second) == list(range(20))
    assert first != second != list(range(20))


def test_the_generators_seed_decides_the_order():
    orders = []
    for _ in range(2):
        loader = DataLoader(TensorDataset(kael.arange(20)), shuffle=True, generator=kael.Generator(3))
        orders.append(dealt(loader))
    assert orders[0] == orders[1]


def test_without_generator_the_default_seed_decides():
    orders = []
    for _ in range(2):
        kael.manual_seed(1)
        orders.append(dealt(DataLoader(TensorDataset(kael.arange(20)), shuffle=True)))
    assert orders[0] == orders[1]


def test_any_dataset_is_collated():
    (first, *_) = DataLoader(Squares(), batch_size=2)
    assert first["x"].tolist() == [0, 1]
    assert [part.tolist() for part in first["y"]] == [[0.0, 1.0], [0, 1]]


def test_collate_fn_sees_the_samples():
    loader = DataLoader(Squares(), batch_size=4, collate_fn=lambda samples: [sample["x"] for sample in samples])
    assert list(loader) == [[0, 1, 2, 3], [4]]


def test_an_empty_dataset_gives_no_batch():
    assert list(DataLoader(TensorDataset(kael.zeros(0, 3)), batch_size=2, shuffle=True)) == []


def test_refused():
    with pytest.raises(ValueError, match="batch_size is 0; it must be 1 or more"):
        DataLoader(Squares(), batch_size=0)
    with pytest.raises(ValueError, match="the first axes have sizes 2, 3; they must be equal"):
        TensorDataset(kael.zeros(2), kael.zeros(3))
    with pytest.raises(ValueError, match="no tensor was given"):
        TensorDataset()


def test_digits_are_split_by_seed_into_scaled_images_and_labels():
    pytest.importorskip("sklearn")
    train, test = load_digits(seed=0)
    images, labels = train.tensors
    assert (len(train), len(test)) == (1438, 359)
    assert images.dtype is kael.float32 and labels.dtype is kael.int64
    assert (images.amin().item(), images.amax().item()) == (0.0, 1.0)
    assert sorted(set(labels.tolist())) == list(range(10))
    again, _ = load_digits(seed=0)
    other, _ = load_digits(seed=1)
    assert again.tensors[1].tolist() == labels.tolist() != other.tensors[1].tolist()


def test_no_digit_is_in_both_parts():
    pytest.importorskip("sklearn")
    train, test = load_digits(seed=0)
    both = [*train.tensors[0].tolist(), *test.tensors[0].tolist()]
    assert len({tuple(image) for image in both}) == len(both)


def test_a_fraction_that_leaves_one_side_empty_is_refused():
    pytest.importorskip("sklearn")
    with pytest.raises(ValueError, match="test_fraction 1.0 leaves one side empty"):
        load_digits(test_fraction=1.0)


def test_without_scikit_learn_the_command_is_named(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "sklearn"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(
        ImportError, match=r"the digits: sklearn is not installed; run `pip install '.\[train\]'` in the"
    ):
        load_digits()
