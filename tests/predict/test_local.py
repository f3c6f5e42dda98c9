"""An engine as a predictor: order, batches, budgets, what is given, what is forced."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
from scripted import Scripted, random_engine
from unrolled import imagine, unroll

from worldline.codec.compact.guide.guide import Guide
from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact, prompt
from worldline.codec.compact.script import ChosenSteps
from worldline.codec.compact.writer import encode_steps
from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.predict.local import Local
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.rollout import RolloutDraft
from worldline.recording.recorder import record_many

SOURCE = """\
def f(n):
    xs = []
    for i in range(n):
        xs.append([i, str(i)])
    return xs
"""
PROGRAMS = [Program(source=SOURCE, call=f"f({n})") for n in (5, 0, 9, 1, 3, 7, 2)]
TEXTS = [encode_steps(trace) for trace in record_many(PROGRAMS, trust=True, limits=Limits())]
SCRIPT = {prompt(program): text for program, text in zip(PROGRAMS, TEXTS, strict=True)}
ASKS = [PredictionRequest(program=program) for program in PROGRAMS]


def predictions(engine: Scripted, **options: object) -> list[Prediction]:
    return list(Local(engine, name="script", **options).predict(ASKS))  # type: ignore[arg-type]


@pytest.mark.parametrize("batch", [1, 2, 8])
@pytest.mark.parametrize("options", [{}, {"guard": True}, {"guide": False}])
def test_predictions_come_in_the_order_asked(batch: int, options: dict[str, bool]) -> None:
    engine = Scripted(SCRIPT)
    found = predictions(engine, batch=batch, **options)
    assert [prediction.text for prediction in found] == TEXTS
    assert {prediction.status for prediction in found} == {"ended"}
    assert all(prediction.seconds > 0 for prediction in found)
    assert max(engine.batches) == min(batch, len(ASKS))


def test_a_finished_text_is_replaced_at_once() -> None:
    """Continuous batching: the batch stays full as long as there is something to ask."""
    engine = Scripted(SCRIPT)
    predictions(engine, batch=3)
    sizes = engine.batches
    last = len(sizes) - 1 - sizes[::-1].index(3)
    assert set(sizes[:last]) <= {2, 3}
    assert sum(size == 3 for size in sizes) > 0.5 * len(sizes)


def test_long_prompts_enter_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A state holds keys for every byte of its prompt, so a batch is bounded by them too."""
    longest = max(len(ask.prompt) for ask in ASKS)
    for room, most in ((longest - 1, 1), (2 * longest, 2)):
        monkeypatch.setattr("worldline.predict.local.MAX_PROMPT_BYTES", room)
        engine = Scripted(SCRIPT)
        assert [prediction.text for prediction in predictions(engine, batch=8)] == TEXTS
        assert max(engine.batches) == most


def test_a_prediction_is_given_out_before_the_rest_is_asked_for() -> None:
    engine = Scripted(SCRIPT)
    stream = Local(engine, name="script", batch=1).predict(ASKS)
    next(stream)
    assert b"".join(data for data, pin in engine.fed if pin) == ASKS[0].prompt


def test_forced_bytes_are_never_sampled() -> None:
    """An engine that hates every forced byte still writes them, and they cost nothing."""
    program, text = PROGRAMS[0], TEXTS[0]
    guide, forced, chosen = Guide(program, guard=True), 0, 0
    for byte in text:
        if guide.bits.bit_count() == 1:
            forced += 1
        else:
            chosen += 1
        guide.feed(byte)
    assert forced > 20
    local = Local(Scripted(SCRIPT), name="script", guard=True, logprobs=True)
    (found,) = local.predict([ASKS[0]])
    assert found.text == text
    assert len(local.logprobs) == len(text)
    assert sum(logprob == 0.0 for logprob in local.logprobs) == forced
    assert found.logprob == pytest.approx(sum(local.logprobs))
    assert found.logprob is not None
    assert chosen * math.log(math.exp(5) / (math.exp(5) + 255)) <= found.logprob < 0


def test_log_probabilities_are_relative_to_allowed_bytes() -> None:
    draft = RolloutDraft(ASKS[0], guide=True, guard=False, temperature=0.0, random=None)
    assert draft.guide is not None
    logits = np.zeros(256, np.float32)
    count = draft.guide.bits.bit_count()
    byte, logprob = draft.choose(logits)
    assert draft.guide.allowed()[byte]
    assert logprob == pytest.approx(-math.log(count))
    assert draft.entropy(logits) == pytest.approx(math.log(count))


@pytest.mark.parametrize("limit", [0, 1, 7, 20])
@pytest.mark.parametrize("guide", [True, False])
def test_the_limit_cuts(limit: int, guide: bool) -> None:
    asks = [PredictionRequest(program=program, limit=limit) for program in PROGRAMS]
    for found, text in zip(Local(Scripted(SCRIPT), name="s", guide=guide).predict(asks), TEXTS, strict=True):
        assert found.text == text[:limit]
        assert found.status == "budget"


@pytest.mark.parametrize("guide", [True, False])
def test_what_is_given_is_read_and_continued(guide: bool) -> None:
    for cut in (1, 9, len(TEXTS[0]) - 3, len(TEXTS[0])):
        engine = Scripted(SCRIPT)
        ask = PredictionRequest(program=PROGRAMS[0], given=TEXTS[0][:cut])
        local = Local(engine, name="s", guide=guide, logprobs=True)
        (found,) = local.predict([ask])
        assert (found.text, found.status) == (TEXTS[0], "ended")
        assert len(local.logprobs) == len(TEXTS[0]) - cut
        read = b"".join(data for data, pin in engine.fed if not pin)
        assert read.startswith(ask.given) or cut == len(TEXTS[0])


def test_given_steps_may_leave_the_control_flow_but_not_the_grammar() -> None:
    given = b"(1 n=5\n5\n"  # no run goes from line 1 to line 5
    ask = PredictionRequest(program=PROGRAMS[0], given=given, limit=40)
    (found,) = Local(random_engine(1), name="random", guard=True).predict([ask])
    assert found.text.startswith(given)
    with pytest.raises(UsageError, match="not steps of this program"):
        list(
            Local(random_engine(1), name="random").predict([PredictionRequest(program=PROGRAMS[0], given=b"(1 n=05\n")])
        )


def test_dictated_text_may_leave_the_grammar() -> None:
    # As where a true step stands behind a wrong one.
    ask = PredictionRequest(program=PROGRAMS[0], given=b"(1 n=05\n", limit=40)
    (found,) = Local(random_engine(1), name="random").follow([ask], [ChosenSteps([], frozenset())])
    assert found.text.startswith(ask.given)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("options", [{}, {"guide": False}, {"temperature": 1.0, "random": Random(0)}])
@pytest.mark.filterwarnings("error")
def test_logits_that_are_not_finite_break_the_prediction(value: float, options: dict[str, object]) -> None:
    engine = Scripted(SCRIPT, bias=np.full(256, value, np.float32))
    for found in predictions(engine, **options):
        assert found.status == "broken"
        assert found.logprob == 0.0


def test_a_dead_end_of_the_guide_breaks_the_prediction(monkeypatch: pytest.MonkeyPatch) -> None:
    draft = RolloutDraft(ASKS[0], guide=True, guard=False, temperature=0.0, random=None)
    monkeypatch.setattr(Guide, "bits", property(lambda guide: 0))
    assert list(unroll(Scripted(SCRIPT), draft)) == []
    assert draft.prediction().status == "broken"


def test_an_unlikely_byte_that_was_drawn_has_a_log_probability() -> None:
    """In float32 the weight of such a byte is zero."""
    draft = RolloutDraft(ASKS[0], guide=False, guard=False, temperature=1e9, random=Random(0))
    logits = np.full(256, -1000, np.float32)
    logits[0] = 0
    byte, logprob = draft.choose(logits)
    assert byte > 0
    assert logprob == pytest.approx(-1000)


def test_temperature_draws_by_its_seed() -> None:
    bias = np.random.default_rng(0).standard_normal(256).astype(np.float32)
    asks = [PredictionRequest(program=program, limit=60) for program in PROGRAMS]

    def drawn(seed: int) -> list[bytes]:
        engine = Scripted(SCRIPT, bias=bias)
        local = Local(engine, name="s", temperature=2.0, random=Random(seed))
        return [found.text for found in local.predict(asks)]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


@pytest.mark.parametrize("options", [{"batch": 0}, {"guard": True, "guide": False}, {"temperature": 1.0}])
def test_options_that_make_no_sense_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        predictions(Scripted(SCRIPT), **options)


@pytest.mark.parametrize("options", [Compact(), Compact(delta="element"), Compact(reveal=4)])
def test_a_real_engine_writes_only_what_can_be_read(options: Compact) -> None:
    """Random weights know nothing, and still every whole line parses; batch and single agree."""
    engine = random_engine(3)
    asks = [PredictionRequest(program=program, options=options, limit=120) for program in PROGRAMS[:3]]
    together = list(Local(engine, name="random", guard=True, batch=3).predict(asks))
    alone = [imagine(engine, ask.program, options, guard=True, limit=120) for ask in asks]
    for one, other, ask in zip(together, alone, asks, strict=True):
        assert one.text == other.text
        assert one.logprob == pytest.approx(other.logprob, rel=1e-3)
        parsed = parse(one.text, ask.prompt)
        assert parsed.malformed is None


def test_unrolling_reports_each_byte() -> None:
    draft = RolloutDraft(ASKS[0], guide=True, guard=True, temperature=0.0, random=None)
    seen = list(unroll(Scripted(SCRIPT), draft))
    assert bytes(written.byte for written in seen) == TEXTS[0]
    assert sum(written.logprob for written in seen) == pytest.approx(draft.logprob)
    assert all(written.entropy > 0 for written in seen if written.logprob < 0)
    assert draft.status == "ended"
