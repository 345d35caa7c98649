"""`kael trace script.py`: the table of a script's backward pass, its formats, and scripts that fail."""

import json

import pytest

from kael import cli

SCRIPT = """\
import kael
x = kael.tensor([1.0, 2.0], requires_grad=True)
a, b = x * 2, x * 3
(a + b).sum().backward()
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "example.py"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


def test_the_table_is_printed(script, capsys):
    assert cli.main(["trace", str(script)]) == 0
    assert capsys.readouterr().out.rstrip().endswith("x.grad = [5, 5]")


def test_json_to_a_file(script, tmp_path, capsys):
    target = tmp_path / "record.json"
    assert cli.main(["trace", "--format", "json", "--out", str(target), str(script)]) == 0
    assert json.loads(target.read_text(encoding="utf-8"))
    assert capsys.readouterr().out == ""


def test_the_script_gets_its_own_arguments(tmp_path, capsys):
    path = tmp_path / "echo.py"
    path.write_text("import sys\nprint(sys.argv[1:])\n", encoding="utf-8")
    cli.main(["trace", str(path), "--format", "x"])
    assert capsys.readouterr().out.startswith("['--format', 'x']")


def test_a_missing_script_is_named(capsys):
    assert cli.main(["trace", "nowhere.py"]) == 2
    assert "there is no file nowhere.py" in capsys.readouterr().err


def test_a_record_that_cannot_be_written_is_one_line(script, tmp_path, capsys):
    assert cli.main(["trace", "--out", str(tmp_path / "missing" / "record.txt"), str(script)]) == 1
    assert capsys.readouterr().err.startswith("kael trace: ")


def test_ctrl_c_in_the_script_exits_130(tmp_path, capsys):
    path = tmp_path / "endless.py"
    path.write_text("raise KeyboardInterrupt\n", encoding="utf-8")
    assert cli.main(["trace", str(path)]) == 130
    assert capsys.readouterr().err == "\nkael trace: stopped\n"
