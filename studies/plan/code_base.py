"""One code base as a study needs it: its short calls, what a model makes of them, and what a few lessons change.

What was asked is kept in a folder (`suites.run`), so that a study that was stopped goes on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from worldline.codec.compact.prompt import Compact
from worldline.core.program import Program
from worldline.data.document import Document
from worldline.data.mixture import DOCUMENT_LIMITS
from worldline.evaluation.run.directory import newest
from worldline.evaluation.run.record import Record
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.suite import Suite, Task
from worldline.learning.call_sources import own_calls
from worldline.learning.own_calls import OwnCall, draw_known_documents, record_calls
from worldline.model.engine.native import open_engine
from worldline.model.shape import Shape
from worldline.model.train.low_rank import AdaptationConfig, LowRankChanges, train_changes
from worldline.model.weights import StoredArray
from worldline.predict.local import Local
from worldline.storage import files

Weights = dict[str, StoredArray]
BARE = Compact(bare=True)  # as an oracle asks
KNOWN, SHORT = 8, 400  # generated documents that are mixed in, and the bytes of one


@dataclass(frozen=True)
class Imagination:
    """What a model made of one call: is its answer right, is its whole trace, and how sure it was of all of it."""

    name: str
    answer: bool
    trace: bool
    sure: float


def short_calls(folder: Path, out: Path, *, longest: int, rounds: int = 1, seed: int = 0) -> list[OwnCall]:
    """The calls of a folder whose documents are short, in a drawn order; found once and stored."""
    if not out.exists():
        calls = {each.name: each for turn in range(rounds) for each in own_calls(folder, seed=seed + 3 * turn)}
        short = [each for each in calls.values() if _fits(each, longest)]
        Random(f"code base {seed}").shuffle(short)
        rows = [[each.program.source, each.program.call, each.origin, each.key] for each in short]
        files.write(out, json.dumps(rows).encode())
    return [
        OwnCall(program=Program(source=source, call=call), origin=origin, key=key, options=BARE)
        for source, call, origin, key in json.loads(out.read_bytes())
    ]


def _fits(call: OwnCall, longest: int) -> bool:
    if len(call.program.source) >= longest:
        return False
    return any(len(each.prompt) + len(each.steps) <= longest for each in record_calls([call]))


def imagined(shape: Shape, weights: Weights, calls: Sequence[OwnCall], *, out: Path) -> list[Imagination]:
    """What a model makes of calls, judged beside their recordings; kept in `out`, which is gone on with."""
    tasks = [Task(program=each.program, options=each.options, name=each.name) for each in calls]
    suite = Suite(name=out.name, tasks=tasks, count=len(tasks), limits=DOCUMENT_LIMITS)
    run(suite, Local(open_engine(shape, weights, threads=1), name=out.name), out=out)
    judged = (record for record in newest(out).values() if record.judged)
    found = {record.name: _imagination(record) for record in judged}
    return [found[each.name] for each in calls if each.name in found]


def _imagination(record: Record) -> Imagination:
    logprob = record.found.logprob
    right = [record.judged[what] == "right" for what in ("answer", "trace")]
    return Imagination(record.name, *right, math.exp(logprob) if logprob is not None else 0.0)


def taught(
    shape: Shape, weights: Weights, lessons: Sequence[OwnCall], held_back: Sequence[OwnCall], *, how: AdaptationConfig
) -> LowRankChanges:
    """The changes that lessons make, generated documents among them, as `learn --journal` trains."""
    drawn = draw_known_documents(6 * KNOWN, seed=how.seed)
    known = [each for each in drawn if len(each.prompt) + len(each.steps) <= SHORT][:KNOWN]
    return train_changes(
        shape, weights, _pairs(record_calls(lessons, seed=how.seed)), known=_pairs(known),
        held_back=_pairs(record_calls(held_back, seed=how.seed)), how=how,
    )  # fmt: skip


def _pairs(documents: Sequence[Document]) -> list[tuple[bytes, bytes]]:
    return [(each.prompt, each.steps) for each in documents]
