"""Checkpoints: a training in one file, replaced as a whole, that another process goes on from."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from kael.serialization import NotAFile, loaded, save, setting
from kael.training.loop import Training

__all__ = ["OtherBits", "differences", "load_checkpoint", "read_checkpoint", "save_checkpoint"]

FORMAT = 1


class OtherBits(UserWarning):
    """What decides the bits of a computation is not what it was when a checkpoint was saved."""


def save_checkpoint(path: Path | str, training: Training, about: dict[str, Any] | None = None) -> None:
    """Save a training, and what its maker wants to know of it.

    Parameters
    ----------
    path : path
        The file; one of that name is replaced when the new one is whole.
    training : Training
        Between two steps.
    about : dict, optional
        Such as the sizes of the model; numbers, strings, lists and dicts of them.

    Raises
    ------
    OSError
        When it cannot be written; the file that was there is as it was.
    """
    save({"format": FORMAT, "about": about or {}, "training": training.state_dict()}, path)


def read_checkpoint(path: Path | str) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """What a checkpoint says of itself, its state of a training, and the `kael.serialization.setting` it was made in.

    Raises
    ------
    NotAFile
        When the file is cut off, or no checkpoint.
    OSError
        When it cannot be read.
    """
    held, made_in = loaded(path)
    if not isinstance(held, dict) or set(held) != {"format", "about", "training"}:
        raise NotAFile(f"{path} is a file of tensors, but not a checkpoint of a training")
    if held["format"] != FORMAT:
        raise NotAFile(f"{path} is a checkpoint of format {held['format']}; this version of kael reads {FORMAT}")
    return held["about"], held["training"], made_in


def load_checkpoint(path: Path | str, training: Training) -> dict[str, Any]:
    """Let a training go on from a checkpoint; returns what was said about it.

    Parameters
    ----------
    path : path
        The file.
    training : Training
        Of a model, an optimizer and batches like those that were saved.

    Warns
    -----
    OtherBits
        Where kernels, the number of threads or who multiplies matrices differ: the steps that follow are as good, but
        not those that would have been made there to the bit.

    Raises
    ------
    NotAFile, OSError
        As `read_checkpoint`.
    ValueError, RuntimeError
        When the training is another one; see `Training.load_state_dict`.
    """
    about, state, made_in = read_checkpoint(path)
    training.load_state_dict(state)
    if found := differences(made_in):
        warnings.warn(f"{path} was saved with {'; '.join(found)}: the bits may differ from there on", OtherBits, 2)
    return about


def differences(made_in: dict[str, Any]) -> list[str]:
    """What differs between a setting and the present one, in words."""
    now = setting()
    found = []
    for key in now:
        there, here = made_in.get(key), now[key]
        if key == "kernels" and isinstance(there, dict):
            changed = {(there.get(name), rung): name for name, rung in here.items() if there.get(name) != rung}
            found += [
                f"{name} on {before}, here on {after}" for (before, after), name in sorted(changed.items(), key=str)
            ]
        elif there != here:
            found.append(f"{key} {there}, here {here}")
    return found
