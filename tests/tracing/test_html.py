"""The HTML view: whole without scripts, safe with any name, folded where large."""

import json
import re
from html import unescape
from html.parser import HTMLParser

import pytest

from kael.tracing.graph import graph_of
from kael.tracing.runnable import rerun, runnable
from kael.tracing.running_example import running_example, running_example_trace
from kael.tracing.table import table_of
from kael.tracing.trace import Trace
from tests.tracing.samples import Array, chain, perceptron

VOID = {"rect", "path", "meta", "br", "input"}


class Tree(HTMLParser):
    """Checks that elements close in order, and collects the table's cells and the scripts."""

    def __init__(self, html):
        super().__init__()
        self.open, self.cells, self.scripts = [], [], []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_data(self, data):
        if "script" in self.open:
            self.scripts[-1] += data
        elif "td" in self.open or "th" in self.open:
            self.cells[-1] += data


def test_the_static_table_holds_every_cell_of_the_text_table():
    trace = running_example_trace()
    table = table_of(trace.passes[0])
    expected = list(table.columns) + ["".join(cell) for row in table.rows for cell in row.cells]
    assert Tree(trace.to_html()).cells == expected


def test_the_static_picture_shows_the_final_gradients():
    html = running_example_trace().to_html()
    assert "x.grad 5.0 in b1" in html and "y.grad 3.0 in b2" in html


def test_style_and_script_are_carried_once_or_not_at_all():
    trace = running_example_trace()
    assert trace._repr_html_().count("<style>") == 1
    assert trace._repr_html_().count('type="module"') == 1
    assert "<style>" not in trace.to_html(assets=False) and "customElements" not in trace.to_html(assets=False)


def test_a_book_that_serves_the_stepper_gets_no_copy(monkeypatch):
    monkeypatch.setenv("KAEL_TRACE_ASSETS", "linked")
    assert "<style>" not in running_example_trace()._repr_html_()


def test_each_step_names_its_box_its_arrows_and_its_gradients():
    data = json.loads(Tree(running_example_trace().to_html(assets=False)).scripts[0])
    (steps,) = data["passes"]
    assert [len(step["arrows"]) for step in steps] == [0, 2, 2]
    assert steps[2]["grads"]["t0"].startswith("5.0")
    html = running_example_trace().to_html(assets=False)
    for step in steps:
        assert all(f'data-arrow="{arrow}"' in html for arrow in step["arrows"])
        assert all(f'data-grad="{key}"' in html for key in step["grads"])


@pytest.mark.parametrize("name", ["</script>", "<img src=x onerror=alert(1)>", "\"&'", "]]>", "<!--"])
def test_a_name_cannot_break_out(name):
    x, w = Array(3.0), Array(9.0)
    trace = Trace(name, **{name: x, "w": w})
    trace.forward(0, "mul", [x, x], w)
    trace.seed(0, w, Array(1.0))
    trace.visit(0, Array(1.0))
    trace.done()
    html = trace.to_html(assets=False)
    tree = Tree(html)
    assert "<img" not in html and html.count("</script") == 1
    assert any(name in cell for cell in tree.cells)
    assert f"mul({name}, {name}) → w" in json.loads(trace.to_json())["passes"][0]["nodes"][0]["label"]
    assert not re.search("[<>&]", trace.to_json())


def test_the_graph_has_a_text_alternative():
    html = unescape(running_example_trace().to_html(assets=False))
    assert "mul(x, y) → z takes x and y. add(z, x) → w takes mul(x, y) → z and x." in html


def test_a_loop_folds_into_one_box_that_says_how_often():
    graph = graph_of(chain(1000).passes[0])
    assert len(graph.boxes) <= 5
    assert any(box.pattern == ["add"] and box.repeats > 990 for box in graph.boxes)


def test_equal_layers_fold_together_with_their_parameters():
    graph = graph_of(perceptron(20).passes[0])
    folded = max(graph.boxes, key=lambda box: len(box.keys))
    assert sorted(folded.pattern) == ["add", "matmul", "relu"]
    assert folded.repeats >= 18 and len(folded.keys) == folded.repeats * 5


def test_every_node_is_in_exactly_one_box():
    record = perceptron(20).passes[0]
    keys = [key for box in graph_of(record).boxes for key in box.keys]
    assert len(keys) == len(set(keys))
    assert {f"n{number}" for number in record.nodes} <= set(keys)


def test_arrows_of_a_folded_graph_lead_forward():
    for trace in (chain(200), perceptron(30)):
        assert all(arrow.start < arrow.end for arrow in graph_of(trace.passes[0]).arrows)


def test_the_table_of_a_loop_shows_its_first_and_last_steps():
    shown = table_of(chain(1000).passes[0]).rows
    assert len(shown) < 20
    assert any("more such steps" in row.cells[1][0] for row in shown)
    assert shown[-1].cells[0] == ["1000"] and shown[0].cells[1] == ["(seed)"]


def test_every_step_of_a_large_table_can_be_asked_for():
    assert [row.cells[0] for row in table_of(chain(100).passes[0], None).rows] == [[str(k)] for k in range(101)]


def test_gradients_of_steps_left_out_are_not_forgotten():
    record = chain(1000).passes[0]
    short, whole = table_of(record), table_of(record, None)
    held = [{key: text for row in table.rows for key, text in row.changed.items()} for table in (short, whole)]
    assert held[0] == held[1]


def test_a_small_graph_is_not_folded():
    assert all(len(box.keys) == 1 for box in graph_of(running_example_trace().passes[0]).boxes)


def test_a_large_graph_without_repetitions_is_folded_too():
    trace, tensors = Trace(), [Array(1.0), Array(2.0)]
    for k in range(100):
        tensors.append(Array(0.0))
        trace.forward(k, f"op{k}", tensors[-3:-1], tensors[-1])
    assert len(graph_of(trace.passes[0]).boxes) == 30


def test_the_caption_shows_the_code_that_made_the_trace():
    caption = re.search("<figcaption>.*</figcaption>", running_example_trace().to_html(assets=False), re.S).group()
    assert "def running_example(" in unescape(caption)
    assert "running_example(trace, x=5.0)" in unescape(running_example_trace(x=5.0).to_html())


def test_a_runnable_trace_offers_its_parameters_as_fields():
    fields = {field["name"]: field for field in running_example_trace(x=5.0).run["fields"]}
    assert fields["x"] == {"name": "x", "kind": "number", "value": 5.0}
    assert fields["mirror"]["kind"] == "switch"
    assert fields["accumulate"]["choices"] == ["add", "overwrite"]


def test_a_parameter_without_default_is_refused():
    with pytest.raises(TypeError, match="runnable: example has no default for x; give it one"):
        runnable(example)


def test_a_parameter_that_no_field_can_hold_is_refused():
    with pytest.raises(TypeError, match="runnable: skip is a str"):
        runnable(running_example)


def example(trace, x):
    """Never run."""


def test_running_again_uses_the_values_of_the_fields():
    run = running_example_trace().run
    values = {field["name"]: field["value"] for field in run["fields"]} | {"x": 5, "y": 2}
    html = rerun(json.dumps(run), json.dumps(values))
    assert "x.grad = 3.0, y.grad = 5.0" in html and "customElements" not in html
    again = json.loads(Tree(html).scripts[0])["run"]
    assert [field["value"] for field in again["fields"]][:2] == [5, 2]


def test_an_error_of_the_code_is_shown_above_what_was_recorded():
    run = running_example_trace().run
    values = {field["name"]: field["value"] for field in run["fields"]} | {"skip": "<never>"}
    run["source"] = run["source"].replace("    backward(", "    raise ValueError('<stop>')\n    backward(")
    html = rerun(json.dumps(run), json.dumps(values))
    assert '<pre class="kt-error" role="alert">ValueError: &lt;stop&gt;</pre>' in html
