"""A vote: whose answer wins, what weighs how much, and when more than one prediction is made."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import pytest
from opinions import SUM, SURE, TRUTH, UNSURE, Opinion, summing
from plain_predictor import PlainPredictor

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.evaluation.prediction_mode import PredictionMode, TeacherForced
from worldline.predict.interpreter import Interpreter
from worldline.predict.local import Local
from worldline.predict.models import load_model
from worldline.predict.prediction import Decoding, Prediction, PredictionRequest
from worldline.predict.predictor import Capabilities, ModelInfo, Predictor
from worldline.predict.scratchpad import Scratchpad
from worldline.predict.vote import Vote, VoteOptions, among, load_vote, unsure_step, vote_options

PROGRAM = Program(source="def f(n):\n    m = n + 1\n    return m\n", call="f(1)")
ASK = PredictionRequest(program=PROGRAM)


def text(value: int, *, through: int = 2) -> bytes:
    """A run of the program that returns a value, perhaps after another value of `m`."""
    return b"(1 n=1\n2 m=%d\n3\n)%d\n.\n" % (through, value)


Drawn = tuple[bytes, float | None]


@dataclass
class Urn:
    """Writes its first text, and the others when it is asked for samples, in this order."""

    texts: Sequence[Drawn]
    name: str = "urn"
    modes: tuple[str, ...] = ()
    capabilities: Capabilities = field(default_factory=lambda: Capabilities(samples=True))
    requests: list[PredictionRequest] = field(default_factory=list)
    drawn: int = 0

    @property
    def info(self) -> ModelInfo:
        return ModelInfo(name=self.name, digest=f"digest of {self.name}", is_greedy=True, modes=self.modes)

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for ask in asks:
            self.requests.append(ask)
            at = 0
            if ask.decoding is not None and ask.decoding.temperature > 0:
                self.drawn += 1
                at = self.drawn
            data, logprob = self.texts[at]
            yield Prediction(text=data, status="ended", logprob=logprob, seconds=1.0)


def voted(*predictors: Predictor, samples: int = 1, threshold: float = 0.9) -> Prediction:
    (prediction,) = Vote(tuple(predictors), VoteOptions(samples=samples, threshold=threshold)).predict([ASK])
    return prediction


def urn(*texts: tuple[bytes, float | None], name: str = "urn") -> Urn:
    """An urn of texts with their probabilities."""
    return Urn([(data, None if chance is None else math.log(chance)) for data, chance in texts], name)


def test_the_answer_of_the_largest_probability_wins_and_its_most_probable_text_is_returned() -> None:
    model = urn((text(2), 0.3), (text(3), 0.1), (text(3, through=3), 0.25), (text(4), 0.05))
    prediction = voted(model, samples=4)
    assert prediction.text == text(3, through=3)
    assert prediction.logprob == pytest.approx(math.log(0.25))
    assert prediction.note == "vote: 2 of 4 texts, 50 % of the weight"


def test_a_text_that_is_drawn_again_adds_nothing() -> None:
    model = urn((text(2), 0.3), *[(text(3), 0.2)] * 3)
    assert voted(model, samples=4).text == text(2)


def test_without_log_probabilities_every_text_counts_once() -> None:
    model = urn((text(2), None), (text(3), None), (text(3), None))
    prediction = voted(model, samples=3)
    assert (prediction.text, prediction.logprob) == (text(3), None)


def test_one_unknown_log_probability_makes_all_texts_count_once() -> None:
    assert voted(urn((text(2), 0.8), (text(3), None), (text(3), 0.1)), samples=3).text == text(3)


@pytest.mark.parametrize("chance", [0.2, None])
def test_of_equal_weights_the_first_answer_wins(chance: float | None) -> None:
    assert voted(urn((text(2), chance), (text(3), chance)), samples=2).text == text(2)


def test_a_text_without_an_answer_has_no_vote() -> None:
    model = urn((b"(1 n=1\n", 0.5), (text(3), 0.01), (b"nonsense", 0.4))
    assert voted(model, samples=3).text == text(3)


def test_without_any_answer_the_first_prediction_is_returned() -> None:
    prediction = voted(urn((b"(1 n=1\n", 0.2), (b"(1 n=2\n", 0.5)), samples=2)
    assert prediction.text == b"(1 n=1\n"
    assert prediction.note == "vote: none of 2 texts has an answer"


def test_values_are_compared_as_values() -> None:
    call = PredictionRequest(program=Program(source="def f():\n    return {1: 2, 3: 4}\n", call="f()"))
    one, other = (b"(1\n2\n)%s\n.\n" % value for value in (b"{1: 2, 3: 4}", b"{3: 4, 1: 2}"))
    model = urn((b"(1\n2\n){3}\n.\n", 0.3), (one, 0.2), (other, 0.2))
    (prediction,) = Vote((model,), VoteOptions(samples=3)).predict([call])
    assert prediction.text == one


def test_the_answer_of_a_script_includes_what_it_prints() -> None:
    script = PredictionRequest(program=Program(source="print(1)\n"))
    (true,) = Interpreter().predict([script])
    other = true.text.replace(b"'1", b"'2")
    assert other != true.text
    model = urn((other, 0.2), (true.text, 0.3))
    (prediction,) = Vote((model,), VoteOptions(samples=2)).predict([script])
    assert prediction.text == true.text
    assert "1 of 2 texts, 60 %" in prediction.note


def test_the_first_prediction_is_greedy_and_the_samples_have_seeds_of_their_own() -> None:
    model = urn(*[(text(2), 0.1)] * 3)
    list(Vote((model,), VoteOptions(samples=3, temperature=0.7, seed=5)).predict([ASK]))
    assert [ask.decoding for ask in model.requests] == [
        Decoding(),
        Decoding(temperature=0.7, seed=16),
        Decoding(temperature=0.7, seed=17),
    ]
    seeds = {seed: {way.seed for way in VoteOptions(samples=3, seed=seed).decodings()} for seed in range(4)}
    assert len(set[int]().union(*seeds.values())) == sum(map(len, seeds.values()))


def test_a_sure_prediction_is_not_repeated() -> None:
    model = urn((text(2), 0.95))
    prediction = voted(model, samples=5)
    assert len(model.requests) == 1
    assert (prediction.discarded, prediction.note) == (0, "")


def test_bytes_and_seconds_of_all_samples_are_counted() -> None:
    model = urn((text(2), 0.5), (text(3), 0.1), (b"(1", 0.1))
    prediction = voted(model, samples=3)
    assert prediction.seconds == 3.0
    assert prediction.discarded == len(text(3)) + len(b"(1")
    assert prediction.bytes_written == len(text(2)) + prediction.discarded


def test_models_vote_together_once_the_first_is_unsure() -> None:
    sure, second = urn((text(2), 0.95)), urn((text(3), 0.99), name="second")
    assert voted(sure, second).text == text(2)
    assert second.requests == []
    unsure = urn((text(2), 0.6))
    assert voted(unsure, second).text == text(3)
    third = urn((text(2), 0.5), name="third")
    assert voted(unsure, second, third).text == text(2), "the same text of two models counts twice"


def test_a_model_that_cannot_differ_is_asked_once() -> None:
    class Constant(PlainPredictor):
        is_replay = True
        count = 0

        def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
            for _ in asks:
                self.count += 1
                yield Prediction(text=text(2), status="ended")

    model = Constant()
    voted(model, samples=4)
    assert model.count == 1


def test_a_fault_is_returned_as_it_is() -> None:
    class Broken(PlainPredictor):
        def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
            return (Prediction(text=b"", status="fault", note="unreachable") for _ in asks)

    assert voted(Broken(), samples=3) == Prediction(text=b"", status="fault", note="unreachable")


def test_what_a_vote_declares() -> None:
    one, other = urn(name="a"), urn(name="b")
    vote = Vote((one, other), VoteOptions(samples=3))
    assert vote.info.name == "a + b, vote of 6"
    assert vote.info.digest != Vote((one, other), VoteOptions(samples=4)).info.digest
    assert vote.capabilities == Capabilities(rolls_out=vote)
    assert among([one], VoteOptions()) is one


def test_options_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(UsageError, match="at least 1"):
        VoteOptions(samples=0)
    with pytest.raises(UsageError, match="temperature 0"):
        VoteOptions(samples=2, temperature=0.0)
    with pytest.raises(UsageError, match="one notation"):
        Vote((urn(), Interpreter(codec="cwm")))
    with pytest.raises(UsageError, match="same modes"):
        Vote((urn(), replace(urn(), modes=("assigned",))))
    with pytest.raises(UsageError, match="numbers"):
        vote_options(2, {"temperature": "hot"})
    assert vote_options(2, {"temperature": "0.5", "seed": "3"}) == VoteOptions(samples=2, temperature=0.5, seed=3)
    assert vote_options(2, {"temperature": "0"}).temperature == 0.8


# ---- engines: samples start at the first unsure step


def doubting(after: bytes, *, excess: int = 0) -> Opinion:
    """An engine that runs SUM, and after a text likes several digits."""
    say = summing(excess=excess)

    def logits(written: bytes) -> object:
        import numpy as np

        wishes = np.zeros(256, np.float32)
        wishes[(say(written) or b".")[0]] = UNSURE if written.endswith(after) else 3 * SURE
        return wishes

    return Opinion(logits)  # type: ignore[arg-type]


def test_samples_continue_the_text_before_the_first_unsure_step() -> None:
    engine = doubting(b"\n4 s=")
    model = Local(engine, name="doubting")
    request = PredictionRequest(program=SUM, limit=200)
    vote = Vote((model,), VoteOptions(samples=4))
    (rolled,) = vote.roll([request])
    prefix = TRUTH[: TRUTH.index(b"4 s=1")]
    assert unsure_step(rolled, 0.9) == 5
    assert engine.fed.count(prefix) == 3
    assert rolled.prediction.text.startswith(prefix)
    assert rolled.sure[5].start == len(prefix)
    assert rolled.prediction.logprob == pytest.approx(sum(step.logprob for step in rolled.sure), abs=1e-4)


def test_samples_do_not_depend_on_what_else_is_predicted() -> None:
    requests = [PredictionRequest(program=SUM, limit=200 + extra) for extra in range(20)]
    vote = Vote((Local(doubting(b"\n4 s="), name="doubting"),), VoteOptions(samples=3))
    together = [prediction.text for prediction in vote.predict(requests)]
    assert together == [prediction.text for request in requests for prediction in vote.predict([request])]


def test_a_request_has_its_own_decoding() -> None:
    model = Local(doubting(b"="), name="doubting")
    requests = [
        PredictionRequest(program=SUM, limit=200, decoding=Decoding(temperature=1.0, seed=seed)) for seed in (1, 2, 1)
    ]
    first, second, third = (prediction.text for prediction in model.predict(requests))
    assert first == third != second
    (greedy,) = model.predict([PredictionRequest(program=SUM, limit=200, decoding=Decoding())])
    assert greedy.text == TRUTH


# ---- composition


def test_votes_and_scratchpads_go_around_each_other() -> None:
    program = Program(source="def f(n):\n    return (n + 1) * 2\n", call="f(1)")
    request = PredictionRequest(program=program)
    options = VoteOptions(samples=2)
    inside = Scratchpad(Vote((Interpreter(),), options), "flatten")
    outside = Vote((Scratchpad(Interpreter(), "flatten"),), options)
    for predictor in (inside, outside):
        (prediction,) = predictor.predict([request])
        assert prediction.text.endswith(b")4\n.\n")
        assert prediction.scratch is not None
    built = PredictionMode("flatten", vote=options).wrap(Interpreter())
    assert built == inside


def test_forced_models_vote() -> None:
    model = Local(doubting(b"\n4 s=", excess=1), name="doubting")
    built = PredictionMode(force="states", vote=VoteOptions(samples=3)).wrap(model)
    assert isinstance(built, Vote)
    assert built.predictors == (TeacherForced(model, "states"),)
    (prediction,) = built.predict([PredictionRequest(program=SUM, limit=200)])
    assert prediction.text == TRUTH


def test_the_shipped_model_votes_on_a_small_program() -> None:
    program = Program(
        source="def f(s):\n    t = s.center(9, '*').replace('*', '-+')\n    return t[::-1]\n", call="f('abc')"
    )
    request = PredictionRequest(program=program, limit=300)
    vote = load_vote(load_model("default"), samples=3)
    (rolled,) = vote.capabilities.rolls_out.roll([request])  # type: ignore[union-attr]
    (greedy,) = load_model("default").predict([request])
    prediction = rolled.prediction
    assert "of 3 texts" in prediction.note
    assert prediction.discarded > 0
    assert prediction.logprob == pytest.approx(sum(step.logprob for step in rolled.sure), abs=1e-3)
    assert prediction.bytes_written >= len(greedy.text)
    assert prediction.status == "ended"
    easy = PredictionRequest(program=Program(source="def f(n):\n    return n\n", call="f(1)"), limit=300)
    (sure,) = vote.predict([easy])
    assert (sure.text, sure.discarded, sure.note) == (b"(1 n=1\n2\n)1\n.\n", 0, "")
