"""The engine compiled and as plain Python: the same results, types and errors for unusual arguments."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import kael.tensors

SCRIPT = Path(__file__).with_name("odd_calls.py")
COMPILED = not str(kael.tensors.__file__).endswith(".py")


def outcomes(form: str) -> dict[str, list[str]]:
    """The outcomes in a fresh interpreter with the engine in one form."""
    paths = [str(SCRIPT.parents[2]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "KAEL_ENGINE": form, "PYTHONPATH": os.pathsep.join(paths), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, str(SCRIPT)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, encoding="utf-8", check=True)
    found: dict[str, list[str]] = json.loads(result.stdout)
    return found


@pytest.mark.skipif(not COMPILED, reason="the engine is not compiled here")
def test_both_forms_give_the_same_outcome():
    compiled, pure = outcomes(""), outcomes("python")
    assert compiled.keys() == pure.keys()
    differing = {call: (compiled[call], pure[call]) for call in compiled if compiled[call] != pure[call]}
    assert not differing, f"{len(differing)} of {len(compiled)} calls differ, such as {list(differing.items())[:5]}"


def test_another_form_is_refused():
    with pytest.raises(subprocess.CalledProcessError) as failure:
        outcomes("pure")
    assert "ValueError: KAEL_ENGINE=pure: the one choice is python" in failure.value.stderr


def test_the_calls_cover_results_and_errors():
    found = outcomes("python")
    assert len(found) > 2000
    errors = [outcome for outcome in found.values() if str(outcome[0]).endswith("Error")]
    assert 100 < len(errors) < len(found)
