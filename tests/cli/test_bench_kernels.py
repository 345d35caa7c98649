"""`kael bench elementwise|reductions|...`: what is measured, ratios and verdicts, JSON, baselines, pictures, errors."""

import json
import sys

import numpy as np
import pytest

import kael
from kael import kernels
from kael.bench import alone, baseline, cases, command, gain, overhead, peak, report
from kael.bench.cases import KAEL, NUMPY, ONE, RUNG, TORCH, Case, Result
from kael.bench.peak import Peaks
from kael.bench.report import Report
from kael.bench.timing import Spread, in_turns
from kael.extras import MissingExtra

MATMUL = "matmul"
HERE = report.about(["matmul"])


def spread(median: float, off: float = 0.0) -> Spread:
    return Spread(median, median - off, median + off)


def result(name="8x8", kael=2.0, torch=4.0, **fields) -> Result:
    times = {KAEL: spread(kael, 0.1), NUMPY: spread(8.0)} | ({} if torch is None else {TORCH: spread(torch)})
    base = {"kind": "matmul", "group": MATMUL, "versus": TORCH, "traffic": 100, "work": 1000, "times": times}
    return Result(**{**base, "name": name, **fields})


def made(*rows: Result, **about) -> Report:
    return Report(HERE | about, Peaks(100.0, 50.0, 2000.0), list(rows))


@pytest.fixture
def measured(monkeypatch):
    """What a run finds, set by the test, in place of measuring."""
    found = [made(result())]
    monkeypatch.setattr(alone, "run", lambda kinds, quick: found[0])
    return found


@pytest.fixture(scope="module")
def every_case() -> list[Case]:
    return [case for kind in alone.KINDS.values() for case in kind()]


def test_ratios_are_kaels_median_over_the_others():
    row = result()
    assert row.ratio == row.over(TORCH) == 0.5 and row.over(NUMPY) == 0.25
    assert result(versus=NUMPY).ratio == 0.25
    assert row.bandwidth == 50 and row.rate == 500
    assert result(traffic=0, work=0).bandwidth is None


def test_without_pytorch_a_row_has_no_ratio_and_no_group():
    row = result(torch=None)
    assert row.ratio is None and row.over(TORCH) is None
    assert report.groups([row]) == []


def test_a_group_has_the_geometric_mean_and_the_worst_row():
    (group,) = report.groups([result("a", kael=1.0), result("b", kael=4.0), result("c", group=None, kael=400.0)])
    assert group.rows == 2 and group.mean == pytest.approx(0.5) and group.met
    assert group.worst == "b" and group.highest == 1 and group.worst_met
    (missed,) = report.groups([result("a", kael=5.1)])
    assert not missed.met and not missed.worst_met


def test_every_group_of_a_case_has_a_target(every_case):
    assert {case.group for case in every_case if case.group} | {overhead.GROUP, gain.GROUP} == set(report.TARGETS)


def test_names_are_unique_within_a_kind(every_case):
    names = [(case.kind, case.name) for case in every_case]
    assert len(set(names)) == len(names)


def test_all_libraries_compute_the_same(every_case):
    for case in every_case:
        found = {name: as_arrays(call()) for name, call in cases.competitors(case).items()}
        assert found.keys() >= {KAEL}
        for name, arrays in found.items():
            for mine, other in zip(found[KAEL], arrays, strict=True):
                np.testing.assert_allclose(mine, other, rtol=1e-3, atol=2e-3, err_msg=f"{case.name}: {name}")


def as_arrays(result) -> list:
    parts = result if isinstance(result, list) else [result]
    return [part if isinstance(part, np.ndarray | np.generic) else part.detach().numpy() for part in parts]


def test_the_numpy_rung_is_on_for_its_turns_alone():
    seen = []
    calls = {name: lambda name=name: seen.append((name, kernels.rung_of(kernels.chapter("ch12")))) for name in "ab"}
    before = kernels.rung_of(kernels.chapter("ch12"))
    in_turns(calls, 2, {"b": cases.numpy_rung})
    assert set(seen) == {("a", before), ("b", "numpy")}
    assert kernels.rung_of(kernels.chapter("ch12")) == before


def test_results_have_the_competitors_of_their_case():
    (row,) = cases.measure([cases.forward("k", "sum", lambda _, x: x.sum(), cases.numbers(3), numpy=np.sum)], 2)
    assert {KAEL, RUNG, NUMPY} <= set(row.times) and row.over(RUNG) > 0


def test_without_pytorch_kael_and_numpy_are_measured(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    case = cases.forward("k", "sum", lambda _, x: x.sum(), cases.numbers(3), numpy=np.sum)
    assert set(cases.competitors(case)) == {KAEL, RUNG, NUMPY}


def test_a_backward_pass_gives_the_gradients_of_what_is_learned():
    case = cases.backward("k", "mul", lambda _, x, y: x * y, cases.numbers(3), cases.numbers(3, seed=1), fixed=1)
    (found,) = case.prepare(kael)()
    np.testing.assert_array_equal(found.numpy(), cases.numbers(3, seed=1) ** 2)


def test_every_large_case_is_there():
    assert {case.name for case in gain.cases()} == {name for names in gain.LARGE.values() for name in names}


def test_two_threads_are_measured_beside_one(monkeypatch, measured, capsys):
    seen = []
    case = cases.forward("k", "sum", lambda _, x: seen.append(kael.get_num_threads()) or x.sum(), cases.numbers(3))
    monkeypatch.setattr(gain, "TURN", 0.001)
    monkeypatch.setattr(gain, "cases", lambda: [case])
    monkeypatch.setattr(gain, "libraries", lambda: {"kael": kael})
    rows = gain.measure(2)
    assert set(seen) == {1, gain.THREADS} and kael.get_num_threads() == 1
    assert rows[0].ratio == rows[0].over(ONE) > 0
    measured[0] = made(*rows)
    assert command.main(["threads"]) == 0
    assert f"{1 / rows[0].ratio:.2f}" in capsys.readouterr().out


def test_peaks_are_above_zero(monkeypatch):
    monkeypatch.setattr(peak, "ROW", 100)
    monkeypatch.setattr(peak, "FAR", 1000)
    assert all(value > 0 for value in peak.measure(2))


def test_a_run_goes_to_json_and_back():
    before = made(result(), result("own", torch=None, versus=NUMPY))
    text = report.to_json(before)
    assert report.from_json(text) == before
    whole = json.loads(text)
    assert set(whole) == {"about", "peaks", "groups", "rows"}
    assert {"python", "numpy", "torch", "instruction_set", "threads", "machine"} <= set(whole["about"])
    assert whole["rows"][0]["ratio"] == 0.5 and whole["rows"][0]["times"][TORCH]["median"] == 4
    assert whole["groups"][0]["met"] is True and whole["groups"][0]["limit"] == report.WORST


def test_the_table_shows_ratios_first_and_parts_of_the_peaks(measured, capsys):
    assert command.main(["matmul"]) == 0
    shown = capsys.readouterr().out
    line = next(line for line in shown.splitlines() if line.startswith("8x8"))
    assert line.split()[:3] == ["8x8", "0.50", "0.25"]
    assert "50%" in line and "25%" in line
    assert "at most 0.90: met" in shown


def test_json_goes_to_stdout_and_to_a_file(measured, capsys, tmp_path):
    assert command.main(["all", "--json", "--save", str(tmp_path / "run.json")]) == 0
    assert report.from_json(capsys.readouterr().out) == measured[0]
    assert report.from_json((tmp_path / "run.json").read_text(encoding="utf-8")) == measured[0]


@pytest.mark.parametrize(("kael", "code", "word"), [(2.0, 0, "no row"), (2.3, 1, "slower"), (1.5, 0, "quicker")])
def test_a_baseline_tells_what_changed_by_more_than_the_spread(measured, capsys, tmp_path, kael, code, word):
    path = tmp_path / "before.json"
    path.write_text(report.to_json(made(result(), result("gone"))), encoding="utf-8")
    measured[0] = made(result(kael=kael), result("new"))
    assert command.main(["matmul", "--baseline", str(path)]) == code
    assert word in capsys.readouterr().out


def test_a_change_that_the_other_libraries_share_is_the_machines():
    before = [result("a"), result("b", kael=3.0), result("c")]
    slow = [
        row._replace(times={name: Spread(*[2 * value for value in spread]) for name, spread in row.times.items()})
        for row in before
    ]
    assert baseline.changes(made(*before), made(*slow)) == []
    (change,) = baseline.changes(made(*before), made(*slow[::2], result("b", kael=9.0)))
    assert change.name == "matmul: b" and change.slower


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "it is not what `kael bench ... --save FILE` writes"),
        ("[]", "it is not what `kael bench ... --save FILE` writes"),
        (report.to_json(made(result(), machine="an abacus")), "its processor is 'an abacus', here it is"),
        (report.to_json(made(result(), instruction_set="v9")), "its instruction set is 'v9', here it is"),
        (report.to_json(made(result(kind="conv"))), "it has no rows of matmul"),
    ],
)
def test_a_baseline_that_does_not_compare_is_refused(measured, capsys, tmp_path, text, told):
    path = tmp_path / "before.json"
    path.write_text(text, encoding="utf-8")
    assert command.main(["matmul", "--baseline", str(path)]) == 1
    shown = capsys.readouterr()
    assert told in shown.err and not shown.out


def test_a_baseline_that_cannot_be_read(measured, tmp_path):
    with pytest.raises(FileNotFoundError):
        command.main(["matmul", "--baseline", str(tmp_path / "none.json")])


def test_a_file_in_a_folder_that_is_not_there_is_refused_before_measuring(measured, tmp_path):
    with pytest.raises(FileNotFoundError, match="no such folder"):
        command.main(["matmul", "--save", str(tmp_path / "none" / "run.json")])


def test_plain_loops_are_not_run_over_a_million_elements(capsys):
    with kernels.use("ch12", "python"):
        assert command.main(["elementwise"]) == 1
    shown = capsys.readouterr()
    assert "KAEL_KERNELS runs ch12_elementwise as plain loops" in shown.err and not shown.out


def test_a_run_that_fails_is_told_in_a_line(monkeypatch, capsys):
    monkeypatch.setenv("KAEL_KERNELS", "nonsense")
    assert command.main(["matmul", "--quick"]) == 1
    assert "kael bench: measuring matmul ended with code 1" in capsys.readouterr().err


def test_an_unknown_kind_is_refused(capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(["elementwize"])
    assert ended.value.code == 2
    assert "elementwise" in capsys.readouterr().err


def test_a_picture_has_a_bar_for_each_ratio_and_a_point_for_each_rate(measured, tmp_path):
    measured[0] = made(result(), result("slow", kael=8.0), result("alone", torch=None))
    path = tmp_path / "run.svg"
    assert command.main(["matmul", "--plot", str(path)]) == 0
    drawn = path.read_text(encoding="utf-8")
    assert drawn.startswith("<?xml") and "</svg>" in drawn


def test_a_picture_in_a_format_that_does_not_exist_is_refused_before_measuring(measured, capsys):
    assert command.main(["matmul", "--plot", "run.tune"]) == 1
    shown = capsys.readouterr()
    assert "--plot run.tune: matplotlib writes" in shown.err and ".svg" in shown.err and not shown.out


def test_without_matplotlib_the_extra_is_named_before_measuring(measured, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"pip install '\.\[train\]'"):
        command.main(["matmul", "--plot", "run.png"])


def test_a_run_measures_on_one_thread_and_is_a_baseline_for_the_next(monkeypatch, tmp_path):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    found = alone.run([alone.OVERHEAD], quick=True)
    assert found.about["threads"] == 1
    assert {row.kind for row in found.rows} == {"overhead"} and len(found.rows) == 6
    (tmp_path / "run.json").write_text(report.to_json(found), encoding="utf-8")
    assert baseline.load(tmp_path / "run.json", [alone.OVERHEAD]) == found
