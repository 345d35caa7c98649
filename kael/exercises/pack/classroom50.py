"""The autograder for Classroom 50: a folder to put into the `classroom50` repository of an organization.

Where its parts lie, what the runner sets and what it expects is described in
https://github.com/foundation50/classroom50/wiki/Advanced-Autograding.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from kael.exercises.catalogue import Exercise
from kael.exercises.pack.bundle import Grading, bundle
from kael.exercises.pack.files import below

__all__ = ["autograder"]

SCRIPT = '''\
#!/usr/bin/env python3
"""Installs kael from the archive beside this file, grades the checkout and writes result.json; 0 when grading ran."""

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = Path(os.environ.get("KAEL_ENVIRONMENT") or tempfile.mkdtemp(prefix="kael-"))
PYTHON = TOP / ("Scripts" if os.name == "nt" else "bin") / "python"


def pip(*arguments):
    subprocess.run([PYTHON, "-m", "pip", "install", "--quiet", *arguments], check=True)


if not PYTHON.exists():
    venv.create(TOP, with_pip=True)
    pip("--requirement", HERE / "requirements.txt")
    (archive,) = HERE.glob("kael-*.tar.gz")
    pip("--no-index", "--no-deps", "--no-build-isolation", archive)
command = [PYTHON, "-m", "kael.exercises.pack.autograder", "classroom50"]
command += ["--bundle", HERE, "--submission", Path.cwd(), "--out", Path.cwd() / "result.json"]
sys.exit(subprocess.run(command, check=False).returncode)
'''

README = """\
# Classroom 50

1. Put the folder `{name}` into your `classroom50` repository as `CLASSROOM/autograders/{name}`, with the short name of
   your classroom.
2. Make the assignment: `gh teacher assignment add ORG CLASSROOM {name} --name "{title}" --runtime runtime.json`, and
   give students the handout as its template.
3. Everything under `autograders` is published with GitHub Pages, so whoever looks for the hidden checks finds them.
   What has to stay hidden belongs into `kael grade`.

The grade job ends after 15 minutes; building kael takes two or three of them on a fresh runner.
"""


def autograder(exercises: Sequence[Exercise], how: Grading, name: str) -> dict[str, bytes]:
    """The folder of one assignment, what its runner has to have, and what to do with both; by path.

    Parameters
    ----------
    exercises : sequence of Exercise
        What is graded.
    how : Grading
        How it is graded.
    name : str
        Short name of the assignment: small letters, digits and hyphens.
    """
    runtime = {"runs-on": "ubuntu-latest", "python": "3.13"}
    title = f"Exercises {', '.join(dict.fromkeys(str(int(e.id[2:4])) for e in exercises))}"
    return {
        **below(name, {"autograder.py": SCRIPT.encode(), **bundle(exercises, how)}),
        "runtime.json": json.dumps(runtime, indent=1).encode() + b"\n",
        "README.md": README.format(name=name, title=title).encode(),
    }
