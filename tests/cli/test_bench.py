"""`kael bench overhead`: its rows, its verdicts, and kael alone where PyTorch is missing."""

import json
import subprocess
import sys

import pytest

from kael.bench import command, memory, overhead, scaling, timing
from kael.bench.overhead import Row
from kael.bench.timing import Spread


def row(**fields) -> Row:
    base = {"name": "mul", "unit": "s", "kael": Spread(1e-6, 1e-6, 2e-6), "other": Spread(4e-6, 3e-6, 5e-6)}
    return Row(**{**base, "versus": "PyTorch", "target": 0.35, **fields})


@pytest.mark.parametrize(
    ("fields", "ratio", "met"),
    [
        ({}, 0.25, True),
        ({"target": 0.2}, 0.25, False),
        ({"other": None}, None, None),
        ({"target": None}, 0.25, None),
        ({"unit": "B", "kael": Spread(2000.0, 2000.0, 2000.0), "target": 1024}, 5e8, False),
        ({"unit": "B", "kael": Spread(300.0, 300.0, 300.0), "other": None, "target": 1024}, None, True),
    ],
)
def test_a_row_knows_its_ratio_and_whether_the_target_is_met(fields, ratio, met):
    found = row(**fields)
    assert found.ratio == (ratio if ratio is None else pytest.approx(ratio))
    assert found.met is met


def test_quantities_have_units_that_fit():
    assert command.quantity(Spread(4.2e-7, 4.1e-7, 4.5e-7), "s") == "0.42 µs [0.41, 0.45]"
    assert command.quantity(Spread(0.15, 0.15, 0.15), "s") == "150.00 ms"
    assert command.quantity(Spread(305.2, 305.2, 305.2), "B") == "305 B"


def test_competitors_take_turns():
    seen = []
    spreads = timing.in_turns({"a": lambda: seen.append("a"), "b": lambda: seen.append("b")}, rounds=3)
    assert set(spreads) == {"a", "b"}
    assert all(0 < spread.low <= spread.median <= spread.high for spread in spreads.values())
    turns = [name for name, before in zip(seen, [None, *seen], strict=False) if name != before]
    assert turns[-6:] == ["a", "b"] * 3


def test_a_slow_first_call_does_not_shorten_the_rounds():
    waits = iter([2 * timing.ROUND_SECONDS])
    calls = timing.calls_in_a_round(lambda: burn(next(waits, 0.0)))
    assert calls > 10


def burn(seconds: float) -> None:
    end = timing.clock() + seconds
    while timing.clock() < end:
        pass


def test_the_small_graph_is_measured_in_one_run():
    rows = [row for row in overhead.small_graph(rounds=2, compiled=True) if row.unit != "ratio"]
    assert {*overhead.COUNTED} < {row.name for row in rows}
    assert len(rows) == 6


def test_the_geometric_mean_has_the_target():
    ratios = [row(other=Spread(2e-6, 2e-6, 2e-6)), row(other=Spread(8e-6, 8e-6, 8e-6)), row(other=None)]
    (mean,) = overhead.mean_ratio(ratios, 0.2)
    assert mean.ratio == pytest.approx(0.25) and mean.met is False
    assert overhead.mean_ratio([row(other=None)], 0.2) == []


def test_the_power_of_a_linear_cost_is_one():
    growth = scaling.Growth("chain", "forward", "kael", (1e-6, 1e-6, 1e-6), (10, 100, 1000))
    assert growth.exponent == pytest.approx(1) and growth.end_to_end == 1
    squared = scaling.Growth("chain", "forward", "kael", (1e-6, 1e-5, 1e-4), (10, 100, 1000))
    assert squared.exponent == pytest.approx(2) and squared.end_to_end == pytest.approx(100)


@pytest.mark.parametrize("shape", scaling.SHAPES)
def test_the_cost_of_a_node_is_measured_at_each_size(monkeypatch, shape):
    monkeypatch.setattr(scaling, "SHAPES", (shape,))
    monkeypatch.setattr(scaling, "libraries", lambda: {"kael": None})
    rows = scaling.measure((20, 40))
    assert [row.phase for row in rows] == list(scaling.PHASES)
    assert all(second > 0 for row in rows for second in row.seconds)
    assert "at most 2" in command.growth_as_text(rows)


@pytest.mark.skipif(not memory.available(), reason="this system does not tell what a process holds")
def test_the_peak_of_a_process_is_not_its_parents():
    held = b"1" * 200_000_000  # written, so that it takes pages
    tall = "print(peak()); x = b'1' * 100_000_000; del x; print(peak(), resident())"
    first, then, now = [int(size) for size in overhead.answer("-c", memory.RESIDENT + tall).split()]
    assert first < len(held) / 2 < then
    assert now < then - 90_000_000


@pytest.mark.skipif(not memory.available(), reason="this system does not tell what a process holds")
def test_steps_leave_nothing_behind():
    sizes = memory.growth(300)
    assert max(sizes[3:]) - sizes[3] < 2**20
    shown = command.memory_as_text([memory.Peak("mlp", "kael", 3), memory.Peak("gpt", "kael", 4)], sizes)
    assert "garbage collector off" in shown


def test_a_chain_is_measured_in_an_interpreter_of_its_own():
    rows = overhead.chains(2000)
    assert [row.name for row in rows[:3]] == [
        "a link of 2,000: forward", "a link of 2,000: backward", "a link of 2,000: teardown without backward",
    ]  # fmt: skip
    assert all(row.kael.median > 0 for row in rows[:3])


def test_without_pytorch_kael_stands_alone(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(command, "torch_version", lambda: None)
    monkeypatch.setattr(command, "measure", lambda *_, **options: overhead.small_graph(2, options["compiled"]))
    assert command.main(["overhead"]) == 0
    shown = capsys.readouterr().out
    assert "PyTorch is not installed: kael alone" in shown
    assert all(line.split("]")[1].split()[:2] == ["-", "-"] for line in shown.splitlines()[3:])


def test_json(monkeypatch, capsys):
    monkeypatch.setattr(command, "measure", lambda *_, **__: [row(), row(other=None)])
    assert command.main(["overhead", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["rows"][0]["ratio"] == pytest.approx(0.25) and shown["rows"][0]["met"] is True
    assert shown["rows"][1]["other"] is None
    assert set(shown) == {"python", "torch", "engine", "rows"}


def test_import_is_measured_beside_numpy():
    found = overhead.imports(2)
    assert found.versus == "import numpy" and found.target == 1.5
    assert found.kael.median > 0 and found.other is not None


def test_the_chain_program_is_python():
    subprocess.run([sys.executable, "-c", overhead.CHAIN, "kael", "10", timing.CLOCK], check=True, capture_output=True)
