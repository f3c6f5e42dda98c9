"""A model on drills: the trainer's scores and the engine's agree and are what greedy decoding would write."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from nets import random_trunk, weights_of

from worldline.codec.compact.prompt import Compact
from worldline.data.mixture import Mixture, Mode, Source
from worldline.learning.drills import Drill, DrillBook
from worldline.learning.measure import measure, score_document
from worldline.model.engine.native import open_engine
from worldline.model.engine.reference import ReferenceEngine
from worldline.model.hybrid import Trunk
from worldline.model.shape import Shape
from worldline.model.train.drills import score_documents
from worldline.model.train.loop import main
from worldline.model.train.schedule import BatchPhase

SHAPE = Shape(depth=2, window=64)

MIXTURE = Mixture(
    sources=(
        Source(kind="generate", program="worldline.programs.generate:program"),
        Source(kind="generate", program="worldline.programs.generate:program", form="flatten"),
        Source(kind="tasks", program="worldline.programs.tasks:program"),
    ),
    modes=(
        Mode(weight=1.0),
        Mode(weight=1.0, options=Compact(bare=True)),
        *(Mode(weight=1.0, options=Compact(reveal=n), kinds=("tasks",)) for n in (2, 4)),
    ),
)


@pytest.fixture(scope="module")
def book() -> Iterator[DrillBook]:
    drill_book = DrillBook(MIXTURE, seed=3, split="train", trust=True)
    yield drill_book
    drill_book.close()


@pytest.fixture(scope="module")
def drills(book: DrillBook) -> list[Drill]:
    return book.drills(30)


def test_trainer_and_engine_score_alike(drills: list[Drill]) -> None:
    trunk = random_trunk(SHAPE)
    engine = ReferenceEngine(SHAPE, weights_of(trunk))
    short = [drill for drill in drills if len(drill.document) < 500][:6]
    pairs = [(drill.document.prompt, drill.document.steps) for drill in short]
    for drill, trained in zip(
        short, score_documents(trunk, pairs, BatchPhase(0.0, 512, 2), torch.device("cpu")), strict=True
    ):
        other = score_document(engine, drill.document)
        assert trained.hits == other.hits
        assert np.allclose(trained.logprobs, other.logprobs, atol=1e-3)


def test_a_trace_is_right_just_where_greedy_decoding_writes_it(drills: list[Drill]) -> None:
    """A net that has learned one document by heart, and one that has not."""
    drill = min(drills, key=lambda candidate: len(candidate.document))
    pair = (drill.document.prompt, drill.document.steps)
    trunk = random_trunk(SHAPE)
    phase, cpu = BatchPhase(0.0, len(drill.document) + 1, 1), torch.device("cpu")
    optimizer = torch.optim.Adam(trunk.parameters(), lr=3e-3)
    outcomes = set()
    for _ in range(60):
        (score,) = score_documents(trunk, [pair], phase, cpu)
        right = all(score.hits)
        assert right == (_greedy(trunk, *pair) == drill.document.steps)
        outcomes.add(right)
        if right:
            break
        for _ in range(10):
            optimizer.zero_grad()
            _loss(trunk, *pair).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
    assert outcomes == {False, True}


def _loss(trunk: Trunk, prompt: bytes, steps: bytes) -> torch.Tensor:
    data = torch.tensor([list(prompt + steps)])
    logits = trunk(data, torch.arange(data.shape[1])[None], torch.full_like(data, len(prompt)))
    return torch.nn.functional.cross_entropy(logits[0, len(prompt) - 1 : -1], data[0, len(prompt) :])


def _greedy(trunk: Trunk, prompt: bytes, steps: bytes) -> bytes:
    engine = ReferenceEngine(SHAPE, weights_of(trunk))
    state, out = engine.start(), bytearray()
    logits = engine.feed(state, prompt, pin=True)
    while len(out) < len(steps):
        out.append(int(logits.argmax()))
        logits = engine.step([state], out[-1:])[0]
    return bytes(out)


def test_a_measure_is_a_curriculum(book: DrillBook) -> None:
    engine = open_engine(SHAPE, weights_of(random_trunk(SHAPE)))
    now, rows = measure(engine, book, count=8)
    assert now.sets == 1
    assert now.opened == 2
    assert {row.label.partition(" ")[0] for row in rows} == {"kind", "source", "mode", "operation", "reveal"}
    assert all(row.wrong > 0 for row in rows if row.label.startswith("source"))


class Knowing:
    """An engine that has read every drill before: the true byte is the likeliest."""

    def __init__(self, book: DrillBook) -> None:
        self.steps: dict[bytes, bytes] = {}
        for name in ("drills", "exams"):
            self._spy(book, name)

    def _spy(self, book: DrillBook, name: str) -> None:
        drawn = getattr(type(book), name)

        def told(*arguments: int) -> list[Drill]:
            drills: list[Drill] = drawn(book, *arguments)
            self.steps |= {drill.document.prompt: drill.document.steps for drill in drills}
            return drills

        setattr(book, name, told)

    def start(self) -> list[bytes]:
        return []

    def feed(self, state: list[bytes], data: bytes, *, pin: bool) -> np.ndarray:
        state.append(self.steps[data])
        logits: np.ndarray = self._logits(state[0][:1])[0]
        return logits

    def feed_all(self, state: list[bytes], data: bytes, *, pin: bool) -> np.ndarray:
        return self._logits(state[0][1:])

    def _logits(self, wanted: bytes) -> np.ndarray:
        return 20 * np.eye(256, dtype=np.float32)[list(wanted)]


def test_a_spacing_that_is_held_opens_the_next_however_few_drills_there_are() -> None:
    book = DrillBook(MIXTURE, seed=3, split="train", trust=True)
    try:
        now, _ = measure(Knowing(book), book, count=4)
    finally:
        book.close()
    assert now.opened == 4


RECIPE = """
import sys
from worldline.codec.compact.prompt import Compact
from worldline.data.mixture import Mixture, Mode, Source
from worldline.data.sources import streams
from worldline.model.shape import Shape
from worldline.model.train.config import Training

def data():
    modes = (Mode(weight=1.0), Mode(weight=1.0, options=Compact(reveal=2), kinds=("tasks",)))
    source = Source(kind="generate", program="worldline.programs.generate:program")
    return Mixture(sources=(source, Source(kind="tasks", program="worldline.programs.tasks:program")), modes=modes)

def training():
    tutor = (sys.executable, "-m", "worldline.learning.tutor", "--recipe", __file__, "--trust", "--size", "12000")
    live = streams(__file__, ahead=1, curriculum="{run}/curriculum.json", pool=64)
    return Training(
        shape=Shape(depth=2, window=32), sources=(live,), rows=2, time=512, steps=3, drill_every=0.0,
        tutor=(*tutor, "--out", "{run}/curriculum.json"), eval_every=0, save_every=0, log_every=1,
    )
"""


@pytest.mark.long(reason="a training whose tutor and documents are processes of their own")
def test_a_training_moves_its_curriculum(tmp_path: Path) -> None:
    recipe, out = tmp_path / "recipe.py", tmp_path / "run"
    recipe.write_text(RECIPE)
    assert main(["--recipe", str(recipe), "--out", str(out), "--device", "cpu"]) == 0
    now = json.loads((out / "curriculum.json").read_text())
    assert now["opened"] == 2
    assert now["factors"]["reveal 2"] == 1.0
    config = json.loads((out / "config.json").read_text())
    assert config["tutor"][-1] == "{run}/curriculum.json"
