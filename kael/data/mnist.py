"""MNIST and its kind: images and labels in IDX files, plain or gzip, from a folder that the user names."""

from __future__ import annotations

import gzip
import zlib
from math import prod
from pathlib import Path
from typing import Any

import numpy

from kael.creation import tensor
from kael.data.dataset import TensorDataset
from kael.dtypes import float32, int64
from kael.tensors import Tensor

__all__ = ["load_mnist", "read_idx"]

KINDS = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
"""What the third byte of a file says of its numbers."""

GZIP = b"\x1f\x8b"


def load_mnist(folder: str | Path) -> tuple[TensorDataset, TensorDataset]:
    """The training and test samples of MNIST, or of another data set in files of the same names.

    Parameters
    ----------
    folder : str or Path
        Where ``train-images-idx3-ubyte``, ``train-labels-idx1-ubyte``, ``t10k-images-idx3-ubyte`` and
        ``t10k-labels-idx1-ubyte`` lie, each plain or as ``.gz``; a point in the place of the last hyphen but one is
        taken too. Nothing is downloaded.

    Returns
    -------
    train, test : TensorDataset
        Images of shape (N, 1, rows, columns) as float32 from 0 to 1, and labels of shape (N,) as int64.

    Raises
    ------
    FileNotFoundError
        When a file is not there.
    ValueError
        When one is truncated, is no IDX file, or images and labels do not agree.

    Notes
    -----
    Source: Y. LeCun, C. Cortes and C. J. C. Burges, "The MNIST database of handwritten digits" (1998).
    """
    place = Path(folder)
    if not place.is_dir():
        raise FileNotFoundError(f"load_mnist: {place} is no folder; name the one that holds MNIST's files")
    return samples(place, "train"), samples(place, "t10k")


def samples(folder: Path, part: str) -> TensorDataset:
    """The images and labels of one part."""
    pictures, classes = (found(folder, part, kind) for kind in ("images-idx3", "labels-idx1"))
    images, labels = idx_array(pictures), idx_array(classes)
    for path, array, axes in ((pictures, images, 3), (classes, labels, 1)):
        if array.ndim != axes or array.dtype != numpy.uint8:
            raise ValueError(
                f"load_mnist: {path} holds {array.dtype} of shape {array.shape}; expected uint8 with {axes} "
                f"{'axis' if axes == 1 else 'axes'}"
            )
    if len(images) != len(labels):
        raise ValueError(
            f"load_mnist: {pictures} holds {len(images)} images but {classes} holds {len(labels)} labels; take both "
            "from one data set"
        )
    pixels = images[:, None].astype(numpy.float32)
    pixels /= 255
    return TensorDataset(tensor(pixels, dtype=float32), tensor(labels, dtype=int64))


def found(folder: Path, part: str, kind: str) -> Path:
    """The file of images or labels, under one of its names."""
    names = [f"{part}-{written}-ubyte{end}" for written in (kind, kind.replace("-", ".")) for end in ("", ".gz")]
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(f"load_mnist: {folder} has none of {', '.join(names)}")


def read_idx(path: str | Path) -> Tensor:
    """The numbers of an IDX file, plain or gzip.

    Raises
    ------
    OSError
        When it cannot be read.
    ValueError
        When it is truncated, longer than it says, or no IDX file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from kael.data import read_idx
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "numbers"
    ...     _ = path.write_bytes(bytes([0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 3, 5, 6, 7]))
    ...     print(read_idx(path))
    tensor([[5, 6, 7]], dtype=kael.uint8)
    """
    return tensor(idx_array(Path(path)))


def idx_array(path: Path) -> numpy.ndarray[Any, Any]:
    """The numbers of an IDX file in the machine's byte order."""
    with path.open("rb") as file:
        packed = file.read(2) == GZIP
    try:
        with gzip.open(path) if packed else path.open("rb") as file:
            start = file.read(4)
            if len(start) < 4 or start[:2] != b"\0\0" or start[2] not in KINDS:
                raise ValueError(
                    f"read_idx: {path} is no IDX file: it begins with {start.hex(' ') or 'nothing'}, where two zeros "
                    f"and one of {', '.join(f'{kind:02x}' for kind in KINDS)} are expected"
                )
            sizes = file.read(4 * start[3])
            if len(sizes) < 4 * start[3]:
                raise ValueError(f"read_idx: {path} is truncated: it ends before the sizes of its {start[3]} axes")
            shape = tuple(numpy.frombuffer(sizes, ">u4").tolist())
            dtype = numpy.dtype(KINDS[start[2]])
            wanted = prod(shape) * dtype.itemsize
            numbers = file.read()
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"read_idx: {path} is a truncated or damaged gzip file: {error}") from error
    if len(numbers) != wanted:
        fault = "is truncated" if len(numbers) < wanted else "is longer than it says"
        raise ValueError(
            f"read_idx: {path} {fault}: shape {shape} of {dtype.itemsize} bytes each takes {wanted} bytes, but "
            f"{len(numbers)} are there"
        )
    return numpy.frombuffer(numbers, dtype).reshape(shape).astype(dtype.newbyteorder("="))
