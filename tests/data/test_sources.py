"""Irises, spirals, moons, and MNIST's files, whole and damaged."""

import gzip
import struct
import sys

import numpy as np
import pytest

import kael
from kael.data import load_iris, load_mnist, moons, read_idx, spirals

CODES = {"u1": 8, "i1": 9, "i2": 11, "i4": 12, "f4": 13, "f8": 14}


def idx(array: np.ndarray) -> bytes:
    """An array as the bytes of an IDX file."""
    sizes = struct.pack(f">{array.ndim}I", *array.shape)
    head = bytes([0, 0, CODES[array.dtype.str[1:]], array.ndim])
    return head + sizes + array.astype(array.dtype.newbyteorder(">")).tobytes()


def images(count: int) -> np.ndarray:
    return np.random.default_rng(count).integers(0, 256, (count, 5, 4), np.uint8)


def labels(count: int) -> np.ndarray:
    return (np.arange(count) % 10).astype(np.uint8)


@pytest.fixture
def folder(tmp_path):
    """A small MNIST: the training part packed, the test part plain under the other kind of names."""
    (tmp_path / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(idx(images(12))))
    (tmp_path / "train-labels-idx1-ubyte.gz").write_bytes(gzip.compress(idx(labels(12))))
    (tmp_path / "t10k-images.idx3-ubyte").write_bytes(idx(images(3)))
    (tmp_path / "t10k-labels.idx1-ubyte").write_bytes(idx(labels(3)))
    return tmp_path


class TestMnist:
    def test_packed_and_plain_files_are_read(self, folder):
        train, test = load_mnist(folder)
        for part, count in ((train, 12), (test, 3)):
            pixels, classes = part.tensors
            assert tuple(pixels.shape) == (count, 1, 5, 4) and pixels.dtype is kael.float32
            np.testing.assert_array_equal(pixels.numpy()[:, 0], images(count).astype(np.float32) / 255)
            assert classes.tolist() == labels(count).tolist() and classes.dtype is kael.int64

    def test_a_folder_may_be_text(self, folder):
        assert len(load_mnist(str(folder))[0]) == 12

    def test_what_is_not_there_is_named(self, folder):
        with pytest.raises(FileNotFoundError, match="nowhere is no folder"):
            load_mnist(folder / "nowhere")
        (folder / "t10k-labels.idx1-ubyte").unlink()
        with pytest.raises(FileNotFoundError, match=r"has none of t10k-labels-idx1-ubyte, t10k-labels-idx1-ubyte.gz, "):
            load_mnist(folder)

    def test_images_and_labels_must_agree(self, folder):
        (folder / "t10k-labels.idx1-ubyte").write_bytes(idx(labels(4)))
        with pytest.raises(ValueError, match=r"holds 3 images but .*t10k-labels.idx1-ubyte holds 4 labels"):
            load_mnist(folder)

    def test_images_in_the_place_of_labels_are_refused(self, folder):
        (folder / "t10k-labels.idx1-ubyte").write_bytes(idx(images(3)))
        with pytest.raises(ValueError, match=r"holds uint8 of shape \(3, 5, 4\); expected uint8 with 1 axis"):
            load_mnist(folder)

    @pytest.mark.parametrize("packed", [False, True])
    def test_every_truncation_is_refused(self, tmp_path, packed):
        whole = idx(images(2))
        whole = gzip.compress(whole) if packed else whole
        path = tmp_path / "images"
        for length in range(len(whole)):
            path.write_bytes(whole[:length])
            with pytest.raises(ValueError, match="truncated|no IDX file"):
                read_idx(path)
        path.write_bytes(whole)
        assert read_idx(path).tolist() == images(2).tolist()

    @pytest.mark.parametrize(
        ("content", "text"),
        [
            (b"\x89PNG\r\n\x1a\n", "is no IDX file: it begins with 89 50 4e 47"),
            (b"", "it begins with nothing"),
            (b"\0\0\x07\x01\0\0\0\0", "it begins with 00 00 07 01"),
            (idx(labels(3)) + b"x", "is longer than it says"),
            (b"\0\0\x08\x03" + b"\xff" * 12, "is truncated: shape .* takes 79228162458924105385300197375 bytes"),
            (b"\x1f\x8b" + b"junk" * 9, "damaged gzip file"),
            (gzip.compress(idx(labels(9)))[:-12] + b"abcdefghijkl", "damaged gzip file|no IDX file|truncated"),
        ],
    )
    def test_foreign_files_are_refused(self, tmp_path, content, text):
        path = tmp_path / "labels"
        path.write_bytes(content)
        with pytest.raises(ValueError, match=text):
            read_idx(path)

    @pytest.mark.parametrize("kind", CODES)
    def test_all_kinds_of_numbers(self, tmp_path, kind):
        numbers = (np.arange(6).reshape(2, 3) * 20).astype(kind)
        (tmp_path / "numbers").write_bytes(idx(numbers))
        found = read_idx(tmp_path / "numbers")
        assert found.tolist() == numbers.tolist() and found.numpy().dtype == numbers.dtype


class TestIris:
    def test_it_is_scikit_learns(self):
        datasets = pytest.importorskip("sklearn.datasets")
        train, test = load_iris(seed=1, test_fraction=0.3)
        assert (len(train), len(test)) == (105, 45)
        rows = sorted(zip(*[train.tensors[k].tolist() + test.tensors[k].tolist() for k in (0, 1)], strict=True))
        theirs = datasets.load_iris()
        expected = zip(theirs.data.astype(np.float32).tolist(), theirs.target.tolist(), strict=True)
        assert rows == sorted(expected)

    def test_a_fraction_that_leaves_one_side_empty_is_refused(self):
        pytest.importorskip("sklearn")
        with pytest.raises(ValueError, match=r"load_iris: test_fraction 0.0 leaves one side empty"):
            load_iris(test_fraction=0.0)

    def test_without_scikit_learn_the_command_is_named(self, monkeypatch):
        for name in [name for name in sys.modules if name.partition(".")[0] == "sklearn"]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "sklearn", None)
        with pytest.raises(ImportError, match=r"the irises: sklearn is not installed; run `pip install"):
            load_iris()


class TestGenerated:
    @pytest.mark.parametrize("make", [spirals, moons])
    def test_the_seed_decides(self, make):
        points = [make(50, seed=seed).tensors[0].tolist() for seed in (0, 0, 1)]
        assert points[0] == points[1] != points[2]

    @pytest.mark.parametrize("samples", [1, 2, 100, 101])
    def test_moons_are_scikit_learns(self, samples):
        datasets = pytest.importorskip("sklearn.datasets")
        points, kinds = moons(samples, noise=0.0).tensors
        theirs, classes = datasets.make_moons(samples, shuffle=False)
        np.testing.assert_allclose(points.numpy(), theirs, atol=1e-6)
        assert kinds.tolist() == classes.tolist()

    @pytest.mark.parametrize("classes", [1, 2, 3, 5])
    def test_spirals_are_alike_but_for_a_turn(self, classes):
        points, kinds = spirals(40 * classes, classes, noise=0.0).tensors
        plane = points.numpy()[:, 0] + 1j * points.numpy()[:, 1]
        first = plane[kinds.numpy() == 0]
        for kind in range(classes):
            turned = plane[kinds.numpy() == kind] * np.exp(-2j * np.pi * kind / classes)
            np.testing.assert_allclose(turned, first, atol=1e-6)
        assert np.abs(first).max() == 1.0

    def test_noise_has_the_spread_that_it_says(self):
        far = moons(20000, noise=0.3).tensors[0] - moons(20000, noise=0.0).tensors[0]
        assert far.numpy().std() == pytest.approx(0.3, rel=0.02)

    def test_refused(self):
        with pytest.raises(ValueError, match="moons: noise is -0.1"):
            moons(noise=-0.1)
        with pytest.raises(ValueError, match="spirals: noise is nan"):
            spirals(noise=float("nan"))
        with pytest.raises(ValueError, match="spirals: classes is 0"):
            spirals(classes=0)
        with pytest.raises(ValueError, match="moons: samples is 0"):
            moons(0)
