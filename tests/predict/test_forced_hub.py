"""A model of the hub that writes Meta's format, under forcing: the real `Hub`, planted mistakes in place of weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest
from meta_server import ids_of
from planted import planted, shown_program, written

from worldline.codec.cwm.text import TOKENS
from worldline.predict.forcing.forced import roll
from worldline.predict.hub import Hub, HubVocabulary
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import PredictionRequest
from worldline.predict.servers.prompt_styles import Sampling
from worldline.predict.servers.tokens import spelled
from worldline.programs.tasks import permutation

torch = pytest.importorskip("torch", reason="the hub extra is not installed: pip install 'worldline[hub]'")
PERMUTED = permutation(Random(3), length=16)


class Bytes:
    """A tokenizer of bytes, with the arguments of transformers' own."""

    def encode(self, text: str, *, add_special_tokens: bool, split_special_tokens: bool) -> list[int]:
        assert split_special_tokens
        assert not add_special_tokens
        return list(text.encode())

    def decode(self, ids: Sequence[int], **kept: bool) -> str:
        return bytes(ids).decode()


class PlantedWeights:
    """`generate` as transformers has it: token by token, each with its scores, until one that ends it."""

    device = "cpu"

    def __init__(self, path: str) -> None:
        self.path, self.asked, self.vocabulary = path, 0, HubVocabulary(Bytes())

    def generate(
        self, given: Any, *, attention_mask: Any, max_new_tokens: int, do_sample: bool,
        logits_processor: Sequence[Callable[[Any, Any], Any]], eos_token_id: list[int],
    ) -> Any:  # fmt: skip
        assert attention_mask.shape == given.shape
        assert not do_sample
        self.asked += 1
        prompt = given[0].tolist()
        start, first = prompt.index(TOKENS["trace_context_start"]), prompt.index(TOKENS["frame_sep"])
        source, call = shown_program(bytes(prompt[start + 1 : first]).decode())
        found = list(prompt)
        model = planted(self.path, source, call)
        for rest, logprob in written(model, spelled(prompt[first + 1 :], self.vocabulary)):
            for number in ids_of(rest, self.vocabulary):
                self._score(found, number, logprob, logits_processor)
                found.append(number)
                if number in eos_token_id or len(found) - len(prompt) >= max_new_tokens:
                    return torch.tensor([found])
        raise AssertionError("a text without end")

    def _score(self, ids: list[int], number: int, logprob: float, heard: Sequence[Callable[[Any, Any], Any]]) -> None:
        scores = torch.full((1, 128_108), -1e9)
        scores[0, number], scores[0, 0 if number else 1] = (0.0, torch.log(torch.exp(torch.tensor(-logprob)) - 1))
        for each in heard:
            each(torch.tensor([ids]), scores)


def hub(path: str) -> tuple[Hub, PlantedWeights]:
    model = PlantedWeights(path)
    return Hub(model, Bytes(), name="facebook/cwm", way="tokens", sampling=Sampling()), model


@pytest.mark.long(reason="128,108 scores for each token of six texts")
@pytest.mark.parametrize(("model", "force"), [("skips-7", "actions"), ("swaps-7", "states"), ("skips-7", "guard")])
def test_what_is_forced_on_a_model_of_the_hub(model: str, force: str) -> None:
    ask = PredictionRequest(program=PERMUTED)
    truths = list(Interpreter(codec="cwm").predict([ask]))
    predictor, weights = hub(model)
    (free,) = roll(predictor, [ask], truths, force="free")
    assert (free.prediction.text == truths[0].text, free.prediction.status) == (False, "ended")
    (found,) = roll(predictor, [ask], truths, force=force)
    assert (found.prediction.text, found.prediction.status, found.left) == (truths[0].text, "ended", None)
    assert weights.asked <= 10


@pytest.mark.long(reason="test_forced_server.py asks the same of a server")
def test_queries_go_where_it_is_least_sure() -> None:
    ask = PredictionRequest(program=PERMUTED)
    truths = list(Interpreter(codec="cwm").predict([ask]))
    (found,) = roll(hub("swaps-7")[0], [ask], truths, force="queries", budget=3)
    assert (found.prediction.text, sorted(found.spent)) == (truths[0].text, [10, 17, 24])


@pytest.mark.long(reason="test_one_frame_ahead_every_frame_stands_alone needs no hub")
def test_one_frame_ahead() -> None:
    ask = PredictionRequest(program=PERMUTED)
    truths = list(Interpreter(codec="cwm").predict([ask]))
    (found,) = roll(hub("swaps-7")[0], [ask], truths, force="next")
    assert [step.step for step in found.steps if not step.same_state] == [10, 17, 24]
