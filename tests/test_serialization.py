"""Nests in safetensors files: what comes back, what PyTorch reads, and that a file is whole or the one before."""

import io
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kael
from kael.serialization import NotAFile, loaded

safetensors = pytest.importorskip("safetensors", reason="needs the extra [train]")

DTYPES = [
    kael.bool, kael.uint8, kael.int8, kael.int16, kael.int32, kael.int64, kael.float16, kael.float32, kael.float64
]  # fmt: skip


def back(obj):
    """What an object is after a file."""
    file = io.BytesIO()
    kael.save(obj, file)
    file.seek(0)
    return kael.load(file)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (2, 3)], ids=str)
def test_a_tensor_comes_back(dtype, shape):
    x = kael.tensor(np.arange(math.prod(shape)).reshape(shape)).to(dtype)
    y = back(x)
    assert (y.dtype, y.shape) == (dtype, shape)
    assert y.numpy().tobytes() == x.numpy().tobytes()


@pytest.mark.parametrize("view", [lambda x: x.mT, lambda x: x[:, ::2], lambda x: x[1].expand(3, 4)], ids="TSE")
def test_a_view_comes_back_contiguous(view):
    x = view(kael.arange(12.0).reshape(3, 4))
    y = back(x)
    assert y.tolist() == x.tolist()
    assert y.is_contiguous()


def test_nan_keeps_its_bits_and_zero_its_sign():
    bits = np.array([0x7FC00001, 0xFFC00000, 0x80000000, 0x00000001, 0x7F800000], np.uint32)
    assert back(kael.from_numpy(bits.view(np.float32))).numpy().view(np.uint32).tolist() == bits.tolist()


def test_a_nest_comes_back_as_it_was():
    nest = {
        "weights": {"layers.0.weight": kael.ones(2), "layers.0": {"weight": kael.zeros(2)}},
        "state": {0: {"step": 3, "mean": kael.ones(())}, 7: None},
        "list": [1, 2.5, -0.0, math.inf, "text", "", True, (1, (2,)), []],
        (1, "a"): {"$tensor": "not one"},
    }  # fmt: skip
    assert repr(back(nest)) == repr(nest)
    assert math.copysign(1, back(nest)["list"][2]) == -1


@pytest.mark.parametrize("value", [0.1, 1e-320, math.pi, 2.0**1023, 10**40, "\ud800é\0"])
def test_numbers_and_strings_are_exact(value):
    assert back([value]) == [value]


def test_what_comes_back_is_of_its_own_memory_without_history():
    x = kael.ones(2, requires_grad=True)
    y = back({"x": x * 2})["x"]
    assert not y.requires_grad
    y.add_(1)
    assert y.tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("obj", "place"),
    [(object(), "the object"), ({"a": [1, {2}]}, "a.1"), ([np.float32(1)], "0")],
    ids=["top", "set", "numpy"],
)
def test_what_cannot_be_saved_is_named_by_its_place(obj, place, tmp_path):
    with pytest.raises(TypeError, match=rf"^save: {place} is "):
        kael.save(obj, tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("cut", [0, 4, 100, -1])
def test_a_file_that_is_cut_off_is_refused(tmp_path, cut):
    path = tmp_path / "model.safetensors"
    kael.save({"w": kael.ones(100)}, path)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(NotAFile, match=r"model.safetensors is no safetensors file, or not all of one: "):
        kael.load(path)


@pytest.mark.parametrize("data", [b"PK\x03\x04" + bytes(100), b"\x80\x02}q\x00.", bytes(8), b"text " * 9, b"\xff" * 40])
def test_a_foreign_file_is_refused(data):
    with pytest.raises(NotAFile, match="pickle" if data[:1] in (b"P", b"\x80") else "no safetensors file"):
        kael.load(io.BytesIO(data))


def test_a_header_of_128_bytes_is_no_pickle():
    header = b'{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'.ljust(128)
    assert kael.load(io.BytesIO((128).to_bytes(8, "little") + header + np.float32(2).tobytes()))["w"].tolist() == [2.0]


def test_a_missing_file_and_a_missing_folder_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="none"):
        kael.load(tmp_path / "none")
    with pytest.raises(FileNotFoundError, match="none.model cannot be written"):
        kael.save(1, tmp_path / "none" / "model")


LIMITED = """\
import resource, signal, sys
import kael

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
kael.save({"w": kael.ones(100_000)}, sys.argv[1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="files cannot be limited there")
def test_a_full_disk_leaves_the_file_that_was_there(tmp_path):
    path = tmp_path / "model.safetensors"
    kael.save({"w": kael.ones(3)}, path)
    run = subprocess.run([sys.executable, "-c", LIMITED, str(path)], capture_output=True, encoding="utf-8", check=False)
    assert "OSError" in run.stderr
    assert "model.safetensors is not saved" in run.stderr
    assert "model.safetensors is the file that it was" in run.stderr
    assert kael.load(path)["w"].tolist() == [1.0, 1.0, 1.0]
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_a_file_says_what_decided_its_bits():
    file = io.BytesIO()
    kael.save(1, file)
    file.seek(0)
    _, setting = loaded(file)
    assert setting["threads"] == kael.get_num_threads()
    assert set(setting) == {"kernels", "matmul", "numpy", "threads"}


def test_only_weights_and_the_processor_are_known(tmp_path):
    path = tmp_path / "file"
    kael.save(1, path)
    assert kael.load(path, map_location="cpu", weights_only=True) == 1
    with pytest.raises(ValueError, match="weights_only is False"):
        kael.load(path, weights_only=False)
    with pytest.raises(RuntimeError, match="cuda"):
        kael.load(path, map_location="cuda")


class TestBesidePyTorch:
    def test_it_reads_what_kael_saves(self, tmp_path: Path):
        pytest.importorskip("torch")
        from safetensors.torch import load_file

        layer = kael.nn.Sequential(kael.nn.Linear(2, 3), kael.nn.BatchNorm1d(3))
        kael.save(layer.state_dict(), tmp_path / "model.safetensors")
        theirs = load_file(tmp_path / "model.safetensors")
        assert {name: tensor.tolist() for name, tensor in theirs.items()} == {
            name: tensor.tolist() for name, tensor in layer.state_dict().items()
        }

    def test_kael_reads_what_it_saves(self, tmp_path: Path):
        torch = pytest.importorskip("torch")
        from safetensors.torch import save_file

        theirs = {"a": torch.randn(2, 3), "b": torch.randn(4).to(torch.bfloat16), "c": torch.tensor(7)}
        save_file(theirs, tmp_path / "model.safetensors")
        ours = kael.load(tmp_path / "model.safetensors")
        assert {name: tensor.tolist() for name, tensor in ours.items()} == {
            name: tensor.tolist() for name, tensor in theirs.items()
        }
        assert ours["b"].dtype is kael.float32
