"""An account of its own for the process that imports an answer, where whoever grades may give it one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from kael.exercises.saving import reason

__all__ = ["VARIABLE", "folder_to_enter", "given_away", "unusable"]

VARIABLE = "KAEL_ANSWER_ACCOUNT"
"""Names an account of this machine that may read and write next to nothing; root alone can hand processes to it."""


def folder_to_enter() -> str | None:
    """Where the folder of a process has to lie that has an account of its own: the worker's lets no other one in.

    Examples
    --------
    >>> folder_to_enter() is None
    True
    """
    return "/tmp" if sys.platform != "win32" and os.environ.get(VARIABLE) else None


def given_away(*folders: Path) -> dict[str, Any]:
    """Arguments of `subprocess.Popen` for a process under the account that `KAEL_ANSWER_ACCOUNT` names.

    Without that variable there are none, and the process runs under the account of its parent.

    Parameters
    ----------
    folders : Path
        What it may write to: they become the account's own.

    Raises
    ------
    KeyError
        When there is no such account.
    PermissionError
        When this process may not give folders away.

    Examples
    --------
    >>> given_away()
    {}
    """
    name = os.environ.get(VARIABLE)
    if sys.platform == "win32" or not name:
        return {}
    import pwd

    account = pwd.getpwnam(name)
    for folder in folders:
        os.chown(folder, account.pw_uid, account.pw_gid)
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def unusable() -> str:
    """Why no answer can run under the account that `KAEL_ANSWER_ACCOUNT` names; empty where one can, or none is named.

    Examples
    --------
    >>> unusable()
    ''
    """
    name = os.environ.get(VARIABLE)
    if not name:
        return ""
    if sys.platform == "win32":
        return "on Windows no process is handed to another account"
    root = str(Path(__file__).resolve().parents[3])
    path = os.pathsep.join([root, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))])
    try:
        with tempfile.TemporaryDirectory(prefix="kael-account-", dir=folder_to_enter()) as folder:
            done = subprocess.run(
                [sys.executable, "-P", "-c", "import kael.exercises.isolation.answering"],
                env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "HOME": folder},
                cwd=folder, capture_output=True, text=True, errors="replace", check=False, **given_away(Path(folder)),
            )  # fmt: skip
    except KeyError:
        return f"there is no account {name} on this machine"
    except OSError as error:
        return f"Python cannot be run as {name} ({reason(error)})"
    if done.returncode:
        return f"kael cannot be run as {name} ({(done.stderr.strip().splitlines() or ['no reason given'])[-1]})"
    return ""
