"""`kael train digits`: accuracy, equal numbers for equal seeds, and what survives interruptions and full disks."""

import errno
import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sklearn")

from kael import cli, data, kernels
from kael.training import Settings, command, curve, model_for, train_digits
from kael.training.digits import Epoch

pytestmark = pytest.mark.skipif(
    kernels.rung_of(kernels.chapter("ch14_matmul")) == "python",
    reason="takes minutes on plain loops, seconds on the rungs above",
)


def lines(capsys) -> list[str]:
    return capsys.readouterr().out.splitlines()


def reached(settings: Settings) -> list[Epoch]:
    train, test = data.load_digits(settings.seed)
    return list(train_digits(model_for(settings), train, test, settings))


@pytest.mark.parametrize("seed", [0, 1])
def test_at_least_96_percent(seed, capsys):
    assert cli.main(["train", "digits", "--seed", str(seed), "--plain"]) == 0
    *epochs, last = lines(capsys)
    assert last.startswith("test accuracy 0.") and len(last) == len("test accuracy 0.97")
    assert float(epochs[-1].split()[-1]) >= 0.96
    assert abs(float(last.split()[-1]) - float(epochs[-1].split()[-1])) <= 0.006


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3, 4])
def test_at_least_96_percent_for_other_seeds(seed):
    assert reached(Settings(seed=seed))[-1].test_accuracy >= 0.96


def test_the_same_seed_gives_the_same_numbers():
    settings = Settings(seed=3, epochs=2, hidden=(16,))
    assert reached(settings) == reached(settings) != reached(settings._replace(seed=4))


def test_two_hidden_layers_and_no_noise():
    epochs = reached(Settings(epochs=2, hidden=(16, 12), noise=0.0))
    assert epochs[1].loss < epochs[0].loss


def test_the_curve_is_a_png(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    target = tmp_path / "loss.png"
    assert cli.main(["train", "digits", "--epochs", "2", "--hidden", "8", "--plot", str(target)]) == 0
    assert target.read_bytes().startswith(b"\x89PNG\r\n")
    assert [path.name for path in tmp_path.iterdir()] == ["loss.png"]
    assert lines(capsys)[-1].startswith("test accuracy ")


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("missing/loss.png", "there is no folder"),
        ("folder.png", "is a folder; name a file in it"),
        ("loss.pdf", "the picture is a PNG; name it"),
    ],
)
def test_a_picture_that_cannot_be_written_stops_before_the_training(tmp_path, capsys, monkeypatch, target, text):
    (tmp_path / "folder.png").mkdir()
    monkeypatch.setattr(command, "load_digits", lambda *_: pytest.fail("the training began"))
    assert cli.main(["train", "digits", "--plot", str(tmp_path / target)]) == 1
    assert text in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a folder that this user cannot write")
def test_a_folder_without_permission_stops_before_the_training(tmp_path, capsys):
    tmp_path.chmod(0o500)
    assert cli.main(["train", "digits", "--plot", str(tmp_path / "loss.png")]) == 1
    assert "Permission denied" in capsys.readouterr().err


def test_a_full_disk_is_found_before_the_training(tmp_path, monkeypatch, capsys):
    def full(**_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(curve.tempfile, "TemporaryFile", full)
    assert cli.main(["train", "digits", "--plot", str(tmp_path / "loss.png")]) == 1
    text = capsys.readouterr().err
    assert f"{tmp_path / 'loss.png'} cannot be written: {os.strerror(errno.ENOSPC)}; name another folder" in text


def test_a_disk_that_fills_up_meanwhile_costs_the_picture_and_not_the_result(tmp_path, monkeypatch, capsys):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(command, "save_curve", full)
    target = tmp_path / "loss.png"
    assert cli.main(["train", "digits", "--epochs", "1", "--hidden", "8", "--plot", str(target)]) == 1
    shown = capsys.readouterr()
    assert "the loss curve is not saved" in shown.err
    assert shown.out.splitlines()[-1].startswith("test accuracy ")


def test_an_old_picture_survives_a_failed_new_one(tmp_path, monkeypatch):
    figure = pytest.importorskip("matplotlib.figure")
    target = tmp_path / "loss.png"
    target.write_bytes(b"old")

    def fails(self, path, **_: object) -> None:
        Path(path).write_bytes(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(figure.Figure, "savefig", fails)
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        curve.save_curve(target, [Epoch(1, 1.0, 0.5)])
    assert target.read_bytes() == b"old" and list(tmp_path.iterdir()) == [target]


def test_ctrl_c_reports_what_was_reached_and_keeps_the_curve(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    real = command.train_digits

    def interrupted(*arguments):
        yield from itertools.islice(real(*arguments), 2)
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "train_digits", interrupted)
    target = tmp_path / "loss.png"
    assert cli.main(["train", "digits", "--hidden", "8", "--plot", str(target)]) == 130
    shown = capsys.readouterr()
    assert shown.err.strip() == "kael train: stopped in epoch 3 of 20"
    assert shown.out.splitlines()[-1].startswith("test accuracy ") and target.exists()


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT to a child")
def test_ctrl_c_from_outside_exits_130():
    # A process started in the background ignores SIGINT, and so would this child.
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from kael.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    line = [sys.executable, "-c", code, "train", "digits", "--epochs", "100000", "--hidden", "8", "--plain"]
    child = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")
    assert child.stdout is not None
    while not child.stdout.readline().startswith("epoch"):
        pass
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert out.splitlines()[-1].startswith("test accuracy ")
    assert err.strip().startswith("kael train: stopped in epoch") and "Traceback" not in err


def test_a_loss_that_is_no_number_ends_the_training_and_says_why(capsys, recwarn):
    assert cli.main(["train", "digits", "--lr", "1e30", "--epochs", "3", "--hidden", "8", "--plain"]) == 1
    shown = capsys.readouterr()
    assert "kael train: the loss is nan in epoch" in shown.err and "try a smaller --lr" in shown.err
    assert shown.out.splitlines()[-1].startswith("test accuracy ")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--epochs", "0"], "0 is too small; it must be 1 or more"),
        (["--seed", "x"], "'x' is not a whole number"),
        (["--seed", "-1"], "-1 is too small; it must be 0 or more"),
        (["--lr", "nan"], "nan is out of range; it must be a number above 0"),
        (["--batch-size", "0"], "0 is too small"),
        (["--hidden", "0"], "0 is too small"),
    ],
)
def test_options_out_of_range_are_refused(arguments, text, capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["train", "digits", *arguments])
    assert stopped.value.code == 2
    assert text in capsys.readouterr().err


def test_a_bar_is_shown_on_a_terminal_where_tqdm_is_installed(monkeypatch, capsys):
    pytest.importorskip("tqdm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert cli.main(["train", "digits", "--epochs", "1", "--hidden", "8"]) == 0
    shown = capsys.readouterr()
    assert "1/1" in shown.err and "loss" in shown.err
    assert not any(line.startswith("epoch") for line in shown.out.splitlines())


def test_without_tqdm_each_epoch_is_a_line(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert cli.main(["train", "digits", "--epochs", "2", "--hidden", "8"]) == 0
    assert [line.split()[:2] for line in lines(capsys)[1:3]] == [["epoch", "1"], ["epoch", "2"]]
