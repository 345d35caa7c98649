"""``kael train mnist`` on a small data set in MNIST's files."""

import re
import struct

import numpy as np
import pytest

from kael import cli, kernels

pytest.importorskip("safetensors", reason="needs the extra [train]")
pytestmark = pytest.mark.skipif(
    kernels.rung_of(kernels.chapter("ch25_convolution")) == "python", reason="takes minutes on plain loops"
)


@pytest.fixture
def folder(tmp_path):
    """Images in which the place of a bright square is the digit."""
    drawn = np.random.default_rng(0)
    for part, count in (("train", 320), ("t10k", 100)):
        digits = drawn.integers(0, 10, count).astype(np.uint8)
        images = drawn.integers(0, 60, (count, 28, 28)).astype(np.uint8)
        for image, digit in zip(images, digits, strict=True):
            row, column = divmod(int(digit), 4)
            image[1 + 9 * row : 7 + 9 * row, 1 + 7 * column : 6 + 7 * column] = 255
        (tmp_path / f"{part}-images-idx3-ubyte").write_bytes(
            struct.pack(">iiii", 0x803, count, 28, 28) + images.tobytes()
        )
        (tmp_path / f"{part}-labels-idx1-ubyte").write_bytes(struct.pack(">ii", 0x801, count) + digits.tobytes())
    return tmp_path


def run(*arguments):
    return cli.main(["train", "mnist", *map(str, arguments)])


def test_it_learns_resumes_and_says_how_good_it_is(folder, capsys):
    path = folder / "mnist.safetensors"
    shared = (folder, "--batch-size", 32, "--lr", 0.003, "--checkpoint", path, "--plain", "--threads", 1)
    assert run(*shared, "--epochs", 1) == 0
    assert "320 training and 100 test images, seed 0" in capsys.readouterr().out
    assert run(*shared, "--epochs", 4, "--resume") == 0
    shown = capsys.readouterr().out
    assert re.search(r"^step    20 loss \d\.\d{4} error \d\.\d{4}", shown, re.MULTILINE)
    assert float(re.search(r"test accuracy (\S+);", shown)[1]) > 0.95


def test_a_missing_file_and_too_few_images_are_refused(folder, capsys):
    assert run(folder, "--batch-size", 500, "--checkpoint", folder / "c") == 1
    assert "320 images are fewer than a batch of 500; choose a smaller --batch-size" in capsys.readouterr().err
    (folder / "t10k-labels-idx1-ubyte").unlink()
    assert run(folder, "--checkpoint", folder / "c") == 1
    assert "t10k-labels" in capsys.readouterr().err
