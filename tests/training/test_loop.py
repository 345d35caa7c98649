"""The loop: what a step is, and that a training goes on from a checkpoint as if nothing had happened."""

import json
import signal
import subprocess
import sys
import time
import warnings

import pytest

import kael
from kael.training import (
    NotFinite,
    OtherBits,
    Training,
    checkpoint,
    fit,
    load_checkpoint,
    read_checkpoint,
    save_checkpoint,
)
from kael.training.fitting import best_name

pytest.importorskip("safetensors", reason="needs the extra [train]")


def training(*, samples=10, accumulate=1, clip=None, optimizer=kael.optim.AdamW, workers=0):
    """Dropout draws from the default generator and the order from another one: both must be resumed."""
    kael.manual_seed(3)
    inputs, targets = kael.randn(samples, 4), kael.randn(samples, 2)
    model = kael.nn.Sequential(
        kael.nn.Linear(4, 8), kael.nn.BatchNorm1d(8), kael.nn.ReLU(), kael.nn.Dropout(0.5), kael.nn.Linear(8, 2)
    )
    loader = kael.data.DataLoader(
        kael.data.TensorDataset(inputs, targets), 4, shuffle=True, drop_last=True, num_workers=workers,
        generator=kael.Generator(5),
    )  # fmt: skip
    return Training(
        model, optimizer(model.parameters(), lr=0.01), loader,
        lambda model, batch: kael.nn.functional.mse_loss(model(batch[0]), batch[1]), accumulate=accumulate, clip=clip,
    )  # fmt: skip


def bits(run):
    """All that a training is, as bytes."""
    return {name: tensor.numpy().tobytes() for name, tensor in run.model.state_dict().items()}


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("stop", range(1, 8))
def test_a_resumed_training_makes_the_same_steps_to_the_bit(tmp_path, stop, workers):
    whole = training()
    expected = list(whole.steps(8))
    first = training(workers=workers)
    begun = list(first.steps(stop))
    save_checkpoint(tmp_path / "run", first)
    kael.manual_seed(99)
    second = training(workers=workers)
    load_checkpoint(tmp_path / "run", second)
    assert begun + list(second.steps(8)) == expected
    assert bits(second) == bits(whole)


def test_accumulated_batches_make_the_step_of_their_mean():
    def run(size, accumulate):
        kael.manual_seed(0)
        data = kael.data.TensorDataset(kael.randn(8, 3), kael.randn(8, 1))
        model = kael.nn.Linear(3, 1).double()
        made = Training(
            model, kael.optim.SGD(model.parameters(), lr=0.1), kael.data.DataLoader(data, size),
            lambda model, batch: kael.nn.functional.mse_loss(model(batch[0].double()), batch[1].double()),
            accumulate=accumulate,
        )  # fmt: skip
        return [step.loss for step in made.steps(3)], model.weight.tolist()

    whole, parts = run(8, 1), run(2, 4)
    assert parts[0] == pytest.approx(whole[0], rel=1e-12)
    assert parts[1][0] == pytest.approx(whole[1][0], rel=1e-12)


def test_gradients_are_clipped_and_their_norm_is_told():
    run = training(clip=0.01, optimizer=kael.optim.SGD)
    before = [parameter.tolist() for parameter in run.model.parameters()]
    step = run.advance()
    assert step.norm > 0.01
    moved = sum(
        ((parameter - kael.tensor(old)) ** 2).sum().item()
        for parameter, old in zip(run.model.parameters(), before, strict=True)
    )
    assert moved**0.5 == pytest.approx(0.01 * 0.01, rel=1e-2)


def test_a_loss_that_is_no_number_ends_the_training_before_the_step():
    run = training()
    run.advance()
    before = bits(run)
    run.loss = lambda model, batch: model(batch[0]).sum() * float("nan")
    with pytest.raises(NotFinite, match=r"the loss is nan in step 2; .*detect_anomaly"):
        run.advance()
    after = bits(run)
    assert {name: after[name] for name in after if "1." not in name} == {
        name: before[name] for name in before if "1." not in name
    }
    assert run.step == 1


def test_fit_names_the_last_good_checkpoint(tmp_path):
    run = training()
    loss, calls = run.loss, []

    def fails_later(model, batch):
        calls.append(1)
        return loss(model, batch) * (float("inf") if len(calls) == 5 else 1)

    run.loss = fails_later
    with pytest.raises(NotFinite, match=r"inf in step 5; .*; .*run is the training after step 4"):
        fit(run, 10, checkpoint=tmp_path / "run", save_every=2)
    assert read_checkpoint(tmp_path / "run")[1]["step"] == 4


@pytest.mark.parametrize("samples", [0, 3])
def test_no_batch_is_refused(samples):
    if samples:
        run = training(samples=samples)
    else:
        run = training()
        run.batches = []
    with pytest.raises(ValueError, match="there is no batch to train on"):
        run.advance()


def test_evaluation_does_not_change_the_training(tmp_path):
    plain = training()
    fit(plain, 6)
    watched = training()
    fit(watched, 6, every=1, evaluate=lambda: {"noise": kael.rand(1).item()}, checkpoint=tmp_path / "run")
    assert bits(plain) == bits(watched)


def test_evaluation_finds_the_model_in_evaluation_mode():
    run, seen = training(), []
    fit(run, 2, every=1, evaluate=lambda: seen.append(run.model.training) or {"value": 0.0})
    assert seen == [False, False]
    assert run.model.training


def test_the_best_is_kept_and_patience_ends(tmp_path):
    run, values = training(), iter([5.0, 3.0, 4.0, 3.5, 3.2, 1.0])
    outcome = fit(
        run, 100, every=1, patience=2, evaluate=lambda: {"loss": next(values)}, checkpoint=tmp_path / "run.st"
    )
    assert outcome == (5, "no better", 3.0, 2)
    assert read_checkpoint(best_name(tmp_path / "run.st"))[1]["step"] == 2
    assert read_checkpoint(tmp_path / "run.st")[1]["step"] == 5
    again = training()
    load_checkpoint(tmp_path / "run.st", again)
    assert (again.best, again.best_step, again.waited) == (3.0, 2, 3)


def test_metrics_are_a_line_a_step_and_go_on_after_a_checkpoint(tmp_path):
    path = tmp_path / "metrics.jsonl"
    run = training()
    fit(run, 4, metrics=path, checkpoint=tmp_path / "run", every=2, evaluate=lambda: {"loss_there": 1.5})
    fit(run, 6, metrics=path)
    with path.open("a", encoding="utf-8") as file:
        file.write('{"step": 7, "lo')
    again = training()
    load_checkpoint(tmp_path / "run", again)
    fit(again, 6, metrics=path)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line["step"] for line in lines] == [1, 2, 3, 4, 5, 6]
    assert [line["step"] for line in lines if "loss_there" in line] == [2, 4]
    assert set(lines[0]) == {"step", "epoch", "loss", "lr", "norm", "seconds"}


def test_a_fresh_training_begins_a_new_record(tmp_path):
    path = tmp_path / "metrics.jsonl"
    fit(training(), 3, metrics=path)
    fit(training(), 2, metrics=path)
    assert [json.loads(line)["step"] for line in path.read_text(encoding="utf-8").splitlines()] == [1, 2]


class TestOtherBits:
    def load(self, tmp_path, monkeypatch, **changed):
        save_checkpoint(tmp_path / "run", training())
        now = checkpoint.setting()
        monkeypatch.setattr(checkpoint, "setting", lambda: now | changed)
        load_checkpoint(tmp_path / "run", training())

    def test_nothing_is_said_where_nothing_differs(self, tmp_path, monkeypatch):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.load(tmp_path, monkeypatch)

    def test_who_multiplies_and_the_threads_are_named(self, tmp_path, monkeypatch):
        with pytest.warns(
            OtherBits, match=r"with matmul .*, here another one; threads \d+, here 64: the bits may differ"
        ):
            self.load(tmp_path, monkeypatch, matmul="another one", threads=64)

    def test_kernels_are_named_once_for_each_change(self, tmp_path, monkeypatch):
        rungs = dict.fromkeys(checkpoint.setting()["kernels"], "cython v9")
        with pytest.warns(OtherBits) as caught:
            self.load(tmp_path, monkeypatch, kernels=rungs)
        before = set(checkpoint.setting()["kernels"].values())
        assert str(caught[0].message).count("here on cython v9") <= 3
        assert before == {"cython v9"}


@pytest.mark.parametrize("held", [{"w": 1}, [1], {"format": 2, "about": {}, "training": {}}])
def test_a_file_that_is_no_checkpoint_is_refused(tmp_path, held):
    kael.save(held, tmp_path / "file")
    with pytest.raises(ValueError, match=r"not a checkpoint of a training|is a checkpoint of format 2"):
        load_checkpoint(tmp_path / "file", training())


def test_a_state_of_another_training_is_refused(tmp_path):
    run = training()
    with pytest.raises(ValueError, match="the state has no step, epoch"):
        run.load_state_dict({})
    state = training().state_dict() | {"scheduler": {}}
    with pytest.raises(ValueError, match="saved with a scheduler, and this training has none"):
        run.load_state_dict(state)


PROGRAM = """\
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import kael
from kael.training import fit, load_checkpoint

spec = spec_from_file_location("test_loop", sys.argv[4])
test_loop = module_from_spec(spec)
spec.loader.exec_module(test_loop)
training = test_loop.training

folder = Path(sys.argv[1])
run = training()
if (folder / "run").exists():
    load_checkpoint(folder / "run", run)
def show(report):
    print(report.step.number, flush=True)
    if report.step.number < int(sys.argv[2]):
        return
    import time
    while True:
        time.sleep(0.01)
        if (folder / "go on").exists():
            return
outcome = fit(run, int(sys.argv[3]), checkpoint=folder / "run", save_every=3, metrics=folder / "metrics", show=show)
print(outcome.why)
kael.save(run.model.state_dict(), folder / "model")
"""


def begun(folder, wait_at, until):
    """A training in another process, which waits after a step."""
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder), str(wait_at), str(until), __file__],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", cwd=folder,
    )  # fmt: skip


def await_line(process, wanted):
    for line in process.stdout:
        if line.strip() == wanted:
            return
    pytest.fail(process.stderr.read())


def finished(folder, until):
    out, err = begun(folder, 10**9, until).communicate(timeout=60)
    assert out.endswith("done\n"), err


def test_a_training_that_is_killed_goes_on_to_the_same_end(tmp_path):
    process = begun(tmp_path, 8, 12)
    await_line(process, "8")
    process.kill()
    process.communicate()
    assert read_checkpoint(tmp_path / "run")[1]["step"] == 6
    finished(tmp_path, 12)
    whole = training()
    list(whole.steps(12))
    assert (tmp_path / "metrics").read_text(encoding="utf-8").count("\n") == 12
    found = kael.load(tmp_path / "model")
    assert {name: tensor.numpy().tobytes() for name, tensor in found.items()} == bits(whole)


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to one process there")
def test_ctrl_c_finishes_the_step_and_saves(tmp_path):
    process = begun(tmp_path, 7, 12)
    await_line(process, "7")
    process.send_signal(signal.SIGINT)
    time.sleep(0.1)
    (tmp_path / "go on").touch()
    out, err = process.communicate(timeout=60)
    assert out == "8\ninterrupted\n" or out == "interrupted\n", err
    assert read_checkpoint(tmp_path / "run")[1]["step"] in (7, 8)
    finished(tmp_path, 12)
    whole = training()
    list(whole.steps(12))
    found = kael.load(tmp_path / "model")
    assert {name: tensor.numpy().tobytes() for name, tensor in found.items()} == bits(whole)


@pytest.mark.parametrize(
    ("options", "message"), [({"accumulate": 0}, "accumulate is 0"), ({"clip": 0.0}, "clip is 0.0")]
)
def test_options_outside_their_range_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        training(**options)
