"""Counting and splitting: pieces join to the text, counts match the real libraries, faults are explained."""

from __future__ import annotations

import base64
import builtins
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import examples

from worldline.codec.tokens import CWM_SPECIAL, PATTERNS, Bytes, Json, Tiktoken, from_json, from_ranks
from worldline.core.errors import UsageError
from worldline.data.vocabularies import llama3_path, load

pytestmark = pytest.mark.unit

WORDS = [b"de", b"def", b" r", b" re", b"  ", b"x+", b"xy", b"\xc3\xa9", b"\n\n"]


def ranks_file(words: list[bytes] = WORDS) -> bytes:
    """A tiny tiktoken file: the 256 bytes and a few merges."""
    tokens = [bytes([byte]) for byte in range(256)] + words
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens))


@pytest.fixture(scope="module")
def ranks() -> Tiktoken:
    return from_ranks("tiny", ranks_file(), pattern="llama3", special={"<|frame_sep|>": 300})


@pytest.fixture(scope="module")
def json_file() -> bytes:
    """A byte-level BPE trained here, as the library writes it, with truncation and a special token."""
    tokenizers = pytest.importorskip("tokenizers")
    built = tokenizers.Tokenizer(tokenizers.models.BPE())
    built.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=300, initial_alphabet=alphabet, special_tokens=["<|frame_sep|>"], show_progress=False
    )
    built.train_from_iterator(["def f(x):\n    return x + 1\n"] * 9, trainer)
    built.enable_truncation(3)
    built.enable_padding(length=50)
    return bytes(built.to_str(), "utf-8")


def test_bytes_are_bytes() -> None:
    assert Bytes().ids("é\n") == [0xC3, 0xA9, 10]
    assert Bytes().split("é\n") == [b"\xc3", b"\xa9", b"\n"]
    assert Bytes().count("\ud800a") == 4


def test_ranks_merge_and_specials_are_one_token(ranks: Tiktoken) -> None:
    assert ranks.split("def <|frame_sep|>é") == [b"def", b" ", b"<|frame_sep|>", b"\xc3\xa9"]
    assert ranks.ids("<|frame_sep|><|frame_sep|>") == [300, 300]
    assert ranks.count("<|line_sep|>") > 1


@settings(max_examples=examples(33, 200), deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_pieces_join_to_the_text(ranks: Tiktoken, json_file: bytes, text: str) -> None:
    for tokenizer in (Bytes(), ranks, from_json("j", json_file)):
        pieces = tokenizer.split(text)
        assert b"".join(pieces) == text.encode()
        assert len(pieces) == tokenizer.count(text) == len(tokenizer.ids(text))


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "x" * 9 + "\udc80"])
def test_lone_surrogates_are_counted_not_refused(ranks: Tiktoken, json_file: bytes, text: str) -> None:
    assert ranks.count(text) > 0
    assert from_json("j", json_file).count(text) > 0


def test_json_counts_whole_texts_whatever_the_file_says_of_truncation(json_file: bytes) -> None:
    tokenizer = from_json("j", json_file)
    assert isinstance(tokenizer, Json)
    assert tokenizer.count("def f(x):\n" * 50) >= 50
    assert tokenizer.count("") == 0
    assert tokenizer.count("<|frame_sep|>" * 3) == 3


@pytest.mark.parametrize("piece", ["x", " ", "x" * 24_999 + "\n"])
def test_long_texts_neither_panic_nor_lose_bytes(ranks: Tiktoken, piece: str) -> None:
    text = piece * (900_000 // len(piece))
    assert b"".join(ranks.split(text)) == text.encode()


def test_a_special_token_is_never_cut_by_the_length_bound(ranks: Tiktoken) -> None:
    mark = "<|frame_sep|>"
    for before in range(400_000 - len(mark) - 1, 400_001):
        text = ("x " * 200_001)[-before:] + mark + mark
        assert ranks.ids(text)[-2:] == [300, 300]


def test_load_takes_names_and_files(tmp_path: Path, json_file: bytes) -> None:
    (tmp_path / "t.json").write_bytes(json_file)
    (tmp_path / "t.tiktoken").write_bytes(ranks_file())
    assert load("bytes").count("é") == 2
    assert isinstance(load(str(tmp_path / "t.json")), Json)
    named = load(f"{tmp_path / 't.tiktoken'}#gpt2")
    regex = load(f"{tmp_path / 't.tiktoken'}#{PATTERNS['gpt2']}")
    assert named.ids("def return") == regex.ids("def return")
    assert load(f"{tmp_path / 't.tiktoken'}#.").count("def") == 3


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "no ranks"),
        (b"AA== zero\n", "line 1"),
        (b"!!!! 0\n", "line 1"),
        (b"AA== 0\n", "byte 1 has no rank"),
        (b"{}", "not a file of the tokenizers library"),
        (ranks_file(), "no known pattern has"),
    ],
)
def test_a_bad_file_is_a_usage_error(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "bad").write_bytes(content)
    with pytest.raises(UsageError, match=says):
        load(str(tmp_path / "bad"))


def test_a_bad_pattern_and_an_absent_file_are_usage_errors(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        from_ranks("t", ranks_file(), pattern="(")
    with pytest.raises(UsageError, match="No such file"):
        load(str(tmp_path / "absent"))


@pytest.mark.parametrize(("package", "build"), [("tiktoken", from_ranks), ("tokenizers", from_json)])
def test_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch, package: str, build: Any) -> None:
    real = builtins.__import__

    def absent(name: str, *rest: Any) -> Any:
        if name == package:
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(UsageError, match=r"worldline\[tokens\]"):
        build("t", ranks_file())


@pytest.mark.skipif(llama3_path() is None, reason="llama-models is not installed (pip install --no-deps llama-models)")
class TestLlama3:
    """Against facts published by Meta: token ids of the model card's examples and of CWM's format."""

    def test_ids(self) -> None:
        assert load("llama3").ids("This is a test sentence.") == [2028, 374, 264, 1296, 11914, 13]

    def test_every_mark_of_the_cwm_format_is_one_token(self) -> None:
        assert load("llama3").ids("".join(CWM_SPECIAL)) == list(CWM_SPECIAL.values())


def test_llama3_says_what_to_install_when_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldline.data.vocabularies.llama3_path", lambda: None)
    with pytest.raises(UsageError, match="llama-models"):
        load("llama3")
