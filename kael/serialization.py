"""Nests of dicts, lists and tensors in one file: the safetensors format, which PyTorch and others read.

The tensors lie in the file under dotted names, ``model.layers.0.weight``; what is around them, and every number and
string, stands as JSON in the file's metadata. Nothing in such a file can be run, unlike a pickle.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy

from kael import blas, devices, kernels
from kael.creation import from_numpy
from kael.extras import need
from kael.replacing import replaced
from kael.tensors import Tensor
from kael.threads import get_num_threads

__all__ = ["NotAFile", "load", "loaded", "save", "setting"]

STATE, MADE_WITH = "kael.state", "kael.made_with"
TENSOR, PAIRS, TUPLE = "$tensor", "$pairs", "$tuple"
PLAIN = (bool, int, float, str, type(None))
PICKLES = (b"PK\x03\x04", b"\x80")
"""How the files begin that ``torch.save`` writes: a zip archive, or before version 1.6 a pickle."""


class NotAFile(ValueError):
    """A file is cut off, or is none that `save` wrote."""


def save(obj: Any, f: Any) -> None:
    """Write a nest of dicts, lists, tuples, tensors, numbers and strings into a safetensors file.

    Parameters
    ----------
    obj : dict, list, tuple, Tensor, or a number, string or None
        Such as ``model.state_dict()``. Tensors are written without their history.
    f : path or binary file
        A file of that name is replaced when the new one is whole and on the disk; it stays what it is where that
        fails.

    Raises
    ------
    MissingExtra
        When safetensors is not installed.
    TypeError
        For an object of another kind, with its place in the nest.
    OSError
        When the file cannot be written.

    Notes
    -----
    Every number comes back as it was, to the bit. Two names of one memory are written twice.

    Examples
    --------
    >>> import io, kael
    >>> file = io.BytesIO()
    >>> kael.save({"weight": kael.ones(2), "step": 3}, file)
    >>> _ = file.seek(0)
    >>> kael.load(file)
    {'weight': tensor([1., 1.]), 'step': 3}
    """
    numpys = need("safetensors.numpy", "train", "saving tensors")
    arrays: dict[str, numpy.ndarray[Any, Any]] = {}
    state = json.dumps(described(obj, (), arrays))
    metadata = {STATE: state, MADE_WITH: json.dumps(setting())}
    if hasattr(f, "write"):
        f.write(numpys.save(arrays, metadata))
        return
    with replaced(Path(f)) as partial:
        try:
            numpys.save_file(arrays, partial, metadata)
        except need("safetensors", "train", "saving tensors").SafetensorError as error:
            raise OSError(str(error)) from error


def load(f: Any, map_location: Any = None, weights_only: bool = True) -> Any:
    """What `save` has written, or the tensors of any safetensors file as a dict.

    Parameters
    ----------
    f : path or binary file
        The file.
    map_location : str or device, optional
        The CPU.
    weights_only : bool
        True: there is nothing but tensors, numbers and strings in such a file.

    Returns
    -------
    object
        The nest, with new tensors that do not require grad. Numbers of 16 bits with the range of float32 (bfloat16)
        come as float32, which holds them exactly.

    Raises
    ------
    NotAFile
        For a file that is cut off, or none of the format: what ``torch.save`` writes is a pickle.
    OSError
        When it cannot be read.
    """
    if not weights_only:
        raise ValueError("load: weights_only is False, but kael reads safetensors files, which hold nothing else")
    if map_location is not None:
        devices.check("load", map_location)
    return loaded(f)[0]


def loaded(f: Any) -> tuple[Any, dict[str, Any]]:
    """What a file holds, and the `setting` it was saved in, empty for a file that kael did not write."""
    tensors, metadata = read(f)
    nest = rebuilt(json.loads(metadata[STATE]), tensors) if STATE in metadata else tensors
    return nest, json.loads(metadata.get(MADE_WITH, "{}"))


def setting() -> dict[str, Any]:
    """What decides the bits of a computation beside its inputs, here and now.

    The instruction set and rung of the kernels, who multiplies matrices, the number of threads, and the versions.

    Examples
    --------
    >>> sorted(setting())
    ['kernels', 'matmul', 'numpy', 'threads']
    """
    rungs = {}
    for name in kernels.chapters():
        module = kernels.chapter(name)
        rung = kernels.rung_of(module)
        rungs[name] = f"{rung} {kernels.instruction_set(module)}" if rung == "cython" else rung
    return {"kernels": rungs, "matmul": blas.who(), "numpy": numpy.__version__, "threads": get_num_threads()}


def described(obj: Any, place: tuple[str, ...], arrays: dict[str, numpy.ndarray[Any, Any]]) -> Any:
    """An object as JSON can hold it; its tensors go into `arrays` under the name of their place."""
    if isinstance(obj, Tensor):
        name = ".".join(place) or "tensor"
        while name in arrays:
            name += "'"
        arrays[name] = numpy.asarray(obj.detach().array, order="C")
        return {TENSOR: name}
    if isinstance(obj, PLAIN):
        return obj
    if isinstance(obj, dict):
        inside = [(key, described(value, (*place, str(key)), arrays)) for key, value in obj.items()]
        if all(type(key) is str and not key.startswith("$") for key in obj):
            return dict(inside)
        return {PAIRS: [[described(key, (*place, "key"), arrays), value] for key, value in inside]}
    if isinstance(obj, (list, tuple)):
        listed = [described(value, (*place, str(number)), arrays) for number, value in enumerate(obj)]
        return listed if isinstance(obj, list) else {TUPLE: listed}
    raise TypeError(
        f"save: {'.'.join(place) or 'the object'} is {type(obj).__name__}; dicts, lists, tuples, tensors, numbers, "
        "strings and None can be saved"
    )


def rebuilt(described: Any, tensors: dict[str, Tensor]) -> Any:
    """The object that `described` stands for."""
    if isinstance(described, list):
        return [rebuilt(value, tensors) for value in described]
    if not isinstance(described, dict):
        return described
    if TENSOR in described:
        return tensors[described[TENSOR]]
    if TUPLE in described:
        return tuple(rebuilt(described[TUPLE], tensors))
    if PAIRS in described:
        return {rebuilt(key, tensors): rebuilt(value, tensors) for key, value in described[PAIRS]}
    return {key: rebuilt(value, tensors) for key, value in described.items()}


def read(f: Any) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors and the metadata of a file."""
    safetensors = need("safetensors", "train", "loading tensors")
    name = getattr(f, "name", "the file") if hasattr(f, "read") else str(Path(f))
    data = f.read() if hasattr(f, "read") else Path(f).read_bytes()
    try:
        parts = safetensors.deserialize(data)
        header: dict[str, Any] = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    except (safetensors.SafetensorError, ValueError) as error:
        if data.startswith(PICKLES):
            raise NotAFile(
                f"{name} is a pickle, as torch.save writes it, and could run anything; save it from PyTorch with "
                "safetensors.torch.save_file"
            ) from None
        raise NotAFile(f"{name} is no safetensors file, or not all of one: {error}") from error
    found = dict(parts)
    return {key: as_tensor(key, found[key]) for key in header if key in found}, header.get("__metadata__", {})


KINDS = {
    "BOOL": "?", "U8": "<u1", "I8": "<i1", "I16": "<i2", "I32": "<i4", "I64": "<i8", "F16": "<f2", "F32": "<f4",
    "F64": "<f8",
}  # fmt: skip


def as_tensor(name: str, part: dict[str, Any]) -> Tensor:
    """One tensor of a file."""
    kind, shape, data = part["dtype"], part["shape"], part["data"]
    if kind == "BF16":
        array = (numpy.frombuffer(data, "<u2").astype(numpy.uint32) << 16).view(numpy.float32)
    elif kind in KINDS:
        array = numpy.frombuffer(bytearray(data), KINDS[kind])
    else:
        raise NotAFile(f"{name} is of dtype {kind}, which kael does not have")
    return from_numpy(array.reshape(shape))
