"""The truth as Meta's own tracer spells it is right in every way in which a model's text can come in.

`WORLDLINE_CONFORMANCE=whole pytest -s tests/predict/test_conformance.py` runs HumanEval and the generated programs as a
whole and prints the counts; without it a sample of them runs.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from meta.server import decoded, encoded, spaced, stripped
from meta.texts import HUMANEVAL, WHOLE, Traced, all_traced, generated, humaneval, python311
from meta.zoo import ZOO

from worldline.core.program import Program
from worldline.evaluation.external.predictions import read_predictions
from worldline.evaluation.run.truth import Truth, truth
from worldline.evaluation.score import judge
from worldline.evaluation.suites.suite import Task
from worldline.predict.hub import Hub
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.replay import load_replay
from worldline.predict.servers.client import Patience, ServerClient
from worldline.predict.servers.fewshot import FewShot, FewShotChat
from worldline.predict.servers.meta import MetaChat, MetaText
from worldline.predict.servers.prompt_styles import Sampling, Tokens
from worldline.predict.servers.server import Server
from worldline.recording.recorder import record_many

pytestmark = pytest.mark.skipif(python311() is None, reason="no CPython 3.11, whose tracing Meta's format is of")
LIMIT = 1 << 24


class Characters:
    """A vocabulary of one id for each character, beside Meta's special ids."""

    def ids(self, text: str, /) -> list[int]:
        return [ord(char) for char in text]

    def data(self, ids: Sequence[int], /) -> bytes:
        return "".join(map(chr, ids)).encode("utf-8", "surrogatepass")


class Corpus:
    """Traced programs with their recorded truths, and how predictions of them are judged."""

    def __init__(self, programs: dict[str, Program]) -> None:
        found = all_traced(programs)
        traces = record_many([each.program for each in found])
        self.rows: list[tuple[Traced, Task, Truth]] = []
        for each, trace in zip(found, traces, strict=True):
            task = Task(program=each.program, name=each.name)
            true = truth(task, trace)
            if true is not None:
                self.rows.append((each, task, true))

    @property
    def asks(self) -> list[PredictionRequest]:
        return [PredictionRequest(program=each.program, limit=LIMIT) for each, _, _ in self.rows]

    @property
    def answers(self) -> dict[str, str]:
        return {key: text for each, _, _ in self.rows for key, text in each.answers.items()}

    def check(self, way: str, predictions: Iterable[Prediction]) -> None:
        """Every trace and answer is right."""
        counts, wrong = Counter[str](), list[str]()
        for (each, task, true), found in zip(self.rows, predictions, strict=True):
            verdict = judge(task, true, found)
            is_right = verdict.answer == verdict.trace == "right" and verdict.agreed == verdict.steps
            counts += Counter(programs=1, frames=verdict.steps, right=is_right)
            if not is_right:
                wrong.append(f"{each.name}: {verdict.trace}, {verdict.cause}: {verdict.note[:200]}")
        print(f"\n{way}: {counts['right']} of {counts['programs']} programs right, {counts['frames']} frames")
        assert not wrong, "\n".join(wrong)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus({**ZOO, **generated(600 if WHOLE else 24)})


@pytest.fixture(scope="module")
def problems() -> Corpus:
    if not HUMANEVAL.exists():
        pytest.skip(f"no {HUMANEVAL}")
    return Corpus(humaneval(3) if WHOLE else humaneval(1, 24))


@pytest.fixture(scope="module", params=["corpus", "problems"])
def texts(request: pytest.FixtureRequest) -> Corpus:
    found: Corpus = request.getfixturevalue(request.param)
    return found


def _prediction(text: str) -> Prediction:
    return Prediction(text=text.encode("utf-8", "surrogatepass"), status="ended", codec="cwm")


def test_as_it_stands(texts: Corpus) -> None:
    assert len(texts.rows) > 20
    texts.check("as it stands", [_prediction(each.frames) for each, _, _ in texts.rows])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("how", [str, spaced])
def test_through_score(texts: Corpus, tmp_path: Path, how: Any) -> None:
    rows = [{"id": str(i), "text": how(each.frames)} for i, (each, _, _) in enumerate(texts.rows)]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    programs = {str(i): each.program for i, (each, _, _) in enumerate(texts.rows)}
    found = read_predictions(path, programs=programs.get)
    texts.check(f"score, {how.__name__}", [row.prediction for row in found])


@pytest.mark.long(reason="test_the_interpreter_s_outputs_replayed_are_its_outputs replays too")
@pytest.mark.parametrize("how", [str, spaced])
def test_through_replay(texts: Corpus, tmp_path: Path, how: Any) -> None:
    rows = [{"digest": each.program.digest, "text": how(each.frames)} for each, _, _ in texts.rows]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    texts.check(f"replay, {how.__name__}", load_replay(path).predict(texts.asks))


@pytest.fixture(scope="module")
def port(texts: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    path = tmp_path_factory.mktemp("server") / "answers.json"
    path.write_text(json.dumps(texts.answers))
    script = Path(__file__).parent / "meta" / "server.py"
    with subprocess.Popen([sys.executable, str(script), str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())
        process.terminate()


WAYS = {
    "tokens, ids": (Tokens(Characters()), "cwm-ids"),
    "tokens, text": (Tokens(Characters()), "cwm-tagged"),
    "tokens, spaced": (Tokens(Characters()), "cwm-spaced"),
    "text": (MetaText(), "cwm-tagged"),
    "text, spaced": (MetaText(), "cwm-spaced"),
    "chat": (MetaChat(), "some-tagged"),
    "fewshot": (FewShot(), "some-tagged"),
    "fewshot, spaced": (FewShot(), "some-spaced"),
    "fewshot-chat": (FewShotChat(), "some-tagged"),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", WAYS)
def test_through_a_server(texts: Corpus, port: int, name: str) -> None:
    way, model = WAYS[name]
    client = ServerClient(f"http://127.0.0.1:{port}/v1", Patience(timeout=600), Random(0), "")
    sampling = Sampling(max_tokens=LIMIT, logprobs=False)
    server = Server(client, model, style=way, sampling=sampling, concurrency=2)
    texts.check(f"server, {name}", server.predict(texts.asks))


class StubTokenizer:
    """What `transformers` calls a tokenizer, over characters."""

    def encode(self, text: str, **options: Any) -> list[int]:
        return [ord(char) for char in text] if options.get("split_special_tokens") else encoded(text)

    def decode(self, ids: list[int], **_: Any) -> str:
        return decoded(ids)

    def apply_chat_template(self, said: list[dict[str, str]], **_: Any) -> list[int]:
        return [ord(char) for char in said[-1]["content"]]


class StubModel:
    """Weights that know every answer."""

    device = "cpu"

    def __init__(self, answers: dict[str, str]) -> None:
        self.answers = answers
        self.generation_config = type("Config", (), {"eos_token_id": 128001})()

    def generate(self, given: Any, **options: Any) -> Any:
        import torch

        ids = encoded(self.answers[decoded(given[0].tolist())])
        assert len(ids) <= options["max_new_tokens"]
        return torch.cat([given, torch.tensor([ids])], dim=1)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("way", ["tokens", "text", "chat", "fewshot", "fewshot-chat"])
def test_through_the_hub(texts: Corpus, way: str) -> None:
    pytest.importorskip("torch")
    sampling = Sampling(max_tokens=LIMIT)
    hub = Hub(StubModel(texts.answers), StubTokenizer(), name="cwm", way=way, sampling=sampling, codec="cwm")
    texts.check(f"hub, {way}", hub.predict(texts.asks))


def test_a_wrong_value_anywhere_is_still_wrong(corpus: Corpus) -> None:
    random, tried = Random(0), 0
    for each, task, true in corpus.rows:
        places = [i for i, char in enumerate(each.frames) if char.isdigit() and each.frames[i - 1] in " [('{"]
        for place in random.sample(places, min(2, len(places))):
            digit = str((int(each.frames[place]) + 1) % 10)
            text = each.frames[:place] + digit + each.frames[place + 1 :]
            if _line_of(each.frames, place):
                continue
            tried += 1
            verdict = judge(task, true, _prediction(text))
            assert verdict.trace != "right", (each.name, text[place - 40 : place + 20])
    assert tried > 50


def _line_of(text: str, place: int) -> bool:
    """Whether a place is in a line of the source, or in what no recording tells of: a view, a library's own repr."""
    before = text[:place]
    if before.rfind("<|action_sep|>") > max(before.rfind("_sep|>{"), before.rfind("<|arg_sep|>")):
        return True
    value = before[before.rfind('"') :]
    return "<" in value or "(" in value.replace("[(", "").replace(" (", "").replace('"(', "")


def test_most_text_without_special_tokens_is_right(corpus: Corpus, tmp_path: Path) -> None:
    rows = [{"digest": each.program.digest, "text": stripped(each.frames)} for each, _, _ in corpus.rows]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    found = list(load_replay(path).predict(corpus.asks))
    verdicts = [judge(task, true, each) for (_, task, true), each in zip(corpus.rows, found, strict=True)]
    right = sum(verdict.trace == "right" for verdict in verdicts)
    print(f"\nstripped: {right} of {len(verdicts)} programs right")
    assert right >= 0.9 * len(verdicts)
