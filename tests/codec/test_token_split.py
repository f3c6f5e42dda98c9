"""Where tokens split a value, as its notation writes it, around the wrong character."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import examples

from worldline.codec.token_split import TokenSplit, split_value, written
from worldline.codec.tokens import Bytes, Tiktoken, Tokenizer, from_json, from_ranks
from worldline.core.text import first_difference
from worldline.data.vocabularies import llama3_path, load

WORDS = [b"='", b"ab", b"de", b"def", b"\xe2\x82", b"\"'"]


@pytest.fixture(scope="module")
def ranks() -> Tiktoken:
    pytest.importorskip("tiktoken")
    tokens = [bytes([byte]) for byte in range(256)] + WORDS
    data = b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens))
    return from_ranks("tiny", data, pattern=r"[\s\S]+")


@pytest.fixture(scope="module")
def trained() -> Tokenizer:
    """A byte-level BPE as the `tokenizers` library writes it."""
    tokenizers = pytest.importorskip("tokenizers")
    built = tokenizers.Tokenizer(tokenizers.models.BPE())
    built.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=270, initial_alphabet=alphabet, show_progress=False)
    built.train_from_iterator(["s='abcdef'\n"] * 9, trainer)
    return from_json("j", bytes(built.to_str(), "utf-8"))


def test_a_value_is_split_together_with_its_name(ranks: Tiktoken) -> None:
    split = split_value(ranks, "compact", "s", "'abcdef'")
    assert split == TokenSplit("'abcdef'", (1, 3, 4, 7), 5)  # the quote belongs to the token `='`
    assert split.marked(4) == "'|ab|c|«d»ef|'"
    assert split.token_at(4) == ("def", 0)
    assert split.token_at(5) == ("def", 1)
    assert split.density == 8 / 5


def test_a_value_without_a_name_is_a_result(ranks: Tiktoken) -> None:
    assert written("compact", None, "'ab'") == (")", "'ab'", "\n")
    assert split_value(ranks, "compact", None, "'ab'").cuts == (0, 1, 3)


def test_a_value_in_metas_notation_is_a_json_string(ranks: Tiktoken) -> None:
    before, text, after = written("cwm", "s", "'a\"b'")
    assert before + text + after == '"s": "\'a\\"b\'", '
    split = split_value(ranks, "cwm", "s", "'ab'")
    assert split.marked(1) == "'|«a»b|'"  # the quotes before it are one token
    assert written("cwm", None, "1") == ('<|arg_sep|>"', "1", '"<|frame_sep|>')


def test_a_character_that_tokens_split_is_shown_as_bytes(ranks: Tiktoken) -> None:
    assert split_value(ranks, "compact", "s", "'€'").marked(1) == "'|«<e2><82>|<ac>»|'"


def test_marks_in_a_value_are_escaped(ranks: Tiktoken) -> None:
    assert split_value(Bytes(), "compact", "s", "'|«'").marked(2) == "'|\\||«<c2>|<ab>»|'"
    assert TokenSplit("'|«'", (), 1).marked(0) == "«'»\\|\\«'"


def test_long_values_are_shown_around_the_character() -> None:
    shown = TokenSplit("a" * 100, (), 1).marked(50)
    assert shown == "…" + "a" * 24 + "«a»" + "a" * 24 + "…"
    assert TokenSplit("12", (), 1).marked(2) == "12«»"


def test_first_difference() -> None:
    assert first_difference("abc", "abd") == 2
    assert first_difference("ab", "abc") == 2
    assert first_difference("", "") == 0


@settings(max_examples=examples(16, 100), deadline=None)
@given(st.text(max_size=12), st.sampled_from(["compact", "cwm"]))
def test_splits_lie_within_the_text(ranks: Tiktoken, trained: Tokenizer, text: str, codec: str) -> None:
    for tokenizer in (Bytes(), ranks, trained):
        split = split_value(tokenizer, codec, "s", repr(text))
        size = len(split.text.encode("utf-8", "surrogatepass"))
        assert all(0 <= cut < size for cut in split.cuts)
        assert list(split.cuts) == sorted(set(split.cuts))
        assert len(split.cuts) <= split.tokens <= size + 1
        for at in range(len(split.text) + 1):
            assert split.marked(at)
            split.token_at(at)


def test_llama_3_splits_words_as_in_a_whole_text() -> None:
    pytest.importorskip("tiktoken")
    if llama3_path() is None:
        pytest.skip("the package llama-models is not installed")
    tokenizer = load("llama3")
    value = "'committee mississippi'"
    split = split_value(tokenizer, "cwm", "word", value)
    whole = tokenizer.split(f'<|line_sep|>{{"n": "3", "word": "{value}", "x": "1"}}<|action_sep|>    return n\n')
    at, cuts = 0, []
    start = b"".join(whole).index(value.encode())
    for piece in whole:
        if start <= at < start + len(value):
            cuts.append(at - start)
        at += len(piece)
    assert split.cuts == tuple(cuts)
    assert split.density > 2
