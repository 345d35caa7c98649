"""Files made in memory first, then written into a folder or an archive that is the same whenever it is made."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from kael.exercises import Refused
from kael.exercises.saving import save

__all__ = ["below", "deliver", "tarred", "zipped"]

BEGINNING = (1980, 1, 1, 0, 0, 0)
"""The date of every file in an archive."""


def below(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The same files, a folder deeper.

    Examples
    --------
    >>> below("handout", {"README.md": b""})
    {'handout/README.md': b''}
    """
    return {f"{folder}/{path}": data for path, data in files.items()}


def deliver(files: Mapping[str, bytes], target: Path) -> None:
    """Write files into a new folder, or as an archive where the name ends in ``.zip``.

    Parameters
    ----------
    files : mapping of str to bytes
        By paths with slashes.
    target : Path
        Where to. An archive that is there is replaced; a folder has to be empty.

    Raises
    ------
    Refused
        For a folder with files in it.
    """
    target = target.expanduser().absolute()
    if target.suffix.lower() == ".zip":
        target.parent.mkdir(parents=True, exist_ok=True)
        save(target, zipped(files))
        return
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise Refused(f"{target} is there and not empty; name a new folder, or a file ending in .zip")
    for path, data in files.items():
        place = target / path
        place.parent.mkdir(parents=True, exist_ok=True)
        save(place, data, lasting=False)
        if runs(data):
            place.chmod(0o755)


def runs(data: bytes) -> bool:
    """Whether a file is a script that is to be executable."""
    return data.startswith(b"#!")


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip archive: sorted, of one date, scripts executable.

    Examples
    --------
    >>> zipped({"a": b"1", "b": b"2"}) == zipped({"b": b"2", "a": b"1"})
    True
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for path in sorted(files):
            entry = zipfile.ZipInfo(path, BEGINNING)
            entry.create_system = 3  # Unix, so that the permissions count
            entry.external_attr = (0o100755 if runs(files[path]) else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[path])
    return stream.getvalue()


def tarred(files: Mapping[str, bytes]) -> bytes:
    """A compressed tar archive: sorted, of one date, owned by nobody in particular."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(files):
            entry = tarfile.TarInfo(path)
            entry.size = len(files[path])
            entry.mode = 0o755 if runs(files[path]) else 0o644
            archive.addfile(entry, io.BytesIO(files[path]))
    return gzip.compress(plain.getvalue(), mtime=0)
