"""The autograder for Gradescope: a zip archive to upload as it is.

What the archive has to hold, where its parts come to lie and what the scripts have to do is described in
https://gradescope-autograders.readthedocs.io/en/latest/specs/.
"""

from __future__ import annotations

from collections.abc import Sequence

from kael.exercises.catalogue import Exercise
from kael.exercises.pack.bundle import Grading, bundle

__all__ = ["autograder"]

SETUP = """\
#!/usr/bin/env bash
# Builds the environment that answers are graded in, once. kael itself comes from the archive beside this file, never
# from an index: the package of that name there may be anybody's.
set -euo pipefail
top="${KAEL_AUTOGRADER:-/autograder}"
source="$top/source"

newest() {
    for name in python3.14 python3.13 python3.12 python3.11 python3; do
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
            echo "$name"
            return
        fi
    done
}

if [ "$top" = /autograder ]; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update
    apt-get install -y python3 python3-venv python3-dev build-essential
    useradd --system --user-group --no-create-home kael-answers || id kael-answers
fi
python="${KAEL_PYTHON:-$(newest)}"
if [ -z "$python" ]; then
    echo "kael needs Python 3.11 or later; choose a newer base image (Ubuntu 24.04 has 3.12)" >&2
    exit 1
fi
"$python" -m venv "$top/environment"
"$top/environment/bin/python" -m pip install --quiet --requirement "$source/requirements.txt"
"$top/environment/bin/python" -m pip install --quiet --no-index --no-deps --no-build-isolation "$source"/kael-*.tar.gz
"$top/environment/bin/python" -c "import kael; print('kael', kael.__version__, 'is ready')"
"""

RUN = """\
#!/usr/bin/env bash
# Grades /autograder/submission into /autograder/results/results.json.
set -u
top="${KAEL_AUTOGRADER:-/autograder}"
mkdir -p "$top/results"
# Answers run under an account that can neither read the checks nor write the results.
account="${KAEL_ANSWER_ACCOUNT:-kael-answers}"
if [ "$(id -u)" = 0 ] && id "$account" > /dev/null 2>&1; then
    export KAEL_ANSWER_ACCOUNT="$account"
    chmod -R go-rwx "$top/source" "$top/submission"
    chmod go-w "$top/results"
else
    unset KAEL_ANSWER_ACCOUNT
fi
said='the autograder did not start; tell your instructor, who finds the reason in its output'
printf '{"score": 0, "output": "%s", "tests": []}\\n' "$said" > "$top/results/results.json"
cd "$top" || exit 1
"$top/environment/bin/python" -m kael.exercises.pack.autograder gradescope \\
    --bundle "$top/source" --submission "$top/submission" --out "$top/results/results.json"
"""


def autograder(exercises: Sequence[Exercise], how: Grading) -> dict[str, bytes]:
    """The files of the archive, by path.

    Parameters
    ----------
    exercises : sequence of Exercise
        What is graded.
    how : Grading
        How it is graded.
    """
    return {"setup.sh": SETUP.encode(), "run_autograder": RUN.encode(), **bundle(exercises, how)}
