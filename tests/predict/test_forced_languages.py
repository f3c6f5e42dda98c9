"""Forcing of programs that are not Python, in both notations: what is forced is, by what their flow tables say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pytest
from foreign_runs import LANGUAGES, foreign_run, give_tables
from opinions import dicing, wishing
from plain_predictor import PlainPredictor
from tiers import examples

from worldline.codec.compact.guide.guide import Guide
from worldline.codec.compact.parse import parse
from worldline.codec.cwm import writer as cwm
from worldline.codec.cwm.frame_text import cut
from worldline.codec.cwm.guard import FrameGuard, first_refused, line_of
from worldline.codec.cwm.parse import parse as parse_cwm
from worldline.predict import table
from worldline.predict.forcing.forced import FORCES, Edit, roll
from worldline.predict.local import Local
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.table import table_of


@pytest.fixture(autouse=True)
def known_tables(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    give_tables(monkeypatch)
    yield
    table.table_of.cache_clear()


def knowing(truth: bytes, *mistakes: tuple[bytes, bytes]) -> Callable[[bytes], bytes]:
    """Knows the true text by heart, but for these mistakes; behind anything else it goes on line by line."""
    wrong = truth
    for old, new in mistakes:
        assert old in wrong
        wrong = wrong.replace(old, new, 1)

    def say(text: bytes) -> bytes:
        for known in (wrong, truth):
            if known.startswith(text):
                return known[len(text) :]
        done, part = text.count(b"\n"), text.rpartition(b"\n")[2]
        lines = wrong.splitlines(keepends=True)[done:] or [b".\n"]
        return lines[0][len(part) :] if lines[0].startswith(part) else b"\n"

    return say


@pytest.mark.sampled(8)
@pytest.mark.parametrize("force", FORCES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_right_model_is_right_under_every_forcing(language: str, force: str) -> None:
    run = foreign_run(language)
    model = Local(wishing(knowing(run.steps)), name="knowing")
    truth = Prediction(text=run.steps, status="ended")
    (found,) = roll(
        model,
        [PredictionRequest(program=run.program, limit=1000)],
        [truth],
        force=force,
        edits=[Edit(1, {"sum": "0"})],
        budget=2,
    )
    assert (found.prediction.text, found.prediction.status) == (run.steps, "ended")
    assert found.left is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wrong_action_is_held_by_actions_and_by_the_guard(language: str) -> None:
    run = foreign_run(language)
    mistake = (b"6 i=0\n7\n", b"6 i=0\n5\n")  # no line 5 may follow line 6
    truth, ask = (Prediction(text=run.steps, status="ended"), PredictionRequest(program=run.program, limit=1000))

    def under(force: str) -> bytes:
        model = Local(wishing(knowing(run.steps, mistake)), name="knowing")
        (found,) = roll(model, [ask], [truth], force=force)
        return found.prediction.text

    assert b"6 i=0\n5\n" in under("free")
    assert under("actions") == run.steps
    assert b"6 i=0\n5\n" not in under("guard")


@pytest.mark.fuzz
@pytest.mark.parametrize("force", [force for force in FORCES if force != "edited"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_a_model_wants_its_text_is_read(language: str, force: str) -> None:
    run = foreign_run(language)
    truth, ask = Prediction(text=run.steps, status="ended"), PredictionRequest(program=run.program, limit=400)
    for seed in range(examples(1, 3)):
        (found,) = roll(Local(dicing(seed), name="dice"), [ask], [truth], force=force, budget=1)
        text = found.prediction.text
        assert parse(text, ask.prompt).malformed is None or force in ("actions", "states")
        if force == "guard":
            Guide(run.program, guard=True, table=table_of(run.program)).feed_all(text)


# ---- Meta's format


def frames_of(language: str) -> bytes:
    trace = foreign_run(language).trace
    return cwm.encode(trace).removeprefix(cwm.prompt_of(trace)).encode()


@dataclass(frozen=True)
class ByHeart(PlainPredictor):
    """A model of Meta's format that goes on with its text behind a beginning of it, behind others with its end."""

    text: bytes
    name: str = "by heart"
    codec: str = "cwm"

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for ask in asks:
            rest = self.text[len(ask.given) :] if self.text.startswith(ask.given) else b"<|end_of_text|>"
            yield Prediction(text=ask.given + rest, status="ended", codec="cwm", logprob=-0.1)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("force", [force for force in FORCES if force not in ("queries", "edited")])
@pytest.mark.parametrize("language", LANGUAGES)
def test_metas_format_under_every_forcing(language: str, force: str) -> None:
    text, ask = frames_of(language), PredictionRequest(program=foreign_run(language).program)
    truth = Prediction(text=text, status="ended", codec="cwm")
    (found,) = roll(ByHeart(text), [ask], [truth], force=force)
    assert (found.prediction.text, found.prediction.status, found.left) == (text, "ended", None)
    assert all(step.same_action and step.same_state for step in found.steps)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_edited_state_of_metas_format(language: str) -> None:
    text, program = frames_of(language), foreign_run(language).program
    truth = Prediction(text=text, status="ended", codec="cwm")
    (found,) = roll(
        ByHeart(text), [PredictionRequest(program=program)], [truth], force="edited", edits=[Edit(2, {"sum": "5"})]
    )
    assert b'"sum": "5"' in found.prediction.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_guard_of_metas_format_knows_the_flow(language: str) -> None:
    text, program = frames_of(language), foreign_run(language).program
    table = table_of(program)
    assert first_refused(text, program, table) is None
    guard, lines = FrameGuard(program, table), program.source.split("\n")
    assert guard.lines("call_sep") == {lines[3]}
    first = cut(text)[0]
    guard.feed(first.event, line_of(first, text), first.state(text))
    assert guard.lines("line_sep") == {lines[4]}
    wrong = text.replace(f"<|action_sep|>{lines[4]}".encode(), f"<|action_sep|>{lines[8]}".encode(), 1)
    assert first_refused(wrong, program, table) == 1
    parsed = parse_cwm(wrong.decode(), program.source, language=language, table=table)
    assert not parsed.frames[1].allowed
