"""How likely texts are: an engine that shares beginnings says what it says alone, and the interpreter is calibrated."""

from __future__ import annotations

import math

import numpy as np
import pytest
from plain_predictor import PlainPredictor

from worldline.codec.compact.writer import encode_steps
from worldline.core.errors import UsageError
from worldline.core.hidden import Control
from worldline.core.program import Program
from worldline.plan.futures.below import PHRASES, build_request, measure_below
from worldline.plan.futures.draws import find_draws
from worldline.plan.futures.futures import sandboxed_program
from worldline.plan.futures.odds import EvenOdds, require_text_scorer, text_scorer
from worldline.predict.interpreter import Interpreter
from worldline.predict.models import load_local
from worldline.predict.prediction import PredictionRequest
from worldline.predict.scoring import EngineScorer


def test_draws_are_found_with_their_offsets() -> None:
    text = b"(4\n%'below 6'=3\n5 x=3\n%float=0.5\n%input:'a='\n6)3\n%'below 2'="
    found = find_draws(text)
    assert [(one.kind, text[one.start : one.end]) for one in found] == [
        ("below 6", b"3\n"), ("float", b"0.5\n"), ("input", b"'a='\n"),
    ]  # fmt: skip
    assert [text[one.line] for one in found] == [ord("%")] * 3


def test_an_engine_says_the_same_of_texts_together_and_of_each_alone() -> None:
    engine = load_local().engine
    ask = PredictionRequest(program=Program(source="def f(n):\n    return n\n", call="f(3)"), given=b"(1 n=")
    texts = [b"3\n2\n)3\n.\n", b"3\n2\n)4\n.\n", b"30\n", b"3", b"", b"3\n2\n)3\n.\n"]
    found = EngineScorer(engine).score(ask, texts)
    for text, numbers in zip(texts, found, strict=True):
        state, alone = engine.start(), []
        engine.feed(state, ask.prompt, pin=True)
        logits = engine.feed(state, ask.given, pin=False)
        for byte in text:
            wide = logits.astype(np.float64)
            alone.append(wide[byte] - np.log(np.exp(wide - wide.max()).sum()) - wide.max())
            logits = engine.feed(state, bytes([byte]), pin=False)
        assert numbers.tolist() == pytest.approx(alone, abs=1e-9)
    assert math.exp(found[0].sum()) > 0.9


def test_the_interpreter_is_calibrated_and_the_shipped_model_has_a_row_for_every_n() -> None:
    table = measure_below(require_text_scorer(Interpreter()))
    assert [row.n for row in table.rows] == list(range(2, 21))
    assert table.worst < 1e-12
    assert all(row.rest < 1e-12 and len(row.probabilities) == row.n for row in table.rows)
    assert table.as_json()["calibration"] == pytest.approx(0, abs=1e-12)
    own = measure_below(require_text_scorer(load_local()), [2, 12], PHRASES[:2])
    assert [len(row.probabilities) for row in own.rows] == [2, 12]
    assert all(0 <= p <= 1 for row in own.rows for p in row.probabilities)
    assert own.worst >= max(abs(p - 1 / row.n) for row in own.rows for p in row.probabilities)


def test_draw_is_scored_at_its_value() -> None:
    ask = build_request(6, PHRASES[0])
    (found,) = EvenOdds().score(ask, [b"3\n5 x=3\n"])
    assert found[0] == pytest.approx(-math.log(6))
    assert not found[1:].any()


def test_predictor_without_scores_is_refused() -> None:
    class Mute(PlainPredictor):
        name = "mute"

        def predict(self, asks: object) -> object:
            raise AssertionError

    assert text_scorer(Mute()) is None  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="mute cannot score"):
        require_text_scorer(Mute())  # type: ignore[arg-type]


@pytest.mark.parametrize("phrase", PHRASES)
def test_given_text_starts_the_true_text(phrase: str) -> None:
    ask = build_request(7, phrase)
    with sandboxed_program(ask.program) as world:
        text = encode_steps(world(Control(seed=3)))
    assert text.startswith(ask.given)
    assert len(find_draws(text)) == 1
