"""What predictors declare, and what becomes of it when one is put around another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from opinions import dicing
from plain_predictor import PlainPredictor

from worldline.core.program import Program
from worldline.evaluation.prediction_mode import TeacherForced
from worldline.predict.interpreter import Interpreter
from worldline.predict.local import Local
from worldline.predict.models import load_model
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Capabilities, ModelInfo, Predictor, WatchedPredictor
from worldline.predict.scratchpad import Scratchpad

ASK = PredictionRequest(program=Program(source="a = 1\n"))
NONE = Capabilities()


class Answering(PlainPredictor):
    """Answers every question by `yes`."""

    name = "answering"

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(answers_questions=self)

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        return (Prediction(text=b"x", status="ended") for _ in asks)

    def answer(self, questions: Sequence[str], /, *, limit: int) -> Iterator[Prediction]:
        return (Prediction(text=b"yes", status="ended") for _ in questions)


def local() -> Local:
    """An engine whose states can be copied."""
    return Local(dicing(0), name="opinions", digest="d")


class Mute:
    """An engine that reads one byte at a time and copies no states."""

    def __init__(self) -> None:
        self._engine = dicing(0)
        self.start, self.feed, self.step = self._engine.start, self._engine.feed, self._engine.step


def test_an_engine_decodes_and_scores() -> None:
    model = local()
    assert model.info == ModelInfo(name="opinions", digest="d", is_greedy=True)
    assert model.capabilities.decodes_bytes is model
    assert model.capabilities.scores_text is not None
    assert model.capabilities.answers_questions is None


def test_an_engine_without_copies_of_its_states_scores_nothing() -> None:
    model = Local(Mute(), name="mute")
    assert model.forking_engine is None
    assert model.capabilities.scores_text is None
    assert model.capabilities.decodes_bytes is model


def test_a_copy_decodes_by_itself() -> None:
    copy = local().settled(guard=True)
    assert copy.capabilities.decodes_bytes is copy


def test_the_interpreter_is_the_truth() -> None:
    model = Interpreter(codec="cwm")
    assert model.info == ModelInfo(name="interpreter", notation="cwm", is_ground_truth=True)
    assert model.capabilities == NONE


def test_a_replay_says_that_it_is_one(tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    path.write_text('{"digest": "1", "text": "."}\n')
    assert load_model(f"replay:{path}").info == ModelInfo(name="replay:outputs.jsonl", is_replay=True)


def test_a_server_answers_questions() -> None:
    model = load_model("server:http://h#some", {"way": "chat"})
    assert model.capabilities.answers_questions is not None
    assert model.info.config["model"] == "some"
    assert model.info.digest == ""


def test_a_watched_predictor_withholds_uncounted_capabilities() -> None:
    seen: list[int] = []
    model = local()
    watched: Predictor = WatchedPredictor(model, lambda: seen.append(1))
    assert watched.info == model.info
    assert watched.capabilities.decodes_bytes is None
    assert watched.capabilities.scores_text is not None
    assert len(list(watched.predict([replace(ASK, limit=4)] * 2))) == len(seen) == 2


def test_a_scratchpad_of_no_mode_is_the_model_itself() -> None:
    model = local()
    pad: Predictor = Scratchpad(model, "none")
    assert pad.info == model.info
    assert pad.capabilities.decodes_bytes is model


@pytest.mark.parametrize(
    ("wrap", "name", "digest"),
    [
        (lambda model: Scratchpad(model, "flatten"), "scratchpad flatten", "d flatten"),
        (lambda model: TeacherForced(model, "actions"), "actions forced", "d"),
    ],
)
def test_a_wrapper_offers_only_what_still_works(wrap: object, name: str, digest: str) -> None:
    assert callable(wrap)
    model = local()
    wrapped = wrap(model)
    assert wrapped.info == replace(model.info, name=f"opinions, {name}", digest=digest)
    # It rolls out by itself, because its steps are not those of the model.
    assert wrapped.capabilities == Capabilities(rolls_out=wrapped, samples=True)
    assert not wrap(Interpreter()).info.is_ground_truth
    (answer,) = wrap(Answering()).capabilities.answers_questions.answer(["?"], limit=3)
    assert answer.text == b"yes"


def test_wrappers_compose() -> None:
    model = TeacherForced(Scratchpad(WatchedPredictor(Answering(), lambda: None), "chars"), "guard")
    assert model.info.name == "answering, scratchpad chars, guard forced"
    assert model.capabilities.answers_questions is not None
    assert model.capabilities.decodes_bytes is None


class Named:
    """An object of a user's: a name, a notation and asks."""

    name, codec, digest = "mine", "cwm", "abc"

    def predict(self, asks: Sequence[PredictionRequest]) -> Iterator[Prediction]:
        return (Prediction(text=b"x", status="ended", codec="cwm") for _ in asks)


class Declaring:
    """One that declares its info, and no capabilities."""

    info = ModelInfo(name="declared", is_greedy=True)

    def predict(self, asks: Sequence[PredictionRequest]) -> Iterator[Prediction]:
        return (Prediction(text=b"x", status="ended") for _ in asks)

    def answer(self, questions: Sequence[str], /, *, limit: int) -> Iterator[Prediction]:
        return (Prediction(text=b"yes", status="ended") for _ in questions)


def test_an_object_with_a_name_is_adopted() -> None:
    model = load_model(Named())
    assert model.info == ModelInfo(name="mine", digest="abc", notation="cwm")
    assert model.capabilities == NONE
    assert [found.text for found in model.predict([ASK])] == [b"x"]


def test_an_object_may_declare_its_info() -> None:
    model = load_model(Declaring())
    assert model.info is Declaring.info
    assert model.capabilities.answers_questions is not None


def test_a_predictor_is_one_as_it_stands() -> None:
    for model in (local(), Interpreter(), Answering()):
        assert load_model(model) is model
