"""``kael trace``: a script's passes from a shell."""

import json
import sys
from pathlib import Path

import pytest

from kael.tracing import command

DIAMOND = """
import sys
import kael
x = kael.tensor([1.0, 2.0], requires_grad=True)
a, b = x * 2, x * 3
(a + b).sum().backward()
print("arguments", sys.argv[1:], __name__)
"""


@pytest.fixture
def script(tmp_path):
    def write(text, name="script.py"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_scripts_pass_is_printed_under_the_names_of_its_variables(script, capsys):
    assert command.run(script(DIAMOND), ["7"]) == 0
    out = capsys.readouterr().out
    assert "arguments ['7'] __main__" in out
    assert "MulBackward(b)" in out and out.rstrip().endswith("x.grad = [5, 5]")


def test_every_pass_has_its_table(script, capsys):
    command.run(
        script("import kael\nx = kael.ones(2, requires_grad=True)\nfor _ in range(3): (x * x).sum().backward()\n")
    )
    assert "backward 3 of 3" in capsys.readouterr().out


def test_chapter_17s_engine_is_shown_where_the_script_gives_it_the_trace(script, capsys):
    source = """
import kael
from chapters.ch15_graph.graph import ComputationGraph, Tensor
from chapters.ch17_engine.engine import backward
x, y = Tensor(3.0, requires_grad=True), Tensor(4.0, requires_grad=True)
with kael.record(x=x, y=y) as t:
    graph = ComputationGraph(trace=t)
    z = graph.mul(x, y)
    w = graph.add(z, x)
    t.name(z=z, w=w)
    backward(graph, w)
"""
    assert command.run(script(source)) == 0
    assert "x: 1.0 + 4.0 = 5.0" in capsys.readouterr().out


def test_a_script_without_a_pass_says_so(script, capsys):
    assert command.run(script("x = 1\n")) == 0
    assert capsys.readouterr().out == "no backward ran\n"


def test_a_graph_of_chapter_17_that_has_no_trace_gets_a_hint(script, capsys):
    source = """
from chapters.ch15_graph.graph import ComputationGraph, Tensor
from chapters.ch17_engine.engine import backward
x, graph = Tensor(3.0, requires_grad=True), ComputationGraph()
backward(graph, graph.mul(x, x))
"""
    assert command.run(script(source)) == 0
    captured = capsys.readouterr()
    assert captured.out == "no backward ran\n"
    assert "gets the trace of a `with kael.record()`" in captured.err


@pytest.mark.parametrize(("format", "begin"), [("json", "{"), ("markdown", "| Step"), ("html", "<!DOCTYPE html>")])
def test_other_forms_come_alone_on_stdout(script, capsys, format, begin):
    assert command.run(script(DIAMOND), format=format) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith(begin)
    assert captured.err.startswith("arguments")


def test_json_is_a_record_with_the_script_as_its_code(script, capsys):
    command.run(script(DIAMOND), format="json")
    assert json.loads(capsys.readouterr().out)["code"] == DIAMOND.rstrip()


def test_the_record_can_go_to_a_file(script, tmp_path, capsys):
    out = tmp_path / "record.html"
    assert command.run(script(DIAMOND), format="html", out=out) == 0
    assert "<kael-trace>" in out.read_text(encoding="utf-8")
    assert capsys.readouterr().out.startswith("arguments")


def test_an_error_of_the_script_is_shown_from_its_own_line_on(script, capsys):
    assert command.run(script(DIAMOND + "1 / 0\n")) == 1
    captured = capsys.readouterr()
    assert "ZeroDivisionError" in captured.err and "line 8" in captured.err
    assert "runpy" not in captured.err and "command.py" not in captured.err
    assert "x.grad = [5, 5]" in captured.out


def test_a_syntax_error_is_shown(script, capsys):
    assert command.run(script("x = = 1\n")) == 1
    assert "SyntaxError" in capsys.readouterr().err


@pytest.mark.parametrize(("end", "status"), [("sys.exit()", 0), ("sys.exit(3)", 3), ("sys.exit('no data')", 1)])
def test_the_scripts_exit_status_is_passed_on(script, capsys, end, status):
    assert command.run(script(f"import sys\n{end}\n")) == status
    assert ("no data" in capsys.readouterr().err) == (status == 1)


def test_a_missing_file_is_named(capsys):
    assert command.run("nowhere.py") == 2
    assert "trace: there is no file nowhere.py" in capsys.readouterr().err


def test_an_unknown_form_is_refused(script):
    with pytest.raises(ValueError, match="trace: 'pdf' is no format; choose text, markdown, json, html"):
        command.run(script(""), format="pdf")


def test_a_script_finds_its_neighbours_and_leaves_the_path_alone(script, tmp_path, capsys):
    script("value = 41\n", "neighbour_of_script.py")
    before = list(sys.path), list(sys.argv)
    assert command.run(script("import neighbour_of_script\nprint(neighbour_of_script.value + 1)\n")) == 0
    assert capsys.readouterr().out.startswith("42")
    assert (sys.path, sys.argv) == before
    assert Path(sys.modules.pop("neighbour_of_script").__file__).parent == tmp_path
