"""What outputs look like that hold no step of a trace."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.evaluation.run.text_form import (
    ANSWER,
    CODE,
    COMPACT,
    JSON,
    MARKDOWN,
    META,
    NOTHING,
    OTHER,
    PROSE,
    advise,
    form_of,
)

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("", NOTHING),
        (" \n", NOTHING),
        ("Sure! The function returns 5 because it adds both numbers.", PROSE),
        ("Die Funktion gibt 5 zurück.", PROSE),
        ("**Step 1**: n is set to 0", MARKDOWN),
        ("1. First n is set to 0\n2. Then the loop starts\n", MARKDOWN),
        ("Here is the trace:\n```\nfoo\n```\n", MARKDOWN),
        ('{"steps": [{"line": 1}]}', JSON),
        ('[{"line": 1, "n": 0}]', JSON),
        ("[1, 2]", ANSWER),
        ("'abc'", ANSWER),
        ("{'a': 1}", ANSWER),
        ("assert f(1) == 3", ANSWER),
        ("[ANSWER]\n3\n[/ANSWER]", ANSWER),
        ("def f(x):\n    return x\n", CODE),
        ('<|frame_sep|><|call_sep|>{"x": "1"}<|action_sep|>def f(x):\n', META),
        ("(1 n=4\n2\n)8\n.\n", COMPACT),
        ("?!", OTHER),
    ],
)
def test_the_form_of_a_text(text: str, form: str) -> None:
    assert form_of(text.encode()) == form


@given(st.binary(max_size=300))
def test_any_bytes_have_a_form(data: bytes) -> None:
    assert form_of(data)


def test_deeply_nested_and_long_texts_have_a_form() -> None:
    assert form_of(b"[" * 100_000) == OTHER
    assert form_of(b"word " * 100_000) == PROSE


def test_the_advice_fits_the_source_of_the_outputs() -> None:
    assert "--field text=NAME" in advise(PROSE, model="out.jsonl", is_scored=True)
    assert "-M codec=cwm" in advise(META, model="server:u#m", way="chat")
    assert "max_tokens" in advise(NOTHING, model="server:u#m", way="chat")
    assert "your-model.md" in advise(PROSE, model="python:m.py:model")
