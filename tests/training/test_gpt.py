"""``kael train gpt`` and ``kael sample``: learning, resuming, writing, and what is refused."""

import json
import re

import pytest

import kael
from kael import cli, kernels
from kael.data.text import Corpus
from kael.training import fit
from kael.training.gpt import GPTSettings, gpt_run, load_gpt

pytest.importorskip("safetensors", reason="needs the extra [train]")
pytestmark = pytest.mark.skipif(
    kernels.rung_of(kernels.chapter("ch14_matmul")) == "python", reason="takes minutes on plain loops"
)

TEXT = "the cat sat on the mat, the dog sat on the log. " * 60
SMALL = GPTSettings(steps=30, batch_size=4, context=16, width=16, layers=1, heads=2)
OPTIONS = ["--batch-size", "4", "--context", "16", "--width", "16", "--layers", "1", "--heads", "2", "--plain"]


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def run(*arguments):
    return cli.main([str(argument) for argument in arguments])


@pytest.mark.parametrize("tokens", ["characters", "bytepairs"])
def test_it_learns_a_text_of_few_words(tokens):
    made = gpt_run(SMALL._replace(steps=300, tokens=tokens, merges=20), Corpus("words", TEXT))
    before = made.evaluate()["validation"]
    outcome = fit(made.training, 300, evaluate=made.evaluate, every=300)
    assert before > 1.5
    assert outcome.best < 0.35


def test_the_loss_of_byte_pairs_is_told_for_a_character():
    made = gpt_run(SMALL._replace(tokens="bytepairs", merges=20), Corpus("words", TEXT))
    found = made.evaluate()
    windows = len(made.tokenizer.encode(TEXT[-len(TEXT) // 10 :]))
    assert found["validation"] == pytest.approx(found["validation per token"] * windows / (len(TEXT) // 10), rel=0.1)


def test_rotary_positions_learn_too():
    made = gpt_run(SMALL._replace(steps=200, positions="rotary"), Corpus("words", TEXT))
    assert fit(made.training, 200, evaluate=made.evaluate, every=200).best < 1.0


def test_a_training_is_shown_saved_and_writes(text, tmp_path, capsys):
    path = tmp_path / "gpt.safetensors"
    assert (
        run("train", "gpt", "--text", text, "--steps", 20, "--checkpoint", path, "--metrics", tmp_path / "m", *OPTIONS)
        == 0
    )
    shown = capsys.readouterr().out
    assert re.search(r"^text.txt, 2,880 characters, SHA-256 [0-9a-f]{16}$", shown, re.MULTILINE)
    assert re.search(r"^step    20 loss \d\.\d{4} validation \d\.\d{4} +\d+\.\d s$", shown, re.MULTILINE)
    assert re.search(r"validation loss \d\.\d{4} nats a character; checkpoint in .*gpt.safetensors\n\n", shown)
    assert shown.partition("gpt.safetensors\n\n")[2].startswith(TEXT[-len(TEXT) // 10 :][:32])
    assert [json.loads(line)["step"] for line in (tmp_path / "m").read_text(encoding="utf-8").splitlines()] == [
        *range(1, 21)
    ]


def test_a_resumed_training_ends_as_one_that_was_not(text, tmp_path, monkeypatch):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    shared = ["train", "gpt", "--text", text, *OPTIONS, "--threads", 1]
    assert run(*shared, "--steps", 12, "--checkpoint", whole) == 0
    made = gpt_run(SMALL._replace(steps=12), Corpus("text.txt", TEXT))
    fit(made.training, 7, checkpoint=parts, about=made.about)
    assert run(*shared, "--resume", "--checkpoint", parts) == 0
    one, other = (load_gpt(path)[0].state_dict() for path in (whole, parts))
    assert all((one[name] == other[name]).all() for name in one)


def test_a_checkpoint_is_not_overwritten(text, tmp_path, capsys):
    path = tmp_path / "gpt.safetensors"
    path.write_bytes(b"mine")
    assert run("train", "gpt", "--text", text, "--checkpoint", path) == 1
    assert "is there already; add --resume to go on with it, or name another --checkpoint" in capsys.readouterr().err
    assert path.read_bytes() == b"mine"


@pytest.fixture
def trained(tmp_path):
    path = tmp_path / "gpt.safetensors"
    made = gpt_run(SMALL._replace(steps=3), Corpus("text.txt", TEXT))
    fit(made.training, 3, checkpoint=path, about=made.about)
    return path


def test_the_same_seed_writes_the_same_text(trained, capsys):
    said = []
    for seed in (1, 1, 2):
        assert run("sample", trained, "--prompt", "the ", "--count", 40, "--seed", seed) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] != said[2]
    assert said[0].startswith("the ")
    assert len(said[0]) == 4 + 40 + 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--prompt", "ж"], "'ж'"),
        (["--prompt", ""], "at least one token"),
        (["--temperature", "-1"], "temperature is -1.0; it must be 0 or more"),
        (["--top-p", "2"], "top_p is 2.0; it must be above 0 and at most 1"),
    ],
)
def test_what_cannot_be_written_is_refused(trained, arguments, message, capsys):
    assert run("sample", trained, *arguments) == 1
    error = capsys.readouterr().err
    assert error.startswith("kael sample: ")
    assert message in error


def test_a_file_that_is_no_gpt_is_refused(tmp_path, capsys):
    kael.save({"w": kael.ones(1)}, tmp_path / "file")
    assert run("sample", tmp_path / "file") == 1
    assert "not a checkpoint of a training" in capsys.readouterr().err
    assert run("sample", tmp_path / "missing") == 1
    assert "missing: No such file" in capsys.readouterr().err


def test_resuming_with_other_settings_or_another_text_is_refused(trained, text, tmp_path, capsys):
    assert run("train", "gpt", "--text", text, "--checkpoint", trained, "--resume", "--width", 32) == 1
    assert f"--width is 32 but {trained} was trained with 16" in capsys.readouterr().err
    other = tmp_path / "other.txt"
    other.write_text(TEXT + "!", encoding="utf-8")
    assert run("train", "gpt", "--text", other, "--checkpoint", trained, "--resume") == 1
    assert "was trained on another text: text.txt, 2,880 characters" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "is empty"), (b"\xff\xfe", "is not UTF-8"), (b"short", "too few for one window")],
)
def test_a_text_that_cannot_be_learned_is_refused(tmp_path, content, message, capsys):
    path = tmp_path / "text.txt"
    path.write_bytes(content)
    assert run("train", "gpt", "--text", path, "--checkpoint", tmp_path / "gpt") == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "gpt").exists()


def test_models_are_listed_with_their_sizes(capsys):
    assert run("models") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in lines] == [["kael", "train", name] for name in ("digits", "mnist", "gpt")]
    assert all(re.search(r" [\d,]+ parameters  ", line) for line in lines)
