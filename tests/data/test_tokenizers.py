"""Tokenizers bring every string back, refuse what they do not know by name, and survive their files."""

import json
import re
import time

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import kael
from kael.data import BytePairTokenizer, CharacterTokenizer, Tokenizer, python_docs
from tests.fuzzing import examples

ANY = st.text(st.characters(exclude_categories=()), max_size=60)
"""Strings of all code points, lone surrogates among them."""
PROSE = "the lower the newest low tide, the wider the slower water; naïve Ünïcode 🙂🙂 too\n\n\tdone 2024 2025"
PAIRS = BytePairTokenizer.train(PROSE * 3, 300, special=["<end>", "<end><end>"])

needs_words = st.text(st.sampled_from("the low\n ,.;é🙂\ud800"), max_size=80)


@settings(max_examples=examples(300), deadline=None)
@given(text=st.one_of(ANY, needs_words))
@example(text="\ud83d\ude00 two halves, not one character")
@example(text="")
@example(text="<end>")
@example(text=" \x1c\x85\u2028 \n")
def test_byte_pairs_bring_every_string_back(text):
    tokens = PAIRS.encode(text)
    assert tokens.dtype is kael.int64 and tokens.ndim == 1
    assert PAIRS.decode(tokens) == text
    assert all(token < 300 - 2 for token in tokens.tolist())  # none of them special
    assert PAIRS.decode(PAIRS.encode(text, special=True)) == text


@settings(max_examples=examples(100), deadline=None)
@given(learned=ANY.filter(bool), size=st.integers(256, 300), text=ANY)
def test_what_was_learned_from_does_not_matter_for_the_way_back(learned, size, text):
    tokenizer = BytePairTokenizer.train(learned, size, least=1)
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert tokenizer.vocab_size <= size


@settings(max_examples=examples(200), deadline=None)
@given(vocabulary=ANY.filter(bool), data=st.data())
def test_characters_bring_every_string_of_theirs_back(vocabulary, data):
    tokenizer = CharacterTokenizer.train(vocabulary)
    text = "".join(data.draw(st.lists(st.sampled_from(sorted(set(vocabulary))))))
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert tokenizer.encode(vocabulary).max().item() == tokenizer.vocab_size - 1
    again = Tokenizer.from_json(tokenizer.to_json())
    assert again.characters == tokenizer.characters and type(again) is CharacterTokenizer


@settings(max_examples=examples(100), deadline=None)
@given(text=needs_words, size=st.integers(256, 400))
def test_encoding_is_merging_by_the_definition(text, size):
    """The words of a text, each merged pair by pair in the order of learning, as one would by hand."""
    tokenizer = BytePairTokenizer.train(PROSE, size, least=1)
    expected = []
    for word in re.findall(
        rb" ?[\w\x80-\xff]+| ?[^\s\w\x80-\xff]+|\s+(?!\S)|\s+", text.encode("utf-8", "surrogatepass")
    ):
        piece = list(word)
        for number, (left, right) in enumerate(tokenizer.merges.tolist()):
            place = 0
            while place < len(piece) - 1:
                if piece[place : place + 2] == [left, right]:
                    piece[place : place + 2] = [256 + number]
                place += 1
        expected += piece
    assert tokenizer.encode(text).tolist() == expected


@pytest.mark.parametrize("rung", ["numpy", "python"])
def test_rungs_give_the_same_tokenizer(rung):
    with kael.kernels.use("ch27", rung):
        again = BytePairTokenizer.train(PROSE * 3, 300, special=["<end>", "<end><end>"])
        assert again.to_json() == PAIRS.to_json()
        assert again.encode(PROSE).tolist() == PAIRS.encode(PROSE).tolist()


class TestSpecialTokens:
    def test_they_stand_behind_the_others(self):
        assert PAIRS.special == {"<end>": 298, "<end><end>": 299} and PAIRS.vocab_size == 300
        assert CharacterTokenizer("ab", special=["<pad>"]).special == {"<pad>": 2}

    def test_text_cannot_smuggle_one_in(self):
        assert 298 not in PAIRS.encode("low<end>").tolist()
        assert PAIRS.encode("low<end>", special=True).tolist()[-1] == 298

    def test_the_longest_is_read(self):
        assert PAIRS.encode("<end><end><end>", special=True).tolist() == [299, 298]

    def test_characters_know_them_too(self):
        tokenizer = CharacterTokenizer("ab", special=["<end>"])
        assert tokenizer.encode("ab<end>a", special=True).tolist() == [0, 1, 2, 0]
        assert tokenizer.decode([0, 2]) == "a<end>"


class TestUnknownCharacters:
    def test_one_is_named_with_its_place(self):
        with pytest.raises(ValueError, match=r"character 'é' \(U\+00E9\) at place 3 is not in the vocabulary of 2"):
            CharacterTokenizer("ab").encode("abaéx")
        with pytest.raises(ValueError, match=r"character '\\ud800' \(U\+D800\) at place 0"):
            CharacterTokenizer("ab").encode("\ud800")

    def test_a_token_may_stand_for_them(self):
        tokenizer = CharacterTokenizer("ab", special=["<?>"], unknown="<?>")
        assert tokenizer.encode("a\x00🙂b").tolist() == [0, 2, 2, 1]
        assert tokenizer.decode([0, 2]) == "a<?>"
        assert CharacterTokenizer("ab?", unknown="?").encode("azb").tolist() == [0, 2, 1]


def test_bytes_that_are_no_text_are_marked():
    assert PAIRS.decode([0xE2, 0x82]) == "\ufffd"
    assert PAIRS.decode([0x61, 0xFF, 0x62]) == "a\ufffdb"


class TestFiles:
    @pytest.mark.parametrize("tokenizer", [PAIRS, CharacterTokenizer("a\ud83d\ude00é", ["<end>"], "<end>")])
    def test_a_tokenizer_comes_back_the_same(self, tokenizer, tmp_path):
        path = tmp_path / "tokens.json"
        tokenizer.save(path)
        for again in (Tokenizer.load(path), type(tokenizer).load(path)):
            assert type(again) is type(tokenizer)
            assert again.to_json() == tokenizer.to_json()
            assert again.special == tokenizer.special
            assert again.encode("aé").tolist() == tokenizer.encode("aé").tolist()
        assert [file.name for file in tmp_path.iterdir()] == ["tokens.json"]
        path.read_bytes().decode("ascii")

    def test_a_file_that_cannot_be_written_leaves_the_old_one(self, tmp_path, monkeypatch):
        path = tmp_path / "tokens.json"
        PAIRS.save(path)

        def full(self, *_, **__):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("pathlib.Path.write_text", full)
        with pytest.raises(OSError, match="No space left"):
            CharacterTokenizer("ab").save(path)
        assert type(Tokenizer.load(path)) is BytePairTokenizer

    def test_another_kind_is_refused(self, tmp_path):
        PAIRS.save(tmp_path / "tokens.json")
        with pytest.raises(
            ValueError, match=r"tokens.json: this tokenizer is of kind 'byte pairs'; expected characters"
        ):
            CharacterTokenizer.load(tmp_path / "tokens.json")

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "this is no tokenizer: Expecting value"),
            ("[" * 100_000, "this is no tokenizer: "),
            ("[]", 'does not say "format": "kael tokenizer"'),
            ("{}", 'does not say "format"'),
            ({"version": 2}, "has version 2; this kael reads version 1"),
            ({"kind": ["x"]}, r"of kind \['x'\]; expected byte pairs or characters"),
            ({"merges": None}, "is damaged|must be pairs|must be integers"),
            ({"merges": [[97, 256]]}, "merge 0 is of 97 and 256; before it there are tokens 0 to 255"),
            ({"merges": [[97, -1]]}, "merge 0 is of 97 and -1"),
            ({"merges": [[97]]}, "they must be pairs"),
            ({"merges": [[97, 2**70]]}, "is damaged: TypeError"),
            ({"merges": [[0.5, 1]]}, "is damaged: TypeError"),
            ({"merges": [[97, 97], *([256 + k] * 2 for k in range(60))]}, "take more than 268435456 bytes"),
            ({"special": 5}, "is damaged: TypeError"),
            ({"special": "<a>"}, "is damaged: TypeError"),
            ({"special": ["a", "a"]}, "named twice"),
            ({"kind": "characters"}, "is damaged: KeyError: 'characters'"),
            ({"kind": "characters", "characters": ["ab"], "unknown": None}, "is damaged: TypeError"),
        ],
    )
    def test_damaged_files_are_refused(self, text, said, tmp_path):
        path = tmp_path / "tokens.json"
        if isinstance(text, dict):
            text = json.dumps({**json.loads(BytePairTokenizer([[97, 98]]).to_json()), **text})
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=f"tokens.json: .*({said})"):
            Tokenizer.load(path)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: BytePairTokenizer.train("", 300), ValueError, "the text to learn from is empty"),
        (lambda: BytePairTokenizer.train([], 300), ValueError, "the text to learn from is empty"),
        (lambda: BytePairTokenizer.train("a", 255), ValueError, "vocab_size is 255, but 256 bytes and 0 special"),
        (lambda: BytePairTokenizer.train("a", 257, ["<a>", "<b>"]), ValueError, "256 bytes and 2 special tokens"),
        (lambda: BytePairTokenizer.train(b"a", 300), TypeError, "the text is a bytes; it must be a string"),
        (lambda: BytePairTokenizer.train("a", 300, least=0), ValueError, "least is 0"),
        (lambda: CharacterTokenizer.train(""), ValueError, "the text to learn from is empty"),
        (lambda: CharacterTokenizer("aa"), ValueError, "the token 'a' is named twice"),
        (lambda: CharacterTokenizer("ab", ["b"]), ValueError, "the token 'b' is named twice"),
        (lambda: CharacterTokenizer("ab", [""]), ValueError, "the special token '' is empty"),
        (lambda: CharacterTokenizer("ab", "cd"), TypeError, "special is the string 'cd'; pass a list"),
        (lambda: CharacterTokenizer("ab", ["\ud800"]), ValueError, "cannot be written in UTF-8"),
        (lambda: CharacterTokenizer("ab", unknown="c"), ValueError, "unknown is 'c', which is no token"),
        (lambda: PAIRS.encode(b"a"), TypeError, "the text is a bytes; it must be a string"),
        (lambda: PAIRS.decode([1, 300]), ValueError, "token 300 at place 1 is not in the vocabulary of 300"),
        (lambda: PAIRS.decode(kael.tensor([-1])), ValueError, "token -1 at place 0"),
        (lambda: PAIRS.decode([[1]]), ValueError, r"tokens are \(1, 1\); decode takes one line"),
        (lambda: PAIRS.decode([1.0]), TypeError, "tokens are float64; they must be integers"),
    ],
)
def test_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_several_texts_are_learned_from_as_one_whose_words_stay_apart():
    assert (
        BytePairTokenizer.train(["low ", "lower"], 270).to_json() == BytePairTokenizer.train("low lower", 270).to_json()
    )


def test_half_a_megabyte_is_learned_and_encoded_in_seconds():
    if kael.kernels.rung_of(kael.kernels.chapter("ch27")) == "python":
        pytest.skip("each step of the definition reads the whole text")
    text = python_docs().text
    begin = time.perf_counter()
    tokenizer = BytePairTokenizer.train(text, 2256)
    learned = time.perf_counter()
    tokens = tokenizer.encode(text)
    encoded = time.perf_counter()
    assert tokenizer.vocab_size == 2256 and tokenizer.decode(tokens) == text
    assert len(tokens) < len(text) / 3
    if kael.kernels.rung_of(kael.kernels.chapter("ch27")) == "cython":
        assert learned - begin < 5 and encoded - learned < 5


def test_a_word_of_a_million_bytes_takes_no_quadratic_time():
    begin = time.perf_counter()
    with kael.kernels.use("ch27", "auto"):
        text = "ab" * 500_000
        tokenizer = BytePairTokenizer.train(text, 300)
        tokens = tokenizer.encode(text)
    assert tokenizer.decode(tokens) == text
    assert time.perf_counter() - begin < 30


def test_tokens_are_taken_as_tensor_list_or_array():
    tokens = PAIRS.encode("low tide")
    assert (
        PAIRS.decode(tokens) == PAIRS.decode(tokens.tolist()) == PAIRS.decode(np.array(tokens.tolist())) == "low tide"
    )
    assert PAIRS.decode([]) == PAIRS.decode(kael.zeros(0)) == ""
