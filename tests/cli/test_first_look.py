"""`python -m kael`: the worked table and what to do next."""

import os
import subprocess
import sys


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-X", "utf8", "-m", "kael", *arguments]
    return subprocess.run(line, capture_output=True, text=True, encoding="utf-8", check=False)


def test_it_prints_the_backward_table_and_the_three_next_commands():
    before = os.times()
    shown = run()
    after = os.times()
    # Processor time, which does not depend on what else runs here; Windows says nothing of it.
    assert after.children_user + after.children_system - before.children_user - before.children_system < 2
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "w = x*y + x" in shown.stdout
    assert "x: 1.0 + 4.0 = 5.0" in shown.stdout
    assert "x.grad = 5.0, y.grad = 3.0" in shown.stdout
    commands = [line.strip().split("  ")[0] for line in shown.stdout.partition("Next:\n")[2].splitlines()]
    assert commands == ["kael book", "kael ex", "kael train digits --seed 0"]


def test_a_stream_without_the_characters_gets_question_marks():
    shown = subprocess.run(
        [sys.executable, "-m", "kael"], capture_output=True, env=os.environ | {"PYTHONIOENCODING": "ascii"}, check=False
    )
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert b"?w/?w = 1" in shown.stdout


def test_with_arguments_it_is_the_command():
    assert run("--version").stdout.startswith("kael ")
